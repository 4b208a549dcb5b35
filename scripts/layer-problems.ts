import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/** Folder under src/ → the folders it may import from, besides itself. */
export type LayerTable = Readonly<Record<string, readonly string[]>>

// `import … from`, `import type … from`, `export … from`, `import '…'`, `import('…')`: only relative ones matter here.
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.[^'"]+)['"]/g

/**
 * What is wrong with the imports below `src`, types included: those that leave their place in `table`, those that leave
 * `src`, and those that go round. Tests are passed over: they wire, and may look anywhere.
 */
export function layerProblems(src: string, table: LayerTable): { files: number; problems: string[] } {
  const importsOf = new Map<string, string[]>()
  for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.name.endsWith('.test.ts')) continue
    const path = join(entry.parentPath, entry.name)
    const matches = readFileSync(path, 'utf8').matchAll(IMPORT)
    const targets = Array.from(matches, ([, target = '']) => relative(src, join(dirname(path), target)))
    importsOf.set(relative(src, path), targets)
  }
  return { files: importsOf.size, problems: [...misplaced(importsOf, table), ...cycles(importsOf)] }
}

function* misplaced(importsOf: ReadonlyMap<string, readonly string[]>, table: LayerTable): Generator<string> {
  for (const [file, targets] of importsOf) {
    const from = folderOf(file)
    const allowed = table[from]
    if (allowed === undefined) {
      yield `src/${file}: folder ${from}/ has no place in scripts/layers.ts; give it one`
      continue
    }
    for (const target of targets) {
      const to = folderOf(target)
      if (to === '..') yield `src/${file} imports ${target}, outside src/`
      else if (to !== from && !allowed.includes(to))
        yield `src/${file} imports src/${target}: ${from}/ may not use ${to}/`
    }
  }
}

/** Depth first; a file met again while still open closes a circle. */
function* cycles(importsOf: ReadonlyMap<string, readonly string[]>): Generator<string> {
  const done = new Set<string>()
  const open: string[] = []
  function* visit(file: string): Generator<string> {
    const at = open.indexOf(file)
    if (at >= 0) yield `import cycle: ${[...open.slice(at), file].join(' -> ')}`
    if (at >= 0 || done.has(file)) return
    open.push(file)
    for (const target of importsOf.get(file) ?? []) yield* visit(target)
    open.pop()
    done.add(file)
  }
  for (const file of importsOf.keys()) yield* visit(file)
}

function folderOf(file: string): string {
  const cut = file.indexOf(sep)
  return cut < 0 ? '.' : file.slice(0, cut)
}
