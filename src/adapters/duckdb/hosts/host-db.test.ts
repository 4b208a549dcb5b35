import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../../testing/crawl-directory.ts'
import { writeSegmentPart } from '../../../../testing/segment-parts.ts'
import type { HostDb } from '../../../domain/crawldb/host-db.ts'
import type { FetchRow } from '../../../domain/segment/segment-rows.ts'

const HOME = 'http://a.test/'
const PAGE = 'http://a.test/page'
const DEAD = 'http://dead.test/'

let crawl: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
  await crawl.inject([HOME, PAGE, DEAD])
})
afterEach(() => crawl.remove())

function hostDb(): HostDb {
  if (crawl.directory.hostDb === undefined) throw new Error('there is no HostDb')
  return crawl.directory.hostDb
}

async function host(name = 'a.test'): Promise<Record<string, unknown>> {
  const { columns, rows } = await crawl.directory.reader.sql(`SELECT * FROM hostdb WHERE host = '${name}'`)
  return Object.fromEntries(columns.map((column, i) => [column, rows[0]?.[i]]))
}

const ok: Partial<FetchRow> = {
  status: 'fetch_success',
  protocolStatus: 'SUCCESS',
  httpStatus: 200,
  protocol: 'h2',
  contentType: 'text/html',
}
const noName: Partial<FetchRow> = {
  status: 'not_reached',
  protocolStatus: 'RETRY',
  reason: 'robots.txt could not be fetched (dns-not-found)',
}

/** Merges a segment with these fetches. */
async function fetched(segment: string, ...rows: Partial<FetchRow>[]): Promise<void> {
  await writeSegmentPart(crawl.segmentPath(segment), {
    fetch: rows.map((row) => ({ fetchedAt: crawl.clock.now(), ...row })),
  })
  await crawl.update([segment])
  crawl.clock.advance(1000)
}

const S1 = '20270101000000'
const S2 = '20270102000000'
const S3 = '20270103000000'

