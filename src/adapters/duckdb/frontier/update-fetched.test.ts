import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../../testing/crawl-directory.ts'
import { defaultRules } from '../../../../testing/rule-sets.ts'
import type { CrawlRequest } from '../../../domain/frontier/crawl-request.ts'
import type { Frontier, LeasedRequest } from '../../../domain/frontier/frontier.ts'
import type { Settlement } from '../../../domain/frontier/settlement.ts'
import { combineScorings } from '../../../domain/scoring/combined-scoring.ts'
import { createDepthScoring } from '../../../domain/scoring/depth-scoring.ts'
import { createOpicScoring } from '../../../domain/scoring/opic-scoring.ts'
import type { FetchRow } from '../../../domain/segment/segment-rows.ts'

const A = 'http://a.test/'
const B = 'http://b.test/'
const NOW = 1_800_000_000_000

describe('the CrawlDb of a frontier', () => {
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

  it('adds a record for each requested page, and none for other requests', async () => {
    await frontier.add([request(A), request(B, { method: 'POST', body: 'q=1' })])
    expect(await crawl.db.find(A)).toMatchObject({
      status: 'db_unfetched',
      score: 1,
      retries: 0,
      lastFetchTime: 0,
    })
    expect(await crawl.db.find(B)).toBeUndefined()
    expect(await crawl.db.seeds()).toEqual([A, B])
  })

  it('updates the record of a fetch in the transaction of its settlement', async () => {
    await frontier.add([request(A)])
    const signature = '0123456789abcdef0123456789abcdef'
    const links = [
      request('http://a.test/2', { from: A, depth: 1 }),
      request('http://c.test/', { from: A, depth: 1 }),
    ]
    await frontier.settle([
      {
        ...done(await leaseOne()),
        fetch: row(A, { signature, validators: { etag: '"1"' }, metadata: { type: 'text/html' } }),
        requests: links,
      },
    ])
    expect(await crawl.db.find(A)).toMatchObject({
      status: 'db_fetched',
      lastFetchTime: NOW,
      signature,
      validators: { etag: '"1"' },
      metadata: { type: 'text/html' },
      score: 1,
    })
    for (const { url } of links)
      expect(await crawl.db.find(url)).toMatchObject({ status: 'db_unfetched', score: 1 })
    expect((await crawl.db.stats()).total).toBe(3)
    // The hosts of start requests alone say what the crawl is about.
    expect(await crawl.db.seeds()).toEqual([A])
  })

  it('leaves a record unchanged until the last try of its page', async () => {
    await frontier.add([request(A)])
    const before = await crawl.db.find(A)
    const busy = row(A, { status: 'fetch_retry', protocolStatus: 'EXCEPTION' })
    for (let i = 0; i < 3; i++) {
      await frontier.settle([
        { ...done(await leaseOne()), fetch: busy, end: { kind: 'retry', at: 0, reason: 'HTTP 503' } },
      ])
    }
    await frontier.settle([
      { ...done(await leaseOne()), fetch: { ...busy, status: 'not_reached' }, end: { kind: 'requeue' } },
    ])
    expect(await crawl.db.find(A)).toEqual(before)
    await frontier.settle([
      {
        ...done(await leaseOne()),
        fetch: busy,
        end: { kind: 'failed', code: 'http-503', reason: 'HTTP 503' },
      },
    ])
    expect(await crawl.db.find(A)).toMatchObject({ status: 'db_unfetched', retries: 1, lastFetchTime: NOW })
    expect(await crawl.directory.deadLetters.failed()).toMatchObject([{ attempts: 4 }])
  })

  it('uses the newest fetch if a page was requested twice', async () => {
    const again = request(A, { dontFilter: true })
    await frontier.add([again, again])
    const [host] = await frontier.lease({ requests: 2, perHost: 2, now: NOW })
    const rows = [row(A, { fetchedAt: NOW + 5 }), row(A, { status: 'fetch_gone' })]
    await frontier.settle((host?.requests ?? []).map((leased, i) => ({ ...done(leased), ...pick(rows, i) })))
    expect(await crawl.db.find(A)).toMatchObject({ status: 'db_fetched', lastFetchTime: NOW + 5 })
    expect((await crawl.db.stats()).total).toBe(1)
  })

  it('does not change the score of a known page', async () => {
    await crawl.inject([{ url: A, score: 7, metadata: { note: 'mine' } }])
    const before = await crawl.db.find(A)
    await frontier.add([request(A)])
    expect(await crawl.db.find(A)).toEqual(before)
  })

  it('counts depths where the scoring wants them', async () => {
    const scoring = combineScorings(createOpicScoring(), createDepthScoring())
    frontier = crawl.directory.frontier({ rules: { ...defaultRules, scoring } })
    await frontier.add([request(A), request(B, { from: A, depth: 2 })])
    expect(await crawl.db.find(A)).toMatchObject({ score: 1, metadata: { _depth_: '1' } })
    expect(await crawl.db.find(B)).toMatchObject({ score: 1, metadata: { _depth_: '3' } })
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

function pick(rows: readonly FetchRow[], i: number): { readonly fetch?: FetchRow } {
  const [found] = rows.slice(i)
  return found === undefined ? {} : { fetch: found }
}
