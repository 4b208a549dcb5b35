import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { fetchedPage, listEntry, writeSegment } from '../../../testing/segments.ts'
import { ParquetFetchFigures } from '../duckdb/segments/parquet-fetch-figures.ts'
import { ParquetSegments } from '../duckdb/segments/parquet-segments.ts'
import { ServedCrawl, type SnapshotDb, type SnapshotResult } from './served-crawl.ts'

const OWNER = { command: 'crawl', since: '2026-11-16T00:00:00.000Z', pid: 4711, host: 'here' }
const SEGMENT = '20270115080000'

let crawl: TestCrawl
let segments: ParquetSegments
let fetches: ParquetFetchFigures
/** Whether the CrawlDb can be read. */
let isFree = true

beforeEach(async () => {
  isFree = true
  crawl = await TestCrawl.create()
  segments = await ParquetSegments.open(crawl.path, { threads: 1 })
  fetches = await ParquetFetchFigures.open(crawl.path, segments, 128)
})
afterEach(async () => {
  await fetches.close()
  segments.close()
  await crawl.remove()
})

function served(): ServedCrawl {
  return new ServedCrawl({
    ...{ directory: 'crawl', clock: crawl.clock, segments, fetches },
    snapshots: { read },
    explain: async (input, looked) => ({
      ...{ input, url: input, seed: looked !== undefined, foundOn: [], inlinks: [], fetches: [] },
    }),
  })
}

async function read<T>(work: (db: SnapshotDb) => Promise<T>): Promise<SnapshotResult<T>> {
  return isFree ? { asOf: 5, value: await work(crawl.directory) } : { owner: OWNER }
}

async function fetchPage(url: string, text: string): Promise<void> {
  await writeSegment(crawl.path, SEGMENT, [listEntry(url)])
  const appender = await segments.append(SEGMENT)
  const page = fetchedPage(url, text, crawl.clock.now())
  await Promise.all([appender.add(page), appender.flush()])
  await appender.close()
  await crawl.update([SEGMENT])
}

describe('ServedCrawl', () => {
  it('counts each URL once by status, host and due time', async () => {
    await crawl.inject(['http://a.test/', 'http://b.test/', 'http://b.test/x'])
    await fetchPage('http://a.test/', 'text')
    const { db, ...rest } = await served().overview()
    expect(rest).toEqual({ directory: 'crawl', freshness: { asOf: 5 }, segments: 1 })
    expect(db).toMatchObject({
      ...{ total: 4, hosts: 2, domains: 2 },
      statuses: [
        { status: 'db_unfetched', count: 3 },
        { status: 'db_fetched', count: 1 },
      ],
      topHosts: [
        { host: 'a.test', urls: 2, fetched: 1, unfetched: 1, due: 1, lastFetchTime: crawl.clock.now() },
        { host: 'b.test', urls: 2, fetched: 0, unfetched: 2, due: 2, redirected: 0, gone: 0 },
      ],
      due: { listed: 0, now: 3, withinHour: 0, withinDay: 0, withinWeek: 0, withinMonth: 1, later: 0 },
    })
    expect(db?.topHosts[1]).not.toHaveProperty('lastFetchTime')
    expect(db?.due.next.map(({ url }) => url).slice(0, 2)).toEqual(['http://b.test/', 'http://b.test/x'])
    expect(db?.due.next.at(-1)?.url).toBe('http://a.test/')
  })

  it('does not count URLs on a fetch list as due', async () => {
    await crawl.inject(['http://a.test/', 'http://b.test/'])
    await crawl.generate({ topN: 1 })
    const { db } = await served().overview()
    expect(db?.due).toMatchObject({ listed: 1, now: 1 })
    expect(db?.due.next).toHaveLength(1)
  })

  it('names the process that uses the crawl, and reports what does not need the CrawlDb', async () => {
    await crawl.inject(['http://a.test/'])
    await fetchPage('http://a.test/', 'text')
    isFree = false
    const busy = { command: 'crawl', since: OWNER.since, pid: 4711 }
    const view = served()
    expect(await view.overview()).toEqual({ directory: 'crawl', freshness: { busy }, segments: 1 })
    expect(await view.history('latest')).toMatchObject({ totals: { fetched: 1 } })
    const host = await view.host('a.test')
    expect(host).toMatchObject({
      freshness: { busy },
      fetches: { fetched: 1 },
      recent: [{ httpStatus: 200 }],
    })
    expect(host).not.toHaveProperty('db')
    expect(await view.url('http://a.test/')).toMatchObject({ freshness: { busy }, seed: false })
  })

  it('computes the overview once for concurrent callers', async () => {
    const view = served()
    const [first, second] = await Promise.all([view.overview(), view.overview()])
    expect(second).toBe(first)
    crawl.clock.advance(60_000)
    expect(await view.overview()).not.toBe(first)
  })

  it('reports on a host, and returns undefined for an unknown host', async () => {
    await crawl.inject(['http://b.test/', 'http://b.test/x'])
    const view = served()
    expect(await view.host('b.test')).toMatchObject({
      ...{ host: 'b.test', recent: [], fetches: { fetched: 0 } },
      db: { figures: { urls: 2 }, statuses: [{ status: 'db_unfetched', count: 2 }] },
    })
    expect((await view.host('b.test'))?.db?.urls).toHaveLength(2)
    expect(await view.host('unknown.test')).toBeUndefined()
    expect(await view.host(`x' OR 'a' = 'a`)).toBeUndefined()
  })

  it('lists hosts with the facts of the HostDb', async () => {
    await crawl.inject(['http://a.test/', 'http://b.test/', 'http://b.test/x'])
    await fetchPage('http://a.test/', 'text')
    const query = { sort: 'urls', descending: true, offset: 0, limit: 1 } as const
    const { list } = await served().hosts(query)
    expect(list).toMatchObject({ total: 2, hosts: [{ host: 'a.test' }] })
    const { list: others } = await served().hosts({ ...query, contains: 'b.te' })
    expect(others).toMatchObject({ total: 1, hosts: [{ host: 'b.test', urls: 2, unfetched: 2, fetches: 0 }] })
    expect((await served().hosts({ ...query, contains: "x' OR 1 --" })).list?.total).toBe(0)
    expect((await served().host('a.test'))?.db?.facts).toMatchObject({
      responses: 1,
      homePage: 'http://a.test/',
    })
    isFree = false
    expect(await served().hosts(query)).not.toHaveProperty('list')
  })

  it('shows a stored page as plain text', async () => {
    const url = 'http://a.test/'
    await crawl.inject([url])
    await fetchPage(url, `<script>alert(1)</script>\n\n  \n${'x'.repeat(60_000)}`)
    const preview = await served().preview(url)
    expect(preview).toMatchObject({ url, title: `title of ${url}`, cut: true, type: 'text/html' })
    expect(preview?.paragraphs[0]).toEqual([{ text: '<script>alert(1)</script>', marked: false }])
    expect(preview?.paragraphs).toHaveLength(2)
    expect(await served().preview('http://unknown.test/')).toBeUndefined()
  })
})
