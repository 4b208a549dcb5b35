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
  /** The counts in the output that the page shows: `5 pages and 18 items`. */
  readonly printed?: string
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
    if (language === 'text') noteOutput(steps, code)
    if (language !== 'sh') continue
    for (const line of runnableLines(code)) {
      steps.push({ files, line })
      files = []
    }
  }
  return steps
}

/** The output of a spider belongs to the last command before it that runs one. */
function noteOutput(steps: Step[], output: string): void {
  const [, printed] = /^([\d,]+ pages? and [\d,]+ items?) in /m.exec(output) ?? []
  const at = steps.findLastIndex(({ line }) => line.includes('orbweaver run'))
  const step = steps[at]
  if (printed !== undefined && step !== undefined) steps[at] = { ...step, printed }
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

/** A name that a module of the package exports. */
export interface ExportedName {
  readonly name: string
  readonly isType: boolean
  /** The file it comes from, relative to the module. */
  readonly file: string
}

/** The names that a module re-exports. */
export function reExports(module: string): ExportedName[] {
  return Array.from(module.matchAll(/^export (type )?\{([^}]*)\} from '(.*)'$/gm)).flatMap(
    ([, type, names = '', file = '']) =>
      Array.from(names.matchAll(/(type )?\b(\w+)\b(?=,|\s*$)/g), ([, one, name = '']) => ({
        ...{ name, file },
        isType: (type ?? one) !== undefined,
      })),
  )
}

/** The `@example` blocks in the doc comments of a TypeScript file. */
export function commentExamples(source: string): string[] {
  return Array.from(source.matchAll(/^ *\* @example\n(.*?)(?=^ *\* @|^ *\*\/)/gms), ([, lines = '']) =>
    lines.replaceAll(/^ *\* ?/gm, '').replaceAll(/^```.*\n/gm, ''),
  )
}

/**
 * A module around an example of a doc comment.
 * @param exported the names that the package exports, each with its module
 */
export function moduleOf(
  example: string,
  exported: ReadonlyArray<ExportedName & { readonly module: string }>,
): string {
  const isUsed = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(example)
  const isDeclared = (name: string): boolean => new RegExp(`\\b${name} =`).test(example)
  if (example.startsWith('yield '))
    return spiderOf(`*parse(page) {\n${example}},\nhandlers: { results() {} },`)
  if (example.startsWith('out: ')) return moduleOf(`await runSpider(quotes, {\n${example}})`, exported)
  if (/^(async )?\*?\w+\(.*\{$|^\w+: /m.test(example.split('\n')[0] ?? '')) return spiderOf(example)
  return [
    ...exported
      .filter(({ name }) => isUsed(name))
      .map(({ name, isType, module }) => `import ${isType ? 'type ' : ''}{ ${name} } from '${module}'`),
    "import type { Crawl as AnyCrawl, Spider as AnySpider } from 'orbweaver'",
    "import type { HttpFetcher as AnyFetcher } from 'orbweaver/http'",
    "import type { CheckParts as AnyParts } from 'orbweaver/politeness'",
    "import { z } from 'zod'",
    isUsed('crawl') && !isDeclared('crawl') ? 'declare const crawl: AnyCrawl' : '',
    isUsed('quotes') ? 'declare const quotes: AnySpider<{ text: string }>' : '',
    isUsed('save') ? 'declare function save(items: object): Promise<void>' : '',
    isUsed('table') ? 'declare const table: { upsert(rows: object[]): Promise<void> }' : '',
    isUsed('fetcher') && !isDeclared('fetcher') ? 'declare const fetcher: AnyFetcher' : '',
    isUsed('parts') ? 'declare const parts: AnyParts' : '',
    'export const used = [z]',
    example,
  ].join('\n')
}

/** A module that compares the results of an example with those that it states: `expression // → result`. */
export function checkedModule(module: string): string {
  const checks = module.replaceAll(
    /^(.+) \/\/ → (.+)$/gm,
    (_, expression: string, result: string) => `deepStrictEqual(${expression}, ${result})`,
  )
  return `import { deepStrictEqual } from 'node:assert/strict'\n${checks}`
}
