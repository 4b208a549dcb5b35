import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CrawlStores, type OpenStores, TestCrawl } from '../crawl-directory.ts'
import { writeSegmentPart } from '../segment-parts.ts'

/** Contract tests of `markDuplicates`. */
export function dedupContract(open: OpenStores): void {
  describe('markDuplicates', () => {
    let crawl: TestCrawl<CrawlStores>
    beforeEach(async () => {
      crawl = await TestCrawl.createWith(open)
    })
    afterEach(() => crawl.remove())

    /** Pages with their content and score, fetched one after the other. */
    async function fetched(
      pages: Readonly<Record<string, readonly [signature: string, score: number]>>,
    ): Promise<void> {
      await crawl.inject(Object.entries(pages).map(([url, [, score]]) => ({ url, score, metadata: {} })))
      const [segment] = (await crawl.generate()).segments
      const fetch = Object.entries(pages).map(([url, [signature]], i) => ({
        url,
        signature,
        status: 'fetch_success' as const,
        fetchedAt: crawl.clock.now() + i,
      }))
      await writeSegmentPart(crawl.segmentPath(segment?.name ?? ''), { fetch })
      await crawl.update([segment?.name ?? ''])
    }

    async function duplicates(): Promise<unknown[]> {
      const { rows } = await crawl.directory.reader.sql(
        "SELECT url FROM crawldb WHERE status = 'db_duplicate' ORDER BY url",
      )
      return rows.flat()
    }

    it('keeps the best page of each content', async () => {
      await fetched(PAGES)
      expect(await crawl.db.markDuplicates()).toEqual({ groups: 2, duplicates: 3 })
      expect(await duplicates()).toEqual(['http://a.test/1', 'http://a.test/2', 'http://c.test/long'])
      expect(await crawl.db.markDuplicates()).toEqual({ groups: 0, duplicates: 0 })
    })

    it('compares pages within a host if configured', async () => {
      await fetched(PAGES)
      expect(await crawl.db.markDuplicates({ group: 'host' })).toEqual({ groups: 2, duplicates: 2 })
      expect(await duplicates()).toEqual(['http://a.test/1', 'http://c.test/long'])
    })

    it('takes another order', async () => {
      await fetched(PAGES)
      await crawl.db.markDuplicates({ group: 'domain', order: ['urlLength', 'score', 'fetchTime'] })
      expect(await duplicates()).toEqual(['http://a.test/1', 'http://c.test/long'])
    })
  })
}

const PAGES = {
  'http://a.test/1': ['aa', 1],
  'http://a.test/2': ['aa', 2],
  'http://b.test/1': ['aa', 3],
  'http://b.test/2': ['bb', 1],
  'http://c.test/long': ['cc', 1],
  'http://c.test/': ['cc', 1],
} as const
