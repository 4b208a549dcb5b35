import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ParquetSegments } from '../../src/adapters/duckdb/segments/parquet-segments.ts'
import { type CrawlStores, type OpenStores, TestCrawl } from '../crawl-directory.ts'
import { FakeClock } from '../fake-clock.ts'
import { fetchedPage } from '../segments.ts'

/** Contract tests of `release`. */
export function releaseContract(open: OpenStores): void {
  describe('release', () => {
    let crawl: TestCrawl<CrawlStores>
    let segment: string
    beforeEach(async () => {
      crawl = await TestCrawl.createWith(open)
      await crawl.inject(URLS)
      const [list] = (await crawl.generate()).segments
      segment = list?.name ?? ''
    })
    afterEach(() => crawl.remove())

    /** Writes each group of pages as a part of its own. */
    async function fetchParts(...groups: readonly (readonly string[])[]): Promise<void> {
      const store = await ParquetSegments.open(crawl.path, { clock: new FakeClock(), threads: 1 })
      const appender = await store.append(segment)
      for (const urls of groups) {
        const added = urls.map((url) => appender.add(fetchedPage(url, undefined, crawl.clock.now())))
        await Promise.all([...added, appender.flush()])
      }
      await appender.close()
      store.close()
    }

    function damage(directory: string, part: string): void {
      truncateSync(join(crawl.segmentPath(segment), directory, part), 20)
    }

    /** Which of our URLs wait for a result of the first segment. */
    async function listed(): Promise<string[]> {
      const records = await crawl.db.findAll(URLS)
      return URLS.filter((url) => records.get(url)?.generatedIn === segment)
    }

    /** Which of our URLs the next fetch list has. */
    async function generated(): Promise<string[]> {
      const { segments } = await crawl.generate()
      const records = await crawl.db.findAll(URLS)
      return URLS.filter((url) => records.get(url)?.generatedIn === segments[0]?.name)
    }

    it('puts the pages of a merged part, and only these, back on the list of their segment', async () => {
      await fetchParts([A, B], [C, D])
      await crawl.update([segment])
      damage('content', PART_2)
      const lost = [{ segment, part: PART_2, unreadable: ['content'] }]
      expect(await crawl.db.release(lost, crawl.clock.now())).toBe(2)
      expect(await listed()).toEqual([C, D])
      expect(await crawl.db.segments()).toMatchObject([{ name: segment, state: 'generated' }])
      expect(await crawl.db.find(C)).toMatchObject({ status: 'db_fetched' })
      expect(await generated()).toEqual([])
    })

    it('finds the pages of a fetches file that cannot be read by what no other file has', async () => {
      await fetchParts([A, B], [C, D])
      await crawl.update([segment])
      for (const directory of ['content', 'parse_text', 'parse_data', 'crawl_parse', 'crawl_fetch'])
        damage(directory, PART_2)
      const unreadable = ['content', 'parse_text', 'parse_data', 'crawl_parse', 'crawl_fetch']
      expect(await crawl.db.release([{ segment, part: PART_2, unreadable }], crawl.clock.now())).toBe(2)
      expect(await listed()).toEqual([C, D])
    })

    it('leaves the pages of an unfinished segment on its list, and not due twice', async () => {
      await fetchParts([A], [B])
      await crawl.update([segment])
      damage('crawl_fetch', PART_2)
      await crawl.db.release([{ segment, part: PART_2, unreadable: ['crawl_fetch'] }], crawl.clock.now())
      expect(await listed()).toEqual([B, C, D])
      expect(await generated()).toEqual([])
    })

    it('frees the URLs of a fetch list that cannot be read, unless they were fetched', async () => {
      await fetchParts([A])
      const [part = ''] = readdirSync(join(crawl.segmentPath(segment), 'crawl_generate'))
      damage('crawl_generate', part)
      const lost = [{ segment, part, unreadable: ['crawl_generate'] }]
      expect(await crawl.db.release(lost, crawl.clock.now())).toBe(3)
      expect(await generated()).toEqual([B, C, D])
    })
  })
}

const URLS = ['http://a.test/', 'http://b.test/', 'http://c.test/', 'http://d.test/']
const [A = '', B = '', C = '', D = ''] = URLS

const PART_2 = 'part-000002-w0.parquet'
