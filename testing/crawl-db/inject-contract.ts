import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CrawlStores, type OpenStores, TestCrawl } from '../crawl-directory.ts'
import { defaultRules } from '../rule-sets.ts'

/** Contract tests of `inject`, `findAll`, `seeds` and `stats`. */
export function injectContract(open: OpenStores): void {
  describe('records', () => {
    let crawl: TestCrawl<CrawlStores>
    beforeEach(async () => {
      crawl = await TestCrawl.createWith(open)
    })
    afterEach(() => crawl.remove())

    describe('findAll', () => {
      it('finds the known URLs, with any characters, and runs no query for none', async () => {
        const odd = "http://a.test/it's?a=%27b"
        await crawl.inject([A, B, odd])
        const found = await crawl.db.findAll([odd, 'http://c.test/', A, A])
        expect([...found.keys()].sort()).toEqual([A, odd].sort())
        expect(found.get(odd)).toMatchObject({ url: odd, status: 'db_unfetched', score: 1 })
        expect(await crawl.db.findAll([])).toEqual(new Map())
      })

      it('finds many at once, among more', async () => {
        const urls = Array.from({ length: 5_000 }, (_, i) => `http://a.test/${i}`)
        await crawl.inject(urls)
        const wanted = urls.filter((_, i) => i % 2 === 0)
        expect([...(await crawl.db.findAll(wanted)).keys()].sort()).toEqual(wanted.toSorted())
      })
    })

    describe('inject', () => {
      it('remembers new URLs as unfetched and due at once', async () => {
        expect(await crawl.inject([A, B])).toEqual({ injected: 2, merged: 0, repeated: 0 })
        expect(await crawl.db.find(A)).toEqual({
          url: A,
          status: 'db_unfetched',
          fetchTime: crawl.clock.now(),
          fetchInterval: 2_592_000,
          modifiedTime: 0,
          lastFetchTime: 0,
          contentTime: 0,
          retries: 0,
          score: 1,
          signature: undefined,
          validators: undefined,
          metadata: {},
          generatedIn: undefined,
        })
        expect(await crawl.db.find('http://c.test/')).toBeUndefined()
      })

      it('keeps the score, interval and metadata of a seed line', async () => {
        await crawl.inject([{ url: A, score: 0.1, fixedInterval: 90, metadata: { topic: 'ä "q"' } }])
        expect(await crawl.db.find(A)).toMatchObject({
          score: 0.1,
          fetchInterval: 90,
          metadata: { topic: 'ä "q"', fixedInterval: '90' },
        })
      })

      it('leaves known URLs alone, and takes the first of several lines', async () => {
        await crawl.inject([{ url: A, score: 2, metadata: {} }])
        const again = await crawl.inject([
          { url: A, score: 3, metadata: {} },
          { url: B, score: 4, metadata: {} },
          { url: B, score: 5, metadata: {} },
        ])
        expect(again).toEqual({ injected: 1, merged: 1, repeated: 1 })
        expect(await crawl.db.find(A)).toMatchObject({ score: 2 })
        expect(await crawl.db.find(B)).toMatchObject({ score: 4 })
      })

      it('overwrites or updates known URLs if configured', async () => {
        await crawl.inject([{ url: A, score: 2, metadata: { old: '1' } }])
        const seed = { url: A, fetchInterval: 60, metadata: { fresh: '2' } }
        expect(await crawl.inject([seed], { existing: 'update' })).toMatchObject({ injected: 0, merged: 1 })
        expect(await crawl.db.find(A)).toMatchObject({
          score: 2,
          fetchInterval: 60,
          metadata: { old: '1', fresh: '2' },
        })
        await crawl.inject([seed], { existing: 'overwrite' })
        expect(await crawl.db.find(A)).toMatchObject({
          score: 1,
          fetchInterval: 60,
          metadata: { fresh: '2' },
        })
      })

      it('changes nothing when the seeds fail on the way', async () => {
        async function* broken() {
          yield [{ url: A, metadata: {} }]
          throw new Error('no more')
        }
        await expect(crawl.db.inject(broken(), defaultRules, 0)).rejects.toThrow('no more')
        expect((await crawl.db.stats()).total).toBe(0)
        expect(await crawl.inject([A])).toMatchObject({ injected: 1 })
      })

      it('remembers a URL of each host that was a seed', async () => {
        await crawl.inject(['http://b.test/2', 'http://b.test/1', A])
        await crawl.inject(['http://b.test/0', 'http://c.test/'])
        expect(await crawl.db.seeds()).toEqual([A, 'http://b.test/2', 'http://c.test/'])
      })

      it('is durable', async () => {
        await crawl.inject([A, B])
        await crawl.reopen()
        expect(await crawl.db.find(A)).toMatchObject({ url: A })
      })
    })

    describe('stats', () => {
      it('reports an empty db', async () => {
        expect(await crawl.db.stats()).toMatchObject({
          total: 0,
          statuses: {},
          hosts: 0,
          score: { min: undefined },
        })
      })

      it('counts by status, host, domain and score', async () => {
        await crawl.inject(['http://x.a.test/', 'http://y.a.test/', { url: B, score: 4, metadata: {} }])
        expect(await crawl.db.stats()).toMatchObject({
          total: 3,
          statuses: { db_unfetched: 3 },
          hosts: 3,
          domains: 2,
          generated: 0,
          retries: {},
          score: { min: 1, avg: 2, max: 4 },
          fetchInterval: { min: 2_592_000, max: 2_592_000 },
        })
      })
    })
  })
}

const A = 'http://a.test/'
const B = 'http://b.test/'
