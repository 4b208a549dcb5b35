import { withoutUndefined } from '../src/base/without-undefined.ts'

/** A block of code in a Markdown text: its language, the name of its file if it has one, and its lines. */
export interface CodeBlock {
  readonly language: string
  readonly name?: string
  readonly code: string
}

/** A line of shell to run, and the files that are shown before it. */
export interface Step {
  readonly files: ReadonlyArray<{ readonly name: string; readonly code: string }>
  readonly line: string
}

/** All blocks, in order. ` ```ts quotes.ts ` names the file. */
export function codeBlocks(text: string): CodeBlock[] {
  return Array.from(
    text.matchAll(/^```([a-z]+)(?: ([\w.-]+))?\n(.*?)^```$/gms),
    ([, language = '', name, code = '']) => ({ language, ...withoutUndefined({ name }), code }),
  )
}

/** The steps of a reader: save the files and run the commands, in the order of the page. */
export function stepsOf(text: string): Step[] {
  const steps: Step[] = []
  let files: Array<{ name: string; code: string }> = []
  for (const { language, name, code } of codeBlocks(text)) {
    if (name !== undefined) files.push({ name, code })
    if (language !== 'sh') continue
    for (const line of runnableLines(code)) {
      steps.push({ files, line })
      files = []
    }
  }
  return steps
}

export function commandsOf(text: string): string[] {
  return stepsOf(text).map(({ line }) => line)
}

/** The lines that run Orbweaver, and their preparations. Lines that install or test the project are left out. */
function runnableLines(code: string): string[] {
  return (
    code
      .split('\n')
      // Programs after a pipe are not run.
      .map((line) =>
        line
          .replace(/^npm ci && /, '')
          .replace(/(?<!\|) \| .*/, '')
          .trim(),
      )
      .filter((line) => line !== '' && !/^(npm|#)/.test(line))
  )
}

/** Adds the missing properties to a part of a spider. */
export function spiderOf(part: string): string {
  const has = (pattern: RegExp): boolean => pattern.test(part)
  return `import { drop, request, retryLater, spider } from 'orbweaver'
import { z } from 'zod'

export const rows = new Map<number, object>()
export const used = [drop, request, retryLater, z]

export default spider({
name: 'part',
${has(/^(async )?\*?start\b|^sitemap:/m) ? '' : "start: ['https://quotes.example/'],"}
${has(/^(?:async )?\*?parse\(/m) ? '' : 'parse() {},'}
${part}
})
`
}

/** The names that a module re-exports, and the files they come from. */
export function reExports(module: string): { names: string[]; files: string[] } {
  const clauses = Array.from(module.matchAll(/^export (?:type )?\{([^}]*)\} from '(.*)'$/gm))
  return {
    names: clauses.flatMap(([, names = '']) => names.match(/(?!type\b)\b\w+\b/g) ?? []),
    files: clauses.map(([, , file = '']) => file),
  }
}

/** The `@example` blocks in the doc comments of a TypeScript file. */
export function commentExamples(source: string): string[] {
  return Array.from(source.matchAll(/^ *\* @example\n(.*?)(?=^ *\* @|^ *\*\/)/gms), ([, lines = '']) =>
    lines.replaceAll(/^ *\* ?/gm, '').replaceAll(/^```.*\n/gm, ''),
  )
}

/**
 * A module around an example of a doc comment.
 * @param exported the names that `orbweaver` exports
 */
export function moduleOf(example: string, exported: readonly string[]): string {
  const isUsed = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(example)
  if (example.startsWith('yield '))
    return spiderOf(`*parse(page) {\n${example}},\nhandlers: { results() {} },`)
  if (example.startsWith('out: ')) return moduleOf(`await runSpider(quotes, {\n${example}})`, exported)
  if (/^(async )?\*?\w+\(.*\{$|^\w+: /m.test(example.split('\n')[0] ?? '')) return spiderOf(example)
  const imported = exported.filter(isUsed)
  return [
    `import { ${imported.join(', ')} } from 'orbweaver'`,
    "import type { Crawl as AnyCrawl, Spider as AnySpider } from 'orbweaver'",
    "import { z } from 'zod'",
    isUsed('crawl') && !/\bcrawl =/.test(example) ? 'declare const crawl: AnyCrawl' : '',
    isUsed('quotes') ? 'declare const quotes: AnySpider<{ text: string }>' : '',
    isUsed('save') ? 'declare function save(items: object): Promise<void>' : '',
    isUsed('table') ? 'declare const table: { upsert(rows: object[]): Promise<void> }' : '',
    'export const used = [z]',
    example,
  ].join('\n')
}