describe('the HostDb', () => {
  it('counts the records of each host by status, also before any fetch', async () => {
    expect(await host()).toMatchObject({ urls: 2, unfetched: 2, fetched: 0, fetches: 0, domain: 'a.test' })
  })

  it('is kept current by updates', async () => {
    await fetched(
      S1,
      { url: HOME, ...ok, responseMs: 100, bytes: 10 },
      { url: PAGE, ...ok, responseMs: 300, bytes: 30 },
    )
    await fetched(S2, {
      url: PAGE,
      status: 'fetch_retry',
      protocolStatus: 'EXCEPTION',
      httpStatus: 503,
      responseMs: 50,
      reason: 'HTTP 503',
    })
    expect(await host()).toMatchObject({
      ...{ urls: 2, fetched: 1, fetches: 3, responses: 3, server_errors: 1, failures_in_a_row: 0 },
      ...{ avg_response_ms: 150, min_response_ms: 50, max_response_ms: 300, bytes: 40 },
      ...{ home_page: HOME, robots: 'allows', last_failure: 'HTTP 503' },
    })
    const { rows } = await crawl.directory.reader.sql(
      'SELECT field, value, count FROM host_values ORDER BY ALL',
    )
    expect(rows).toEqual([
      ['content_type', 'text/html', 2],
      ['protocol', 'h2', 2],
    ])
  })

  it('counts a fetch once that is written again when it is parsed, and a segment once that is merged again', async () => {
    const fetchedAt = crawl.clock.now()
    await fetched(S1, { url: HOME, ...ok, fetchedAt, responseMs: 100 })
    await fetched(S1, { url: HOME, ...ok, fetchedAt, responseMs: 100, signature: 'ab', scoreGiven: 0 })
    await crawl.update([S1], { force: true })
    expect(await host()).toMatchObject({ fetches: 1, responses: 1, avg_response_ms: 100 })
  })

  it('counts failures in a row by segment, until the host responds', async () => {
    await fetched(S1, { url: DEAD, ...noName }, { url: `${DEAD}2`, ...noName })
    await fetched(S2, { url: DEAD, ...noName })
    expect(await host('dead.test')).toMatchObject({
      ...{ fetches: 0, responses: 0, dns_failures: 2, failures_in_a_row: 2, robots: 'unreachable' },
    })
    await fetched(S3, { url: DEAD, ...ok, responseMs: 1 })
    expect(await host('dead.test')).toMatchObject({ dns_failures: 2, failures_in_a_row: 0, robots: 'allows' })
  })

  it('tells apart connection failures, and robots.txt that disallows', async () => {
    const refused = {
      status: 'fetch_retry',
      protocolStatus: 'EXCEPTION',
      reason: 'connect-refused: connect ECONNREFUSED 192.0.2.1:80',
    } as const
    await fetched(
      S1,
      { url: HOME, ...refused },
      { url: PAGE, status: 'fetch_gone', protocolStatus: 'ROBOTS_DENIED' },
    )
    expect(await host()).toMatchObject({
      fetches: 1,
      connection_failures: 1,
      dns_failures: 0,
      robots: 'disallows all requested',
    })
  })

  it('has the redirect target of the home page', async () => {
    await fetched(S1, {
      url: HOME,
      status: 'fetch_redir_perm',
      protocolStatus: 'MOVED',
      httpStatus: 301,
      redirectTo: 'http://a.test/en/',
    })
    expect(await host()).toMatchObject({ home_page: 'http://a.test/en/', redir_perm: 1 })
  })

  it('can be built again from the segments', async () => {
    await fetched(S1, { url: HOME, ...ok, responseMs: 100 }, { url: DEAD, ...noName })
    await fetched(S2, { url: PAGE, ...ok, responseMs: 300 }, { url: DEAD, ...noName })
    const before = [await host(), await host('dead.test')]
    expect(await hostDb().rebuild([S1, S2])).toBe(2)
    expect([await host(), await host('dead.test')]).toEqual(before)
  })

  it('aggregates numbers and texts of stored fetches and metadata', async () => {
    const page = (n: number) => ({
      url: `http://a.test/${n}`,
      metadata: { size: String(n), 'a/b~c"d': 'red' },
    })
    await crawl.inject([1, 2, 3, 4].map(page))
    await fetched(S1, { url: HOME, ...ok, responseMs: 100 }, { url: PAGE, ...ok, responseMs: 300 })
    await hostDb().aggregate({ segments: [S1], numericFields: ['size'], textFields: ['a/b~c"d'] })
    const { rows } = await crawl.directory.reader.sql(
      'SELECT field, count, min, max, avg, p50 FROM host_numbers ORDER BY field',
    )
    expect(rows).toEqual([
      ['response_ms', 2, 100, 300, 200, 200],
      ['size', 4, 1, 4, 2.5, 2.5],
    ])
    const texts = await crawl.directory.reader.sql(
      `SELECT value, count FROM host_values WHERE field LIKE 'a%'`,
    )
    expect(texts.rows).toEqual([['red', 4]])
  })

  it('records name checks', async () => {
    expect(await hostDb().hostsToCheck('new', crawl.clock.now())).toEqual(['a.test', 'dead.test'])
    await hostDb().recordChecks(
      [
        { host: 'a.test', resolved: true },
        { host: 'dead.test', resolved: false },
      ],
      crawl.clock.now(),
    )
    expect(await host('dead.test')).toMatchObject({ dns_failures: 1, failures_in_a_row: 1, resolved: false })
    const later = crawl.clock.now() + 1
    expect(await hostDb().hostsToCheck('new', later)).toEqual([])
    expect(await hostDb().hostsToCheck('known', later)).toEqual(['a.test'])
    expect(await hostDb().hostsToCheck('failed', later)).toEqual(['dead.test'])
    expect(await hostDb().hostsToCheck('all', crawl.clock.now())).toEqual([])
  })

  it('purges dead hosts with a reason, and restores them', async () => {
    await fetched(S1, { url: DEAD, ...noName })
    await fetched(S2, { url: DEAD, ...noName })
    const until = crawl.clock.now() + 1_000_000
    expect(await hostDb().purgeFailed({ minFailures: 3, until })).toMatchObject({ hosts: 0, urls: 0 })
    const purged = await hostDb().purgeFailed({ minFailures: 2, until })
    expect(purged).toMatchObject({ hosts: 1, urls: 1, first: [{ host: 'dead.test', urls: 1 }] })
    const record = await crawl.db.find(DEAD)
    expect(record).toMatchObject({ status: 'db_gone', fetchTime: until })
    expect(record?.metadata['_purged_']).toBe(
      'no response since the first request, 2 failures in a row, last: robots.txt could not be fetched (dns-not-found)',
    )
    expect(await hostDb().purgeFailed({ minFailures: 2, until })).toMatchObject({ hosts: 0, urls: 0 })
    expect(await hostDb().restore('dead.test', crawl.clock.now())).toBe(1)
    expect(await crawl.db.find(DEAD)).toMatchObject({ status: 'db_unfetched', metadata: {} })
    expect(await crawl.db.find(HOME)).toMatchObject({ status: 'db_unfetched' })
  })
})
