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

const sum = (values: readonly number[]) => values.reduce((total, n) => total + n, 0)

describe('domainstats', () => {
  it.each(['host', 'domain', 'suffix', 'tld'])('counts the pages of each %s once', async (by) => {
    const { total, statuses } = await commandJson<CrawlDbStats>(['readdb', dir])
    const rows = await commandJson<{ fetched: number; notFetched: number }[]>([
      'domainstats',
      dir,
      '--by',
      by,
    ])
    const fetched = sum(rows.map((row) => row.fetched))
    expect(fetched).toBe((statuses.db_fetched ?? 0) + (statuses.db_duplicate ?? 0))
    expect(fetched + sum(rows.map((row) => row.notFetched))).toBe(total)
  })

  it('prints a table, or CSV', async () => {
    const { stdout } = await command(['domainstats', dir, '--by', 'host', '--limit', '1'])
    expect(stdout).toMatch(/^host +fetched +not fetched\n\S+ +\d+ +\d+\n$/)
    const csv = (await command(['domainstats', dir, '--by', 'host', '--csv'])).stdout
    expect(csv).toMatch(/^name,fetched,notFetched\r\n(?:[\d.]+,\d+,\d+\r\n){2}$/)
  })

  it('rejects --csv with --json', async () => {
    expect(await command(['domainstats', dir, '--csv', '--json'])).toMatchObject({ exitCode: 2 })
  })
})

describe('crawlcomplete', () => {
  it('shows the share of URLs that were requested, the least complete host first', async () => {
    const rows = await commandJson<{ percent: number; unfetched: number; fetched: number }[]>([
      'crawlcomplete',
      dir,
    ])
    expect(rows).toHaveLength(2)
    expect(rows[0]?.unfetched).toBeGreaterThanOrEqual(rows[1]?.unfetched ?? 0)
    for (const { percent, unfetched } of rows) expect(percent === 100).toBe(unfetched === 0)
  })
})
