import type { StoredFlag } from '../adapters/crawl-directory/settings-file.ts'
import type { GivenFlag } from './given-flags.ts'
import { PLACEHOLDER, withoutSecret } from './secret-flags.ts'
import { quotedWords } from './shell-quote.ts'
import type { Terminal } from './terminal.ts'

/** A command that resumes a run, for a shell. */
export interface ResumeCommand {
  readonly line: string
  /** Whether `…` stands for a value that may be a secret. */
  readonly hasSecret: boolean
}

/** @param words the command and its arguments, without seeds @param flags those that are needed again */
export function resumeLine(
  { program = 'orbweaver' }: Terminal,
  words: readonly string[],
  flags: readonly StoredFlag[],
): ResumeCommand {
  const shown = flags.flatMap(([name, value]) =>
    value === undefined ? [name] : [name, withoutSecret(name, value)],
  )
  return {
    line: quotedWords([...program.split(' '), ...words, ...shown]),
    hasSecret: shown.some((word) => word.endsWith(PLACEHOLDER)),
  }
}

/** `Resume with: orbweaver crawl my-crawl`, and a line about values that are not shown. */
export function resumeLines({ line, hasSecret }: ResumeCommand, when = 'Resume with'): string[] {
  return [
    `${when}: ${line}`,
    ...(hasSecret ? [`(${PLACEHOLDER} stands for a value that may be a secret; it is not stored)`] : []),
  ]
}

/** The flags of a run that the next one needs, too. */
export function repeatableFlags(given: readonly GivenFlag[]): StoredFlag[] {
  return given
    .filter(({ name }) => !ONCE.has(name))
    .map(({ name, value }) => (value === undefined ? [name] : [name, value]))
}

/** Flags that a resumed run does not need. */
const ONCE: ReadonlySet<string> = new Set(['--forget-settings', '--force', '--json', '--overwrite'])
