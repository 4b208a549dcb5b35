import { posix } from 'node:path'

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

interface Chunk {
  readonly type: 'chunk'
  readonly fileName: string
  code: string
}

interface PluginContext {
  parse(code: string): unknown
}

/** The file that has the only `import()` of the built program. */
export const IMPORTING_FILE = 'base/import-module.cjs'

/** A plugin that replaces `import(x)`, which is left for packages and files of users, by a call of `importModule`. */
export function lateImports() {
  return {
    name: 'late-imports',
    generateBundle(
      this: PluginContext,
      _: unknown,
      bundle: Readonly<Record<string, Chunk | { readonly type: 'asset' }>>,
    ): void {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk' && file.fileName !== IMPORTING_FILE && file.code.includes('import('))
          file.code = replaceImports(file.code, file.fileName, (code) => this.parse(code))
    },
  }
}

/** @throws Error for the import of a relative path, which would be resolved from another folder */
export function replaceImports(code: string, fileName: string, parse: (code: string) => unknown): string {
  const path = posix.relative(posix.dirname(fileName), IMPORTING_FILE)
  const call = `require("${path.startsWith('.') ? path : `./${path}`}").importModule`
  let replaced = code
  // From the end, so that positions stay valid.
  for (const { start, end } of importsIn(parse(code)).toSorted((a, b) => b.start - a.start)) {
    const expression = code.slice(start, end)
    if (/^import\(\s*["'`]\./.test(expression)) throw new Error(`${fileName}: ${expression} is relative`)
    replaced = replaced.slice(0, start) + call + replaced.slice(start + 'import'.length)
  }
  return replaced
}

function importsIn(tree: unknown): Node[] {
  const found: Node[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('type' in value && value.type === 'ImportExpression') found.push(value as Node)
    for (const child of Object.values(value)) visit(child)
  }
  visit(tree)
  return found
}
