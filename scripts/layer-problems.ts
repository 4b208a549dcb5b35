import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/**
 * Folder under src/ → what it may import from besides itself. Both are a layer (`adapters`: each folder in it) or one folder
 * of a layer (`adapters/duckdb`, whose own entry replaces that of its layer).
 */
export type LayerTable = Readonly<Record<string, readonly string[]>>

// `import … from`, `import type … from`, `export … from`, `import '…'`, `import('…')`: only relative ones matter here.
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.[^'"]+)['"]/g
const EXPORT = /^export (?:declare |abstract |async )*(?:class|function\*?|const|type|interface)\s+(\w+)/gm

/**
 * Problems of the source files below `src`: imports that the table does not allow (types included), imports from outside
 * `src`, import cycles, and names that two files share or export. Tests may import anything.
 */
export function layerProblems(src: string, table: LayerTable): { files: number; problems: string[] } {
  const files = new Map<string, readonly string[]>()
  const places = new Map<string, string[]>()
  const place = (name: string, file: string) => places.set(name, [...(places.get(name) ?? []), file])
  for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.name.endsWith('.test.ts')) continue
    const path = join(entry.parentPath, entry.name)
    const text = readFileSync(path, 'utf8')
    const file = relative(src, path)
    place(entry.name, file)
    for (const name of new Set(Array.from(text.matchAll(EXPORT), ([, exported = '']) => exported)))
      place(name, file)
    files.set(
      file,
      Array.from(text.matchAll(IMPORT), ([, target = '']) => relative(src, join(dirname(path), target))),
    )
  }
  return {
    files: files.size,
    problems: [...misplaced(files, table), ...cycles(files), ...sharedNames(places)],
  }
}

function* misplaced(files: ReadonlyMap<string, readonly string[]>, table: LayerTable): Generator<string> {
  for (const [file, imports] of files) {
    const from = folderOf(file)
    const allowed = table[from] ?? table[layerOf(from)]
    if (allowed === undefined) {
      yield `src/${file}: add the folder ${from}/ to scripts/layers.ts`
      continue
    }
    for (const target of imports) {
      const to = folderOf(target)
      if (layerOf(to) === '..') yield `src/${file} imports ${target}, outside src/`
      else if (to !== from && !allowed.includes(to) && !allowed.includes(layerOf(to)))
        yield `src/${file} imports src/${target}: ${from}/ may not use ${to}/`
    }
  }
}

/** Depth first; a file met again while still open closes a cycle. */
function* cycles(files: ReadonlyMap<string, readonly string[]>): Generator<string> {
  const done = new Set<string>()
  const open: string[] = []
  function* visit(file: string): Generator<string> {
    const at = open.indexOf(file)
    if (at >= 0) yield `import cycle: ${[...open.slice(at), file].join(' -> ')}`
    if (at >= 0 || done.has(file)) return
    open.push(file)
    for (const target of files.get(file) ?? []) yield* visit(target)
    open.pop()
    done.add(file)
  }
  for (const file of files.keys()) yield* visit(file)
}

/** A name with two meanings makes every reader look at the imports. */
function* sharedNames(places: ReadonlyMap<string, readonly string[]>): Generator<string> {
  for (const [name, files] of places)
    if (files.length > 1)
      yield `${name} is used twice: ${files.map((file) => `src/${file}`).join(', ')}; rename one`
}

/** The folder of a file that has a place in the table: one level deep, two in `domain`, `flows` and `adapters`. */
function folderOf(file: string): string {
  const folders = file.split(sep).slice(0, -1)
  return folders.slice(0, NESTED.has(folders[0] ?? '') ? 2 : 1).join('/') || '.'
}

const NESTED: ReadonlySet<string> = new Set(['domain', 'flows', 'adapters'])

function layerOf(folder: string): string {
  return folder.split('/')[0] ?? folder
}
