import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../../testing/crawl-directory.ts'
import { frontierContract } from '../../../../testing/frontier-contract.ts'
import type { OpenFrontier } from '../../../../testing/frontier-plan.ts'
import { openTestDirectory } from '../../../../testing/open-test-directory.ts'
import { defaultRules } from '../../../../testing/rule-sets.ts'
import type { Clock } from '../../../base/clock.ts'
import type { CrawlRequest } from '../../../domain/frontier/crawl-request.ts'
import type { Frontier, FrontierOptions, LeasedRequest } from '../../../domain/frontier/frontier.ts'
import type { Settlement } from '../../../domain/frontier/settlement.ts'
import type { FetchRow } from '../../../domain/segment/segment-rows.ts'
import { openCrawlDirectory } from '../open-crawl-directory.ts'
import { openCrawlDirectoryToRead } from '../open-crawl-directory-to-read.ts'

const OPTIONS = { command: 'test', memoryMb: 160, threads: 1 }

frontierContract(
  'DuckFrontier',
  async (clock, options) => open(await mkdtemp(join(tmpdir(), 'orbweaver-')), clock, options),
  { runs: 8, persists: true },
)

async function open(path: string, clock: Clock, options: FrontierOptions): Promise<OpenFrontier> {
  const directory = await openTestDirectory(path, { ...OPTIONS, clock })
  return {
    frontier: directory.frontier({ ...options, rules: defaultRules }),
    items: directory.items,
    deadLetters: directory.deadLetters,
    async reopen() {
      await directory.close()
      return open(path, clock, options)
    },
    async close() {
      await directory.close()
      await rm(path, { recursive: true, force: true })
    },
  }
}

const A = 'http://a.test/'
const B = 'http://b.test/'
const NOW = 1_800_000_000_000

describe('DuckFrontier', () => {
  let crawl: TestCrawl
  let frontier: Frontier
  beforeEach(async () => {
    crawl = await TestCrawl.create()
    frontier = crawl.directory.frontier({ rules: defaultRules })
  })
  afterEach(() => crawl.remove())

  async function leaseOne(): Promise<LeasedRequest> {
    const [host] = await frontier.lease({ requests: 1, perHost: 1, now: Date.now() })
    const [leased] = host?.requests ?? []
    if (leased === undefined) throw new Error('nothing was handed out')
    return leased
  }

  it('stores why a request waits', async () => {
    await frontier.add([request(A)])
    await frontier.settle([
      { ...done(await leaseOne()), end: { kind: 'retry', at: NOW, reason: 'HTTP 503' } },
    ])
    const { rows } = await crawl.directory.reader.sql('SELECT host, url, attempt, due, reason FROM requests')
    expect(rows).toEqual([['a.test', A, 2, NOW, 'HTTP 503']])
  })

  it('changes nothing when a change fails, and the change can be repeated', async () => {
    await frontier.add([request(A)])
    const leased = await leaseOne()
    const broken = { ...done(leased), items: [{ n: 1 }], fetch: row(A, { signature: 'no hex' }) }
    await expect(frontier.settle([broken])).rejects.toThrow()
    expect(await crawl.directory.items.items(0, 10)).toEqual([])
    expect(await frontier.settle([{ ...broken, fetch: row(A) }])).toMatchObject({ ignored: 0 })
    expect(await crawl.directory.items.items(0, 10)).toHaveLength(1)
  })

  it('shows items and failures to readers', async () => {
    await frontier.add([request(A), request(B)])
    await frontier.settle([
      { ...done(await leaseOne()), items: [{ n: 1 }], rejected: [{ item: {}, reason: 'empty' }] },
    ])
    await frontier.settle([{ ...done(await leaseOne()), end: { kind: 'failed', code: 'x', reason: 'y' } }])
    await crawl.directory.close()
    const reading = await openCrawlDirectoryToRead(crawl.path, OPTIONS)
    expect(await reading.items.items(0, 10)).toEqual([{ position: 1, url: A, item: { n: 1 } }])
    expect(await reading.items.rejected(0, 10)).toMatchObject([{ url: A, reason: 'empty' }])
    expect(await reading.deadLetters.failed({ host: 'b.test' })).toHaveLength(1)
    await expect(reading.deadLetters.retryFailed()).rejects.toThrow()
    await reading.close()
    crawl.directory = await openCrawlDirectory(crawl.path, OPTIONS)
  })

  it('is added to a directory of an older version when it is opened for writing', async () => {
    await crawl.inject([A])
    await crawl.directory.close()
    const instance = await DuckDBInstance.create(join(crawl.path, 'crawldb.duckdb'))
    const connection = await instance.connect()
    for (const table of ['requests', 'seen', 'failed_requests', 'items', 'rejected_items', 'spider_state']) {
      await connection.run(`DROP TABLE ${table}`)
    }
    connection.disconnectSync()
    instance.closeSync()

    const reading = await openCrawlDirectoryToRead(crawl.path, OPTIONS)
    expect(await reading.items.items(0, 10)).toEqual([])
    expect(await reading.items.rejected(0, 10)).toEqual([])
    expect(await reading.deadLetters.failed()).toEqual([])
    await reading.close()

    crawl.directory = await openCrawlDirectory(crawl.path, OPTIONS)
    frontier = crawl.directory.frontier({ rules: defaultRules })
    expect(await frontier.add([request(B)])).toEqual({ added: 1, duplicates: 0 })
    expect((await crawl.db.stats()).total).toBe(2)
  })
})

function request(url: string, more: Partial<CrawlRequest> = {}): CrawlRequest {
  return { url, handler: 'parse', depth: 0, ...more }
}

function done({ id }: LeasedRequest): Settlement {
  return { id, end: { kind: 'done' }, requests: [], items: [], rejected: [] }
}

function row(url: string, more: Partial<FetchRow> = {}): FetchRow {
  return { url, status: 'fetch_success', protocolStatus: 'SUCCESS', fetchedAt: NOW, ...more }
}
