/** Deletes the declaration files of `dist/` that no door of the library needs: three quarters of them. */
import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { neededTypes } from './needed-types.ts'

const ROOT = join(import.meta.dirname, '..')
const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}
const doors = Object.values(exports).flatMap((door) =>
  typeof door === 'string' ? [] : [join(ROOT, door.types)],
)
const needed = neededTypes(doors)
for (const file of globSync(join(ROOT, 'dist/**/*.d.ts'))) if (!needed.has(file)) rmSync(file)
