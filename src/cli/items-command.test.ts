import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson } from '../../testing/command-line.ts'
import { QUOTE_PAGES, QUOTES_ON_PAGE, QuoteSite } from '../../testing/quote-site.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { run } from './main.ts'

const QUOTES = QUOTE_PAGES * QUOTES_ON_PAGE
/** One of each page is refused. */
const PICKY = 'item: z.object({ text: z.string().regex(/-[^1]$/), author: z.string() }),'
const GOOD = QUOTES - QUOTE_PAGES

let site: QuoteSite
let dir: string

beforeAll(async () => {
  site = await QuoteSite.start()
  dir = site.path('crawl')
  await command(['run', site.quotes('picky', PICKY), '--dir', dir])
  site.web.judge.reset()
})

afterAll(() => site.close())

function itemsIn(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

describe('items', () => {
  it('writes all items again to each target, without asking anybody', async () => {
    const files = ['a.jsonl', 'a.json', 'a.csv', 'a.parquet'].map((file) => site.path(file))
    const { exitCode, stdout } = await command(['items', dir, ...files.flatMap((file) => ['--out', file])])
    expect(exitCode).toBe(0)
    expect(stdout).toBe(files.map((file) => `${GOOD} items written to ${file}\n`).join(''))
    const [jsonl = '', json = '', csv = '', parquet = ''] = files
    const items = itemsIn(readFileSync(jsonl, 'utf8'))
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(GOOD)
    expect(JSON.parse(readFileSync(json, 'utf8'))).toEqual(items)
    expect(readFileSync(csv, 'utf8').trimEnd().split('\n')).toHaveLength(GOOD + 1)
    expect(readFileSync(parquet).subarray(0, 4).toString()).toBe('PAR1')
    expect(site.web.judge.hits).toEqual([])
  })

  it('writes them to the standard output, and its report elsewhere', async () => {
    const { exitCode, stdout, stderr } = await command(['items', dir, '--out', '-'])
    expect(exitCode).toBe(0)
    expect(itemsIn(stdout)).toHaveLength(GOOD)
    expect(stderr).toBe(`${GOOD} items written to the standard output\n`)
  })

  it('writes those that the schema refused, with the reason', async () => {
    const { stdout } = await command(['items', dir, '--rejected', '--out', '-'])
    const rejected = itemsIn(stdout)
    expect(rejected).toHaveLength(QUOTE_PAGES)
    expect(rejected[0]).toMatchObject({
      reason: expect.stringContaining('text'),
      url: `${site.origin}/`,
      item: { text: 'Quote 1-1' },
    })
  })

  it('replaces a file only when told to', async () => {
    const file = site.path('mine.jsonl')
    writeFileSync(file, 'mine\n')
    const refused = await command(['items', dir, '--out', file])
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
    expect(refused.stderr).toContain(`${file} is there`)
    expect(readFileSync(file, 'utf8')).toBe('mine\n')
    expect(await commandJson(['items', dir, '--out', file, '--overwrite'])).toEqual({
      items: GOOD,
      feeds: [{ target: file, error: null }],
    })
    expect(itemsIn(readFileSync(file, 'utf8'))).toHaveLength(GOOD)
  })

  it('touches no file when there is nothing to write', async () => {
    const empty = site.path('empty')
    const file = site.path('empty.jsonl')
    await command(['run', site.quotes('none', 'parse() {},'), '--dir', empty])
    expect(await command(['items', empty, '--out', file])).toMatchObject({
      exitCode: 1,
      stdout: 'there is no item in this crawl\n',
    })
    expect(await command(['items', empty, '--rejected', '--out', file])).toMatchObject({
      exitCode: 1,
      stdout: 'there is no rejected item in this crawl\n',
    })
    expect(existsSync(file)).toBe(false)
  })

  it('does not pretend to be complete when interrupted', async () => {
    const terminal = new RecordingTerminal()
    terminal.interrupt()
    expect(await run(['items', dir, '--out', site.path('cut.jsonl')], terminal)).toBe(3)
    expect(terminal.stderr).toBe('error: interrupted: what was written is not complete\n')
  })

  it.each([
    ['no target', [], /--out/],
    ['a target of no known format', ['--out', 'a.xlsx'], /a\.xlsx: the format cannot be told/],
    ['a document beside the items', ['--out', '-', '--json'], /cannot both go to the standard output/],
  ])('refuses %s', async (_, flags, message) => {
    const { exitCode, stderr } = await command(['items', dir, ...flags])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(message)
  })

  it('says when there is no crawl', async () => {
    expect(await command(['items', site.path('nowhere'), '--out', '-'])).toMatchObject({ exitCode: 2 })
  })
})
