/** Fails when an import under src/ goes up the layer picture, into a folder it may not see, or round in a circle. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { MAY_IMPORT } from './layers.ts'

const SRC = join(import.meta.dirname, '../src')
// `import … from`, `import type … from`, `export … from`, `import '…'`, `import('…')`: only relative ones matter here.
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.[^'"]+)['"]/g

const problems: string[] = []
const importsOf = new Map<string, string[]>()

for (const entry of readdirSync(SRC, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.ts')) continue
  const file = relative(SRC, join(entry.parentPath, entry.name))
  const isTest = file.endsWith('.test.ts')
  const targets: string[] = []
  for (const match of readFileSync(join(SRC, file), 'utf8').matchAll(IMPORT)) {
    const target = relative(SRC, join(SRC, dirname(file), match[1] ?? ''))
    targets.push(target)
    // Tests may use testing/ and look anywhere: they wire.
    if (!isTest) checkLayer(file, target)
  }
  if (!isTest) importsOf.set(file, targets)
}
findCycles()

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  console.log(`layers: ${importsOf.size} files, no import goes up and none goes round`)
}

function folderOf(file: string): string {
  const cut = file.indexOf(sep)
  return cut < 0 ? '.' : file.slice(0, cut)
}

function checkLayer(file: string, target: string): void {
  const from = folderOf(file)
  const to = folderOf(target)
  const allowed = MAY_IMPORT[from]
  if (allowed === undefined)
    problems.push(`src/${file}: folder ${from}/ is not in scripts/layers.ts; give it a place there`)
  else if (target.startsWith('..')) problems.push(`src/${file} imports ${target}, outside src/`)
  else if (from !== to && !allowed.includes(to))
    problems.push(`src/${file} imports src/${target}: ${from}/ may not import ${to}/`)
}

/** Depth first; a file met again while still open closes a circle. */
function findCycles(): void {
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    const at = path.indexOf(file)
    if (at >= 0) {
      problems.push(`import cycle: ${[...path.slice(at), file].join(' -> ')}`)
      return
    }
    if (done.has(file)) return
    path.push(file)
    for (const target of importsOf.get(file) ?? []) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of importsOf.keys()) visit(file)
}
