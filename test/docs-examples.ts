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

/** In their order. ` ```ts quotes.ts ` names the file. */
export function codeBlocks(text: string): CodeBlock[] {
  return Array.from(
    text.matchAll(/^```([a-z]+)(?: ([\w.-]+))?\n(.*?)^```$/gms),
    ([, language = '', name, code = '']) => ({ language, ...withoutUndefined({ name }), code }),
  )
}

/** What a reader of a page does: save its files, and run its commands, in the order of the page. */
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

/** The lines that run Orbweaver, and what prepares them; installing and testing is done already. */
function runnableLines(code: string): string[] {
  return (
    code
      .split('\n')
      // What follows a pipe is another program's affair.
      .map((line) =>
        line
          .replace(/^npm ci && /, '')
          .replace(/(?<!\|) \| .*/, '')
          .trim(),
      )
      .filter((line) => line !== '' && !/^(npm|#)/.test(line))
  )
}

/** A whole spider around a part of one, with what it lacks. */
export function spiderOf(part: string): string {
  const has = (pattern: RegExp): boolean => pattern.test(part)
  return `import { drop, request, retryLater, spider } from 'orbweaver'
import { z } from 'zod'

export const rows = new Map<number, object>()
export const used = [drop, request, retryLater, z]

export default spider({
name: 'part',
${has(/^(async )?\*?start\b|^sitemap:/m) ? '' : "start: ['https://quotes.example/'],"}
${has(/^\*?parse\(/m) ? '' : 'parse() {},'}
${part}
})
`
}
