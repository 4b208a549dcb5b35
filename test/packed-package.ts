import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runProgram } from './run-orbweaver.ts'

const ROOT = join(import.meta.dirname, '..')

/**
 * Packs the package as `npm publish` does, into `folder`. Returns the path of the archive. The package is a copy, whose `prepare` and
 * `prepack` do not build: they would delete dist/ while other tests use it.
 */
export async function packPackage(folder: string): Promise<string> {
  const copy = join(folder, 'package')
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
    readonly files: readonly string[]
  }
  const files = ['README.md', 'LICENSE', 'scripts/packed-manifest.js', ...manifest.files]
  for (const name of files.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))) {
    mkdirSync(dirname(join(copy, name)), { recursive: true })
    cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  }
  const { prepare: _, prepack = '', ...scripts } = manifest.scripts
  const withoutBuild = { ...scripts, prepack: prepack.replace('npm run build && ', '') }
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, scripts: withoutBuild }))
  const packed = await runProgram('npm', ['pack', '--pack-destination', folder], copy)
  if (packed.exitCode !== 0) throw new Error(packed.stderr)
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  return join(folder, archive)
}
