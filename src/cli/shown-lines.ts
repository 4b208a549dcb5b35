import { printable } from '../base/printable.ts'

/** Several lines, indented as they are, without anything that could act on a terminal. */
export function shownLines(text: string): string {
  return text
    .split('\n')
    .map((line) => `${/^ */.exec(line)?.[0] ?? ''}${printable(line, MAX_LINE)}`)
    .join('\n')
}

const MAX_LINE = 2_000
