import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/base/crawl-error.ts'
import type { FetchRow, LinkRow } from '../../src/domain/segment/segment-rows.ts'
import { type CrawlStores, type OpenStores, TestCrawl } from '../crawl-directory.ts'
import { type MadeUpPart, writeSegmentPart } from '../segment-parts.ts'

/** Contract tests of `update` and `retryFailed`. */
export function updateContract(open: OpenStores): void {
  describe('update', () => {
    let crawl: TestCrawl<CrawlStores>
    beforeEach(async () => {
      crawl = await TestCrawl.createWith(open)
    })
    afterEach(() => crawl.remove())

    /** Injects, generates and returns the segment. */
    async function segmentOf(...urls: string[]): Promise<string> {
      await crawl.inject(urls)
      const [segment] = (await crawl.generate()).segments
      if (segment === undefined) throw new Error('nothing was due')
      return segment.name
    }

    function add(segment: string, part: MadeUpPart): Promise<void> {
      return writeSegmentPart(crawl.segmentPath(segment), part)
    }

    function fetchOf(url: string, more: Partial<FetchRow> = {}): Partial<FetchRow> {
      return { url, status: 'fetch_success', fetchedAt: crawl.clock.now(), ...more }
    }

    describe('drops', () => {
      const dropped = async () => (await crawl.db.stats()).dropped

      it('are added up by reason over all fetches, each fetch once', async () => {
        const segment = await segmentOf(A, B, C)
        await add(segment, {
          fetch: [
            fetchOf(A, { scoreGiven: 1, dropped: { scope: 2, 'links.maxOutlinks': 900 }, truncated: 'size' }),
            fetchOf(B, { scoreGiven: 1, truncated: 'disconnect' }),
          ],
        })
        const first = {
          scope: 2,
          'links.maxOutlinks': 900,
          'http.maxBodyBytes': 1,
          'body cut short (disconnect)': 1,
        }
        expect((await crawl.update([segment])).dropped).toEqual(first)
        await add(segment, { fetch: [fetchOf(C, { status: 'fetch_redir_perm', dropped: { scope: 1 } })] })
        expect((await crawl.update([segment])).dropped).toEqual({ scope: 1 })
        await crawl.update([segment], { force: true })
        expect(await dropped()).toEqual({ ...first, scope: 3 })
      })

      it('of a page that is parsed after it was merged are counted once', async () => {
        const segment = await segmentOf(A)
        await add(segment, { fetch: [fetchOf(A, { truncated: 'size' })] })
        await crawl.update([segment])
        await add(segment, {
          fetch: [fetchOf(A, { truncated: 'size', scoreGiven: 1, dropped: { scope: 1 } })],
        })
        await crawl.update([segment])
        expect(await dropped()).toEqual({ scope: 1, 'http.maxBodyBytes': 1 })
      })

      it('are unknown of parts that were written before they were counted', async () => {
        const segment = await segmentOf(A, B)
        await add(segment, { fetch: [fetchOf(A, { scoreGiven: 1 })], without: ['dropped'] })
        expect(await crawl.update([segment])).toMatchObject({ fetched: 1, dropped: {} })
        await add(segment, { fetch: [fetchOf(B, { scoreGiven: 1, dropped: { scope: 1 } })] })
        expect(await crawl.update([segment], { force: true })).toMatchObject({ fetched: 2 })
      })
    })

    describe('update', () => {
      it('merges a fetch and its links, and closes the segment', async () => {
        const segment = await segmentOf(A, B)
        crawl.clock.advance(1000)
        const fetched = crawl.clock.now()
        await add(segment, {
          fetch: [
            fetchOf(A, {
              signature: SIGNATURE,
              validators: { etag: '"1"', lastModified: 'Mon' },
              scoreGiven: 1,
              metadata: { type: 'text/html' },
            }),
            fetchOf(B, { status: 'fetch_gone' }),
          ],
          links: [link(A, C), link(A, 'http://c.test/2'), link(A, B)],
        })
        expect(await crawl.update([segment])).toEqual({
          fetched: 2,
          links: 3,
          added: 2,
          changed: 2,
          purged: 0,
          parts: 1,
          hostsPutOff: 0,
          pending: { [segment]: 0 },
          dropped: {},
        })
        expect(await crawl.db.find(A)).toEqual({
          url: A,
          status: 'db_fetched',
          fetchTime: fetched + 30 * DAY_MS,
          fetchInterval: 2_592_000,
          modifiedTime: fetched,
          lastFetchTime: fetched,
          contentTime: fetched,
          retries: 0,
          score: 1,
          signature: SIGNATURE,
          validators: { etag: '"1"', lastModified: 'Mon' },
          metadata: { type: 'text/html' },
          generatedIn: undefined,
        })
        expect(await crawl.db.find(B)).toMatchObject({
          status: 'db_gone',
          score: 1.5,
          generatedIn: undefined,
        })
        expect(await crawl.db.find(C)).toMatchObject({
          status: 'db_unfetched',
          score: 0.5,
          fetchTime: fetched,
        })
        expect(await crawl.db.segments()).toMatchObject([{ name: segment, state: 'updated', partsMerged: 1 }])
        expect((await crawl.db.stats()).statuses).toEqual({ db_unfetched: 2, db_fetched: 1, db_gone: 1 })
      })

      it('merges a part once, and the parts that come later', async () => {
        const segment = await segmentOf(A, B)
        await add(segment, { fetch: [fetchOf(A)], links: [link(A, C)] })
        expect(await crawl.update([segment])).toMatchObject({
          fetched: 1,
          parts: 1,
          pending: { [segment]: 1 },
        })
        expect(await crawl.update([segment])).toMatchObject({ fetched: 0, links: 0, parts: 0 })
        expect(await crawl.db.find(C)).toMatchObject({ score: 0.5 })
        expect(await crawl.db.find(B)).toMatchObject({ generatedIn: segment })
        await add(segment, { fetch: [fetchOf(B)], links: [link(B, C)] })
        expect(await crawl.update([segment])).toMatchObject({
          fetched: 1,
          parts: 1,
          pending: { [segment]: 0 },
        })
        expect(await crawl.db.find(C)).toMatchObject({ score: 1 })
        expect(await crawl.db.segments()).toMatchObject([{ state: 'updated', partsMerged: 2 }])
      })

      it('does not update from merged segments again, and lists source segments that are not merged yet', async () => {
        const segment = await segmentOf(A, B)
        await add(segment, { fetch: [fetchOf(A)], links: [link(A, C)] })
        await crawl.update([segment])
        await add(segment, { fetch: [fetchOf(B)] })
        const merged = '20270115090000'
        await add(merged, { fetch: [fetchOf(A), fetchOf(B)], links: [link(A, C)] })
        expect(await crawl.db.adopt([merged], [segment])).toEqual([segment])
        expect(await crawl.update([merged, segment])).toMatchObject({ parts: 1, fetched: 1, links: 0 })
        expect(await crawl.db.find(C)).toMatchObject({ score: 0.5 })
        expect(await crawl.db.adopt([merged], [segment])).toEqual([])
      })

      it('merges links once more, but not fetches, when forced', async () => {
        const segment = await segmentOf(A)
        await add(segment, { fetch: [fetchOf(A, { status: 'fetch_retry' })], links: [link(A, C)] })
        await crawl.update([segment])
        await crawl.update([segment], { force: true })
        expect(await crawl.db.find(A)).toMatchObject({ retries: 1 })
        expect(await crawl.db.find(C)).toMatchObject({ score: 1 })
      })

      it('takes the newest fetch of several segments', async () => {
        const first = await segmentOf(A)
        await crawl.db.abandon(first)
        const [second] = (await crawl.generate()).segments
        await add(first, { fetch: [fetchOf(A, { status: 'fetch_gone', fetchedAt: 2_000 })] })
        await add(second?.name ?? '', { fetch: [fetchOf(A, { fetchedAt: 1_000 })] })
        await crawl.update([first, second?.name ?? ''])
        expect(await crawl.db.find(A)).toMatchObject({
          status: 'db_gone',
          lastFetchTime: 2_000,
          generatedIn: undefined,
        })
      })

      it('uses the later row of the same fetch, which parsing adds', async () => {
        const segment = await segmentOf(A)
        await add(segment, { fetch: [fetchOf(A)] })
        await add(segment, { fetch: [fetchOf(A, { signature: SIGNATURE })] })
        await crawl.update([segment])
        expect(await crawl.db.find(A)).toMatchObject({ signature: SIGNATURE })
      })

      it('counts the links of a page once that a fleet has fetched twice', async () => {
        const segment = await segmentOf(A, B)
        const twice = [
          fetchOf(A, { fetchedAt: 1_000, scoreGiven: 1 }),
          fetchOf(A, { fetchedAt: 2_000, scoreGiven: 1 }),
        ]
        const linksOfA = [link(A, C), link(A, B, 0.25)]
        const ofB = { fetch: [fetchOf(B, { scoreGiven: 0.125 })], links: [link(B, C, 0.125)] }
        // In three parts, and in the last of them two times.
        await add(segment, { fetch: twice.slice(1), links: [link(A, C), link(A, 'http://c.test/moved')] })
        await add(segment, { fetch: twice.slice(0, 1), links: linksOfA })
        await add(segment, {
          fetch: [...twice, ...ofB.fetch],
          links: [...linksOfA, ...linksOfA, ...ofB.links],
        })
        expect(await crawl.update([segment])).toMatchObject({ fetched: 2, links: 3 })
        expect(await crawl.db.find(C)).toMatchObject({ score: 0.625 })
        expect(await crawl.db.find(B)).toMatchObject({ score: 1.25 })
        expect(await crawl.db.find('http://c.test/moved')).toBeUndefined()
      })

      it('adds the signature of a page that was merged before it was parsed, and schedules it once', async () => {
        const segment = await segmentOf(A)
        const unread = fetchOf(A)
        await add(segment, { fetch: [unread] })
        await crawl.update([segment])
        const before = await crawl.db.find(A)
        crawl.clock.advance(DAY_MS)
        await add(segment, {
          fetch: [{ ...unread, signature: SIGNATURE, scoreGiven: 0.5 }],
          links: [link(A, B)],
        })
        expect(await crawl.update([segment])).toMatchObject({ links: 1, added: 1 })
        expect(await crawl.db.find(A)).toEqual({ ...before, signature: SIGNATURE })
      })

      it('marks a page that could not be read', async () => {
        const segment = await segmentOf(A, B)
        const unread = fetchOf(B)
        await add(segment, { fetch: [fetchOf(A, { status: 'parse_failed' }), unread] })
        await crawl.update([segment])
        expect((await crawl.db.stats()).statuses).toEqual({ db_parse_failed: 1, db_fetched: 1 })
        await add(segment, { fetch: [{ ...unread, status: 'parse_failed' }] })
        await crawl.update([segment])
        expect((await crawl.db.stats()).statuses).toEqual({ db_parse_failed: 2 })
      })

      it('releases a URL that was not reached', async () => {
        const segment = await segmentOf(A)
        await add(segment, { fetch: [fetchOf(A, { status: 'not_reached' })] })
        await crawl.update([segment])
        expect(await crawl.db.find(A)).toMatchObject({
          status: 'db_unfetched',
          lastFetchTime: 0,
          generatedIn: undefined,
        })
      })

      it('passes score and metadata to a new redirect target', async () => {
        const segment = await segmentOf(A, B)
        await add(segment, {
          fetch: [fetchOf(A, { status: 'fetch_redir_perm', redirectTo: C }), fetchOf(B)],
          links: [
            link(A, C, 1, { kind: 'redirect', metadata: { topic: 'x' } }),
            link(B, C, 0.25),
            link(A, B, 1, { kind: 'redirect' }),
          ],
        })
        await crawl.update([segment])
        expect(await crawl.db.find(A)).toMatchObject({ status: 'db_redir_perm' })
        expect(await crawl.db.find(C)).toMatchObject({ score: 1.25, metadata: { topic: 'x' } })
        expect(await crawl.db.find(B)).toMatchObject({ status: 'db_fetched', score: 1 })
      })

      it('waits for the Retry-After of a server', async () => {
        const segment = await segmentOf(A)
        const retryAt = crawl.clock.now() + 5 * DAY_MS
        await add(segment, { fetch: [fetchOf(A, { status: 'fetch_retry', retryAt })] })
        await crawl.update([segment])
        expect(await crawl.db.find(A)).toMatchObject({
          status: 'db_unfetched',
          retries: 1,
          fetchTime: retryAt,
        })
      })

      it('adds no URL when additions are not allowed', async () => {
        const segment = await segmentOf(A)
        await add(segment, { fetch: [fetchOf(A), fetchOf(C)], links: [link(A, B), link(B, A)] })
        await crawl.useRules('noAdditions')
        expect(await crawl.update([segment])).toMatchObject({ added: 0, changed: 1 })
        expect((await crawl.db.stats()).total).toBe(1)
        expect(await crawl.db.find(A)).toMatchObject({ score: 1.5 })
      })

      it('counts the links with the highest scores where there are too many', async () => {
        const segment = await segmentOf(A)
        const scores = [1, 5, 2, 9, 3, 4]
        await add(segment, {
          fetch: [fetchOf(A)],
          links: [...scores.map((score) => link(A, B, score)), link(A, C, 1)],
        })
        expect(await crawl.update([segment], { maxInlinks: 3 })).toMatchObject({ links: 4 })
        expect(await crawl.db.find(B)).toMatchObject({ score: 18 })
        expect(await crawl.db.find(C)).toMatchObject({ score: 1 })
      })

      it('applies rules that are not plain to every linked page', async () => {
        await crawl.useRules('opicAndDepth')
        const segment = await segmentOf(A)
        await add(segment, {
          fetch: [fetchOf(A)],
          links: [
            link(A, B, 0.5, { depth: 3, maxDepth: 9 }),
            link(A, B, 0.25, { depth: 2, maxDepth: 4 }),
            link(A, B, 0.25, { depth: 2, maxDepth: 5 }),
            link(A, C, 0.5, { depth: 2 }),
          ],
        })
        await crawl.update([segment])
        expect(await crawl.db.find(B)).toMatchObject({
          score: 1,
          metadata: { _depth_: '2', _maxdepth_: '5' },
        })
        expect(await crawl.db.find(C)).toMatchObject({ score: 0.5, metadata: { _depth_: '2' } })
      })

      it('keeps the records and links of many pages apart', async () => {
        const pages = Array.from({ length: 2_500 }, (_, i) => `http://h${i % 97}.test/${i}`)
        const segment = await segmentOf(...pages)
        await add(segment, {
          fetch: pages.map((url) => fetchOf(url)),
          links: pages.map((url, i) => link(url, pages[(i * 7) % 2_500] ?? '', 1)),
        })
        expect(await crawl.update([segment])).toMatchObject({ fetched: 2_500, changed: 2_500, added: 0 })
        const { score, statuses } = await crawl.db.stats()
        expect(score).toMatchObject({ min: 2, max: 2 })
        expect(statuses).toEqual({ db_fetched: 2_500 })
      })

      it('refuses a segment that is not there', async () => {
        await expect(crawl.update(['20200101000000'])).rejects.toThrow(ConfigurationError)
      })

      it('deletes gone pages and orphans if configured', async () => {
        const segment = await segmentOf(A, B)
        await add(segment, { fetch: [fetchOf(A, { status: 'fetch_gone' }), fetchOf(B)] })
        await crawl.update([segment])
        expect(await crawl.update([], { purgeGone: true, purgeOrphans: true })).toMatchObject({ purged: 1 })
        expect(await crawl.db.find(A)).toBeUndefined()
      })

      it('keeps the last HTTP status and outcome of each URL', async () => {
        const segment = await segmentOf(A, B, C)
        await add(segment, {
          fetch: [
            fetchOf(A, { protocolStatus: 'SUCCESS', httpStatus: 200 }),
            fetchOf(B, { status: 'fetch_gone', protocolStatus: 'NOTFOUND', httpStatus: 404 }),
            fetchOf(C, { status: 'fetch_retry', protocolStatus: 'EXCEPTION' }),
          ],
        })
        await crawl.update([segment])
        expect((await crawl.db.find(A))?.lastOutcome).toEqual({ protocolStatus: 'SUCCESS', httpStatus: 200 })
        expect((await crawl.db.find(B))?.lastOutcome).toEqual({ protocolStatus: 'NOTFOUND', httpStatus: 404 })
        expect((await crawl.db.find(C))?.lastOutcome).toEqual({ protocolStatus: 'EXCEPTION' })
        expect((await crawl.db.stats()).outcomes).toEqual({ 200: 1, 404: 1, EXCEPTION: 1 })
        const { rows } = await crawl.directory.reader.sql(
          'SELECT http_status, protocol_status FROM crawldb ORDER BY url',
        )
        expect(rows).toEqual([
          [200, 'SUCCESS'],
          [404, 'NOTFOUND'],
          [null, 'EXCEPTION'],
        ])
      })

      describe('of a host that must wait', () => {
        it('lists none of its URLs before that time, also not those that were on no list', async () => {
          await crawl.inject([A, `${A}2`, B])
          const [list] = (await crawl.generate({ topN: 1, expr: `url = '${A}'` })).segments
          const until = crawl.clock.now() + DAY_MS
          const waits = {
            status: 'not_reached',
            protocolStatus: 'BLOCKED',
            retryAt: until,
            reason: 'why',
          } as const
          await add(list?.name ?? '', { fetch: [fetchOf(A, waits)] })
          expect(await crawl.update([list?.name ?? ''])).toMatchObject({ hostsPutOff: 1 })
          expect((await crawl.db.find(A))?.fetchTime).toBe(until)
          expect(await crawl.db.hostWaits(crawl.clock.now())).toEqual({
            ...{ urls: 2, hosts: 1, nextAt: until },
            first: [{ host: 'a.test', until, reason: 'why', urls: 2 }],
          })
          expect(await crawl.generate()).toMatchObject({ selected: 1 })
          crawl.clock.advance(DAY_MS)
          expect(await crawl.generate()).toMatchObject({ selected: 2 })
          expect(await crawl.db.hostWaits(crawl.clock.now())).toMatchObject({ urls: 0, nextAt: undefined })
        })

        it('also uses the time of a response, but at most the longest interval', async () => {
          const segment = await segmentOf(A)
          const retryAt = crawl.clock.now() + 1000 * DAY_MS
          const slow = { status: 'fetch_retry', protocolStatus: 'RETRY', httpStatus: 429, retryAt } as const
          await add(segment, { fetch: [fetchOf(A, slow)] })
          await crawl.inject([`${A}2`])
          const now = crawl.clock.now()
          await crawl.update([segment])
          expect(await crawl.db.hostWaits(now)).toMatchObject({ urls: 2, nextAt: now + 90 * DAY_MS })
        })
      })

      it('marks pages without a link for too long', async () => {
        await crawl.useRules('orphans')
        const segment = await segmentOf(A)
        await add(segment, { fetch: [fetchOf(A)], links: [link(A, B), link(A, C)] })
        await crawl.update([segment])
        expect((await crawl.db.find(B))?.metadata).toHaveProperty('_orphan_')
        crawl.clock.advance(31 * DAY_MS)
        const [again] = (await crawl.generate()).segments
        await add(again?.name ?? '', { fetch: [fetchOf(A)], links: [link(A, C)] })
        await crawl.update([again?.name ?? ''])
        expect(await crawl.db.find(A)).toMatchObject({ status: 'db_fetched' })
        expect(await crawl.db.find(B)).toMatchObject({ status: 'db_gone' })
        expect(await crawl.db.find(C)).toMatchObject({ status: 'db_unfetched' })
        crawl.clock.advance(11 * DAY_MS)
        await crawl.update([])
        expect(await crawl.db.find(B)).toMatchObject({ status: 'db_orphan' })
        expect(await crawl.update([], { purgeOrphans: true })).toMatchObject({ purged: 1 })
        expect(await crawl.db.find(B)).toBeUndefined()
      })

      describe('with a judge', () => {
        it('removes and moves known URLs, and judges links too', async () => {
          await crawl.useRules('noSpam')
          const segment = await segmentOf(
            'http://spam.test/',
            'http://d.test/x?s=1',
            'http://d.test/x?s=2',
            A,
            'http://e.test/?q',
          )
          await add(segment, {
            fetch: [fetchOf('http://d.test/x?s=1'), fetchOf(A)],
            links: [
              link(A, 'http://n.test/?1', 1),
              link(A, 'http://n.test/?2', 1),
              link(A, 'http://spam.test/2'),
            ],
          })
          await crawl.update([segment])
          expect((await crawl.db.stats()).total).toBe(4)
          expect(await crawl.db.find('http://d.test/x')).toMatchObject({ status: 'db_fetched' })
          expect(await crawl.db.find('http://n.test/')).toMatchObject({ score: 2 })
          expect(await crawl.db.find('http://e.test/')).toMatchObject({ status: 'db_unfetched' })
          await crawl.update([])
          expect((await crawl.db.stats()).total).toBe(4)
        })
      })
    })

    describe('retryFailed', () => {
      const GONE = 'http://gone.test/'

      it('makes failed URLs due, but not gone ones, and not those on a fetch list', async () => {
        const segment = await segmentOf(A, B, GONE)
        const failed = { status: 'fetch_retry', protocolStatus: 'EXCEPTION' } as const
        const gone = fetchOf(GONE, { status: 'fetch_gone', protocolStatus: 'NOTFOUND', httpStatus: 404 })
        await add(segment, { fetch: [fetchOf(A, failed), fetchOf(B), gone] })
        await crawl.update([segment])
        const now = crawl.clock.now()
        expect(await crawl.db.retryFailed(now)).toBe(1)
        expect(await crawl.db.find(A)).toMatchObject({ fetchTime: now, retries: 1 })
        expect(await crawl.db.retryFailed(now)).toBe(0)
        expect(await crawl.generate()).toMatchObject({ selected: 1 })
        expect(await crawl.db.retryFailed(now + 1, A)).toBe(0)
      })

      it('makes one URL due, also if it is gone', async () => {
        const segment = await segmentOf(A, B, GONE)
        const failed = { status: 'fetch_retry', protocolStatus: 'EXCEPTION' } as const
        const gone = fetchOf(GONE, { status: 'fetch_gone', protocolStatus: 'NOTFOUND', httpStatus: 404 })
        await add(segment, { fetch: [fetchOf(A, failed), fetchOf(B, failed), gone] })
        await crawl.update([segment])
        const now = crawl.clock.now()
        expect(await crawl.db.retryFailed(now, GONE)).toBe(1)
        expect(await crawl.db.retryFailed(now, `${GONE}unknown`)).toBe(0)
        expect(await crawl.generate()).toMatchObject({ selected: 1 })
      })

      it('does not shorten the wait of a host', async () => {
        const segment = await segmentOf(A)
        const retryAt = crawl.clock.now() + DAY_MS
        const limited = { status: 'fetch_retry', protocolStatus: 'RETRY', httpStatus: 429, retryAt } as const
        await add(segment, { fetch: [fetchOf(A, limited)] })
        await crawl.update([segment])
        expect(await crawl.db.retryFailed(crawl.clock.now())).toBe(1)
        expect(await crawl.generate()).toMatchObject({ selected: 0 })
        expect(await crawl.db.hostWaits(crawl.clock.now())).toMatchObject({ urls: 1, nextAt: retryAt })
      })
    })
  })
}

const A = 'http://a.test/'
const B = 'http://b.test/'
const C = 'http://c.test/'
const DAY_MS = 86_400_000
const SIGNATURE = '0123456789abcdef0123456789abcdef'

function link(fromUrl: string, url: string, score = 0.5, more: Partial<LinkRow> = {}): Partial<LinkRow> {
  return { fromUrl, url, kind: 'link', score, ...more }
}
