import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls } from '../../testing/command-line.ts'
import type { CrawlDbStats } from '../domain/crawldb/crawl-db.ts'

let crawls: DemoCrawls
let dir: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = await crawls.crawl('crawl')
})

afterAll(() => crawls.close())

describe('readdb --stats', () => {
  it('has the figures that other programs rely on', async () => {
    const stats = await commandJson<CrawlDbStats>(['readdb', dir, '--stats'])
    expect(stats).toMatchObject({ hosts: 2, generated: 0, statuses: { db_redir_perm: 1 } })
    expect(stats.total).toBe(Object.values(stats.statuses).reduce((sum, n) => sum + n, 0))
    const { min = Number.NaN, avg = Number.NaN, max = Number.NaN } = stats.score
    expect(min <= avg && avg <= max).toBe(true)
  })

  it('is what people see without any flag', async () => {
    const { exitCode, stdout } = await command(['readdb', dir])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^URLs +\d+\n/)
    expect(stdout).toMatch(/^ {2}db_fetched +\d+$/m)
    expect(stdout).toMatch(/^hosts +2 in 2 domains$/m)
  })
})

describe('readdb --url', () => {
  it('gives the whole record', async () => {
    const url = crawls.web.url('home', '/')
    expect(await commandJson(['readdb', dir, '--url', url])).toEqual({
      url,
      status: 'db_fetched',
      lastOutcome: { httpStatus: 200, protocolStatus: 'SUCCESS' },
      fetchTime: expect.stringMatching(ISO) as string,
      modifiedTime: expect.stringMatching(ISO) as string,
      fetchInterval: 2_592_000,
      retries: 0,
      score: expect.any(Number) as number,
      signature: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      validators: { etag: expect.any(String) as string, lastModified: expect.any(String) as string },
      metadata: {},
      lastFetchTime: expect.stringMatching(ISO) as string,
      generatedIn: null,
    })
    const { stdout } = await command(['readdb', dir, '--url', `${url}#top`])
    expect(stdout).toMatch(/^fetch interval +30 d$/m)
  })

  it('exits with 1 if the URL is not in the CrawlDb', async () => {
    const url = 'http://unknown.test/'
    expect(await command(['readdb', dir, '--url', url])).toMatchObject({
      exitCode: 1,
      stdout: `${url} is not in the CrawlDb\n`,
    })
    expect(await commandJson(['readdb', dir, '--url', url])).toBeNull()
  })
})

describe('readdb --dump', () => {
  it('writes CSV with a head', async () => {
    const file = crawls.path('gone.csv')
    const { stdout } = await command(['readdb', dir, '--dump', file, '--status', 'gone'])
    const [head = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(head).toMatch(/^url,host,domain,status,/)
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.every((line) => line.includes('db_gone'))).toBe(true)
    expect(stdout).toBe(`${lines.length} ${lines.length === 1 ? 'record' : 'records'} written to ${file}\n`)
  })

  it('writes the best of one host as JSON lines', async () => {
    const file = crawls.path('best.jsonl')
    const { hostname } = new URL(crawls.web.url('home', '/'))
    const flags = ['--format', 'jsonl', '--host', hostname, '--top-n', '2']
    expect(await commandJson(['readdb', dir, '--dump', file, ...flags])).toEqual({ file, records: 2 })
    const rows = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(rows.map((row) => (JSON.parse(row) as { host: string }).host)).toEqual([hostname, hostname])
  })

  it('writes Parquet', async () => {
    const file = crawls.path('all.parquet')
    await command([
      'readdb',
      dir,
      '--dump',
      file,
      '--format',
      'parquet',
      '--regex',
      '.*/',
      '--expr',
      'score > 0',
    ])
    expect(readFileSync(file).subarray(0, 4).toString()).toBe('PAR1')
  })
})

describe('readdb --top-n', () => {
  it('shows the records with the highest scores', async () => {
    const rows = await commandJson<{ url: string; score: number }[]>(['readdb', dir, '--top-n', '3'])
    const scores = rows.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(rows).toHaveLength(3)
    const { stdout } = await command(['readdb', dir, '--top-n', '3'])
    expect(stdout.split('\n').map((line) => line.split('\t')[2])).toEqual([
      ...rows.map(({ url }) => url),
      undefined,
    ])
  })

  it('shows those that match an expression and have a minimum score', async () => {
    const least = 0.5
    const flags = ['--top-n', '100', '--min-score', String(least), '--expr', "status = 'db_fetched'"]
    const rows = await commandJson<{ status: string; score: number }[]>(['readdb', dir, ...flags])
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every(({ status, score }) => status === 'db_fetched' && score >= least)).toBe(true)
    const none = await command(['readdb', dir, '--top-n', '1', '--min-score', '1e9'])
    expect(none).toMatchObject({ exitCode: 1, stdout: '' })
  })
})

describe('readdb --sql', () => {
  it('gives rows as a table and as JSON', async () => {
    const sql = 'select status, host from crawldb order by score desc limit 1'
    const { stdout } = await command(['readdb', dir, '--sql', sql])
    expect(stdout).toMatch(/^status\thost\ndb_fetched\t[\d.]+\n$/)
    expect(await commandJson(['readdb', dir, '--sql', sql])).toMatchObject([{ status: 'db_fetched' }])
  })

  it('ends with 1 when there is no row', async () => {
    expect((await command(['readdb', dir, '--sql', 'select 1 where false'])).exitCode).toBe(1)
  })
})

it.each([
  [['--stats', '--url', 'http://a.test/'], 'use only one of --stats, --url, --sql, and --dump'],
  [['--status', 'gone'], 'need --dump <file>'],
  [['--sql', ' '], '--sql is empty'],
  [['--sql', 'delete from urls'], 'only SELECT'],
  [['--sql', 'select 1; select 2'], 'give one SELECT'],
  [['--sql', 'selec 1'], 'syntax error'],
  [['--url', 'nonsense'], '"nonsense" is not a URL that can be crawled'],
  [['--dump', 'x', '--status', 'lost'], 'there is no status "lost"'],
  [['--dump', 'x', '--regex', '('], 'the pattern "(" cannot be used'],
])('refuses %j', async (flags, message) => {
  const { exitCode, stdout, stderr } = await command(['readdb', dir, ...flags])
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
})

it('tells in one line that a file cannot be written', async () => {
  expect(await command(['readdb', dir, '--dump', `${dir}/no/x.csv`])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringMatching(/^error: .*\/no\/x\.csv: no such file or directory\n$/) as string,
  })
})

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
