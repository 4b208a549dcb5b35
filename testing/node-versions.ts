import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { TOOL_CACHE } from './tool-cache.ts'

const INSTALL_MS = 300_000

/** The folder with the `node` of a version, from the packages that the package `node` consists of. `undefined`, with a line that says so: it could not be installed. */
export function requireNodeVersion(version: string): string | undefined {
  const name = `node-${process.platform}-${process.arch}`
  const folder = requirePackage(name, version)
  return folder && join(folder, 'bin')
}

/** The folder of a package of npm, which is installed once. `undefined`, with a line that says so: it could not be installed. */
export function requirePackage(name: string, version: string): string | undefined {
  const prefix = join(TOOL_CACHE, `${name}-${version}`)
  const folder = join(prefix, 'node_modules', name)
  if (existsSync(folder)) return folder
  // Complete under its name: several processes may install at once, and one may be killed meanwhile.
  const aside = `${prefix}.${process.pid}`
  mkdirSync(aside, { recursive: true })
  try {
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
    const args = ['install', '--prefix', aside, ...flags, `${name}@${version}`]
    const { status } = spawnSync('npm', args, { cwd: aside, timeout: INSTALL_MS })
    if (status === 0 && !existsSync(prefix)) renameSync(aside, prefix)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
  if (existsSync(folder)) return folder
  process.stderr.write(`${name}@${version} could not be installed, so its tests are skipped\n`)
  return undefined
}
