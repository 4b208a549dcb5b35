import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `from '…'`, `import '…'` and `import('…')` of a relative path. */
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.[^'"]+)\.[jt]s['"]/g

/** The declaration files that `doors` import, directly or not, and the doors. */
export function neededTypes(doors: readonly string[]): Set<string> {
  const needed = new Set<string>()
  const visit = (file: string): void => {
    if (needed.has(file)) return
    needed.add(file)
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(IMPORT))
      visit(join(dirname(file), `${target}.d.ts`))
  }
  for (const door of doors) visit(door)
  return needed
}
