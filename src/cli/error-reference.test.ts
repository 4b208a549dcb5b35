import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CodeComment, codeComments, errorCodes } from '../../testing/code-comments.ts'
import { markdownTable } from '../../testing/markdown-table.ts'
import { CONFIGURATION_CODES, ConfigurationError } from '../base/crawl-error.ts'
import { EVENTS } from '../base/event-codes.ts'
import { EXIT } from './command-context.ts'
import { USAGE_ERRORS } from './exit-code.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'docs/error-codes.md')
const GENERATED = /(?<=<!-- codes: generated -->\n)[\s\S]*(?=<!-- codes: end -->)/
const COMMENTS = codeComments(ROOT)
const UNUSABLE_CODES = ['CRAWL_BUSY', 'CRAWL_CLOSED', 'CRAWL_READ_ONLY']

// After a change of a code or its comment, `npx vitest run --project unit src/cli/error-reference -u` updates the page.
it('matches docs/error-codes.md', async () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toMatch(GENERATED)
  await expect(page.replace(GENERATED, () => `\n${reference()}\n`)).toMatchFileSnapshot(PAGE)
})

describe('the comments on codes', () => {
  it('explain every error', () => {
    expect(errorCodes(ROOT)).toContain('CRAWL_DIRECTORY_LOCKED')
    expect(errorsOfClasses().map(({ code }) => code)).toEqual([...errorCodes(ROOT), ...UNUSABLE_CODES].sort())
  })

  it('explain every configuration error', () => {
    expect(configurationErrors().map(({ code }) => code)).toEqual([...CONFIGURATION_CODES].sort())
  })

  it('explain every event', () => {
    expect(Object.keys(EVENTS).filter((code) => commentOn(code) === undefined)).toEqual([])
  })

  it('have a cause, and a remedy unless the event is for information only', () => {
    const incomplete = COMMENTS.filter(({ code, cause, remedy }) => {
      const level = (EVENTS as Readonly<Record<string, readonly string[]>>)[code]?.[1]
      const needsRemedy = level === undefined || level === 'warning' || level === 'error'
      return cause === '' || (needsRemedy && remedy === '')
    })
    expect(incomplete).toEqual([])
  })
})

it('lists every exit code', () => {
  expect(firstColumn('## Exit codes')).toEqual(Object.values(EXIT).map(String))
})

it('lists every code of a failed request', () => {
  const listed = firstColumn('## Failed requests')
  expect(failedRequestCodes().filter((code) => !listed.includes(code))).toEqual([])
})

/** Codes in the sources of spiders, and those made of the causes of failed requests. */
function failedRequestCodes(): string[] {
  const codes = new Set<string>()
  for (const name of globSync('src/flows/spider/*.ts', { cwd: ROOT }).filter(
    (file) => !file.endsWith('.test.ts'),
  ))
    for (const [, code = ''] of readFileSync(join(ROOT, name), 'utf8').matchAll(
      /code: '([a-z]+(?:-[a-z]+)+)'/g,
    ))
      codes.add(code)
  const outcomes = readFileSync(join(ROOT, 'src/domain/fetch/fetch-outcome.ts'), 'utf8')
  for (const [type, prefix] of [
    ['NetworkFailureCause', 'network'],
    ['RefusalCause', 'refused'],
  ]) {
    const [, members = ''] = new RegExp(`type ${type} =([^\\n]*(?:\\n +\\|[^\\n]*)*)`).exec(outcomes) ?? []
    for (const [, cause = ''] of members.matchAll(/'([a-z-]+)'/g)) codes.add(`${prefix}-${cause}`)
  }
  expect(codes).toContain('network-dns-not-found')
  expect(codes).toContain('handler-timeout')
  return [...codes]
}

/** The codes in the first column of the table below a heading. */
function firstColumn(heading: string): string[] {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split(`\n${heading}\n`)
  const [table = ''] = section.split(/\n#+ |\n<!--/)
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, code = '']) => code)
}

function commentOn(code: string): CodeComment | undefined {
  return COMMENTS.find((comment) => comment.code === code)
}

function errorsOfClasses(): CodeComment[] {
  return byCode(
    COMMENTS.filter(({ className, code }) => className !== undefined || UNUSABLE_CODES.includes(code)),
  )
}

function configurationErrors(): CodeComment[] {
  return byCode(COMMENTS.filter(({ code }) => (CONFIGURATION_CODES as readonly string[]).includes(code)))
}

function byCode(comments: readonly CodeComment[]): CodeComment[] {
  return comments.toSorted((a, b) => (a.code < b.code ? -1 : 1))
}

function exitCode(className: string | undefined): number {
  return USAGE_ERRORS.some(({ name }) => name === className) ? EXIT.usage : EXIT.failed
}

function reference(): string {
  const headings = ['code', 'cause', 'what to do']
  const rowOf = ({ code, cause, remedy }: CodeComment) => [`\`${code}\``, cause, remedy]
  const logRows = (levels: readonly string[]) =>
    Object.entries(EVENTS).flatMap(([code, [topic, level]]) => {
      const { cause = '', remedy = '' } = commentOn(code) ?? {}
      return levels.includes(level) ? [[`\`${code}\``, level, topic, cause, remedy]] : []
    })
  return [
    '## Errors of flags, settings and files',
    `The message names the flag, the key or the file, and the expected value. The exit code is ${exitCode(ConfigurationError.name)}.`,
    markdownTable(headings, configurationErrors().map(rowOf)),
    '## Errors',
    `The exit code is that of a command which the error ends. An error in a handler fails its page, an error
of a server is in its response, and an error of the library is thrown: then there is no exit code.`,
    markdownTable(
      [...headings, 'exit code'],
      errorsOfClasses().map((error) => [...rowOf(error), String(exitCode(error.className))]),
    ),
    '## Warnings and errors in the log',
    markdownTable(['code', 'level', 'topic', 'cause', 'what to do'], logRows(['error', 'warning'])),
    '## Other events of the log',
    'These events are for information. [Logs](logs.md) explains levels and topics.',
    markdownTable(
      ['code', 'level', 'topic', 'meaning'],
      logRows(['notice', 'info', 'debug', 'trace']).map((row) => row.slice(0, 4)),
    ),
  ].join('\n\n')
}
