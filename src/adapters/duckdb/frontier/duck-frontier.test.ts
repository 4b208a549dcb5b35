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

  describe('leases requests of settlements that are not stored yet: it', () => {
    const ALL = { requests: 10, perHost: 10, now: NOW }
    const C = 'http://c.test/'

    /** A is leased, and its page has these requests. */
    async function found(...requests: readonly CrawlRequest[]): Promise<Settlement> {
      await frontier.add([request(A)])
      return { ...done(await leaseOne()), fetch: row(A), requests }
    }

    function unstored(settlements: readonly Settlement[], options = ALL): LeasedRequest[] | undefined {
      return frontier.leaseUnstored?.(settlements, options)?.flatMap(({ requests }) => requests)
    }

    function stored() {
      return crawl.directory.reader
        .sql('SELECT url, attempt FROM requests ORDER BY seq')
        .then(({ rows }) => rows)
    }

    it('leases new and due ones, once, and stores them with their results', async () => {
      const links = [A, B, B].map((url) => request(url))
      const parent = await found(...links, request(C, { notBefore: NOW + 1 }))
      const [child, ...others] = unstored([parent]) ?? []
      expect(child).toMatchObject({ request: { url: B }, attempt: 1 })
      expect(others).toEqual([])
      expect(unstored([parent])).toEqual([])
      expect(await frontier.pending(NOW)).toMatchObject({ ready: 0, leased: 2 })
      if (child === undefined) return

      const settlements = [parent, { ...done(child), fetch: row(B), items: [{ n: 1 }] }]
      expect(await frontier.settle(settlements)).toEqual({ added: 2, duplicates: 2, ignored: 0, queued: 1 })
      expect(await frontier.pending(NOW)).toMatchObject({ ready: 0, delayed: 1, leased: 0 })
      expect(await stored()).toEqual([[C, 1]])
      expect(await crawl.directory.items.items(0, 10)).toHaveLength(1)
      expect(await frontier.add([request(B)])).toEqual({ added: 0, duplicates: 1 })
    })

    it('updates the CrawlDb as if it had been stored before', async () => {
      const record = 'SELECT * FROM crawldb ORDER BY url'
      const parent = await found(request(B))
      const [child] = unstored([parent]) ?? []
      if (child === undefined) throw new Error('not leased')
      await frontier.settle([parent, { ...done(child), fetch: row(B) }])
      const { rows } = await crawl.directory.reader.sql(record)

      const other = await TestCrawl.create()
      const plain = other.directory.frontier({ rules: defaultRules })
      const lease = async () => {
        const [host] = await plain.lease(ALL)
        return host?.requests[0] ?? child
      }
      await plain.add([request(A)])
      await plain.settle([{ ...done(await lease()), fetch: row(A), requests: [request(B)] }])
      await plain.settle([{ ...done(await lease()), fetch: row(B) }])
      expect(rows).toEqual((await other.directory.reader.sql(record)).rows)
      expect(rows).toHaveLength(2)
      await other.remove()
    })

    it.each([
      [{ kind: 'retry', at: 0, reason: 'HTTP 503' } as const, 2],
      [{ kind: 'requeue' } as const, 1],
    ])('queues one that must be sent again: %o', async (end, attempt) => {
      const parent = await found(request(B))
      const [child] = unstored([parent]) ?? []
      if (child === undefined) throw new Error('not leased')
      expect(await frontier.settle([parent, { ...done(child), end }])).toMatchObject({ queued: 1 })
      expect(await stored()).toEqual([[B, attempt]])
      expect(await leaseOne()).toMatchObject({ request: { url: B }, attempt })
    })

    it('settles one after its parent was stored', async () => {
      const parent = await found(request(B))
      const [child] = unstored([parent]) ?? []
      if (child === undefined) throw new Error('not leased')
      expect(await frontier.settle([parent])).toMatchObject({ added: 1, queued: 0 })
      expect(await frontier.lease(ALL)).toEqual([])
      await frontier.settle([done(child)])
      expect(await stored()).toEqual([])
    })

    it('loses nothing in a crash before they are stored', async () => {
      const parent = await found(request(B))
      expect(unstored([parent])).toHaveLength(1)
      await crawl.directory.close()
      crawl.directory = await openCrawlDirectory(crawl.path, OPTIONS)
      frontier = crawl.directory.frontier({ rules: defaultRules })
      expect(await leaseOne()).toMatchObject({ request: { url: A }, attempt: 1 })
      expect(await frontier.add([request(B)])).toEqual({ added: 1, duplicates: 0 })
    })

    it('leases none that is being stored', async () => {
      const parent = await found(request(B))
      const storing = frontier.settle([parent])
      const other = { ...parent, id: 'other', requests: [request(B)] }
      expect(unstored([other])).toEqual([])
      await storing
      expect(unstored([other])).toEqual([])
    })

    it('respects the limits, and leases the rest later', async () => {
      const urls = [1, 2, 3].map((n) => `${B}${n}`)
      const parent = await found(...urls.map((url) => request(url)))
      expect(unstored([parent], { ...ALL, requests: 1 })).toHaveLength(1)
      expect(unstored([parent], { ...ALL, perHost: 2 })).toHaveLength(1)
      expect(unstored([parent])).toMatchObject([{ request: { url: `${B}3` } }])
    })

    it('leases what earlier calls left over, without their settlements', async () => {
      const parent = await found(request(`${B}1`), request(`${B}2`))
      expect(unstored([parent], { ...ALL, requests: 1 })).toHaveLength(1)
      expect(unstored([])).toMatchObject([{ request: { url: `${B}2` } }])
      expect(await frontier.settle([parent])).toMatchObject({ added: 2, queued: 0 })
    })

    it('follows a chain of one host further than perHost, without storing it', async () => {
      let last = await found(request(`${A}0`))
      const chain = [last]
      for (let n = 1; n <= 20; n++) {
        const [next] = unstored([last], { ...ALL, perHost: 2 }) ?? []
        if (next === undefined) throw new Error(`request ${n} was not leased`)
        last = { ...done(next), requests: [request(`${A}${n}`)] }
        chain.push(last)
      }
      expect(await frontier.settle(chain)).toMatchObject({ added: 21, queued: 1, ignored: 0 })
    })

    it('leases nothing of settlements that are being stored', async () => {
      const parent = await found(request(`${B}1`), request(`${B}2`))
      expect(unstored([parent], { ...ALL, requests: 1 })).toHaveLength(1)
      const storing = frontier.settle([parent])
      expect(unstored([])).toEqual([])
      expect(await storing).toMatchObject({ added: 2, queued: 1 })
    })

    it('adds the requests of the first of two settlements with the same id', async () => {
      const parent = await found(request(B))
      expect(await frontier.settle([parent, { ...parent, requests: [] }])).toMatchObject({
        added: 1,
        ignored: 1,
      })
    })

    it('leases the one with the highest priority first', async () => {
      const parent = await found(request(`${B}1`), request(`${B}2`, { priority: 1 }))
      expect(unstored([parent])).toMatchObject([{ request: { url: `${B}2` } }, { request: { url: `${B}1` } }])
    })

    it.each([{ maxSeenInMemory: 1 }, { order: 'fifo' as const }])(
      'leases none where it would have to look into the store: %o',
      async (options) => {
        frontier = crawl.directory.frontier({ rules: defaultRules, ...options })
        const parent = await found(request(B), request(C))
        await frontier.settle([parent])
        expect(unstored([{ ...parent, id: 'x', requests: [request(`${B}new`)] }])).toBeUndefined()
        expect(await frontier.add([request(C)])).toEqual({ added: 0, duplicates: 1 })
      },
    )
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
