import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CONFIGURATION_CODES } from '../base/crawl-error.ts'
import { EVENTS } from '../base/event-codes.ts'
import { EXIT } from './command-context.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8')

/** The first column of the tables below a heading. */
function documented(heading: string): string[] {
  const [, section = ''] = PAGE.split(`\n${heading}\n`)
  const [table = ''] = section.split(/\n#+ /)
  return [...table.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, code = '']) => code)
}

/** The codes in the definitions of our errors. */
function errorCodes(): string[] {
  const codes = new Set<string>()
  for (const file of globSync('src/**/*.ts', { cwd: ROOT }).filter((name) => !name.endsWith('.test.ts')))
    for (const [, line = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(
      /extends CrawlError \{\n\s+readonly code(.*)/g,
    ))
      for (const [, code = ''] of line.matchAll(/'([A-Z_]+)'/g)) codes.add(code)
  return [...codes]
}

it('explains every warning and error of the log, and no other code', () => {
  const codes = Object.entries(EVENTS).flatMap(([code, [, level]]) =>
    level === 'warning' || level === 'error' ? [code] : [],
  )
  expect(documented('### Warnings and errors in the log')).toEqual(codes.sort())
})

it('explains every error, and no other code', () => {
  expect(errorCodes()).toContain('CRAWL_DIRECTORY_LOCKED')
  expect(documented('### Errors')).toEqual(errorCodes().sort())
})

it('explains every configuration error, and no other code', () => {
  expect(documented('### Errors in flags, settings and files')).toEqual([...CONFIGURATION_CODES].sort())
})

it('explains every exit code', () => {
  expect(documented('## Exit codes')).toEqual(Object.values(EXIT).map(String))
})
