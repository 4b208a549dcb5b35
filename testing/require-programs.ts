import { spawnSync } from 'node:child_process'
import { installPackages } from './install-packages.ts'

/** Installs Debian packages for programs that are missing, when we may. Returns the programs that are there, with a line for each other one. */
export function requirePrograms(...names: readonly string[]): Set<string> {
  const isInstalled = (name: string) => spawnSync('which', [name]).status === 0
  const missing = names.filter((name) => !isInstalled(name))
  if (missing.length > 0) installPackages(...missing)
  const found = names.filter(isInstalled)
  for (const name of missing.filter((one) => !found.includes(one)))
    process.stderr.write(`${name} is not installed, so its tests are skipped: apt-get install ${name}\n`)
  return new Set(found)
}
