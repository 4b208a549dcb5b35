import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ParquetSegments } from '../src/adapters/duckdb/segments/parquet-segments.ts'
import type { DbStatus } from '../src/domain/crawldb/crawl-status.ts'
import { NOT_FOR_AN_INDEX } from '../src/domain/indexing/index-document.ts'
import type { ChangedPage, ChangesRequest } from '../src/domain/indexing/index-ledger.ts'
import type { PageRecord } from '../src/domain/segment/segment-rows.ts'
import { type CrawlStores, type OpenStores, TestCrawl } from './crawl-directory.ts'
import { fetchedPage } from './segments.ts'

/** Contract tests of every IndexLedger. `src/flows/cycle/index-pages.test.ts` tests it together with the step that uses it. */
export function indexLedgerContract(name: string, open: OpenStores): void {
  describe(`${name} as an IndexLedger`, () => {
    let crawl: TestCrawl<CrawlStores>
    let segments: ParquetSegments
    beforeEach(async () => {
      crawl = await TestCrawl.createWith(open)
      segments = await ParquetSegments.open(crawl.path, { threads: 1 })
      await crawl.inject([A, B, C])
    })
    afterEach(async () => {
      segments.close()
      await crawl.remove()
    })

    /** Generates a segment with these pages and merges it. Returns its name. */
    async function fetched(...pages: readonly PageRecord[]): Promise<string> {
      const [list] = (await crawl.generate()).segments
      if (list === undefined) throw new Error('no URL is due')
      const appender = await segments.append(list.name)
      const added = pages.map((page) => appender.add(page))
      await Promise.all([...added, appender.close()])
      crawl.clock.advance(1_000)
      await crawl.update([list.name])
      crawl.clock.advance(40 * DAY_MS)
      return list.name
    }

    function page(url: string, text: string): PageRecord {
      const made = fetchedPage(url, text, crawl.clock.now())
      const signature = Buffer.from(text.padEnd(16).slice(0, 16)).toString('hex')
      const { parseData, fetch } = made
      return {
        ...made,
        fetch: { ...fetch, signature },
        ...(parseData && { parseData: { ...parseData, signature, outlinks: [], anchors: [] } }),
        links: [],
      }
    }

    function gone(url: string): PageRecord {
      return { fetch: { ...page(url, '').fetch, status: 'fetch_gone' } }
    }

    /** The changed pages, by URL. */
    async function changes(request: Partial<ChangesRequest> = {}): Promise<ReadonlyMap<string, ChangedPage>> {
      const found = new Map<string, ChangedPage>()
      const whole = { all: false, content: true, maxAnchors: 10, rules: '', ...request }
      for await (const batch of crawl.directory.indexLedger.changes(TARGET, whole))
        for (const changed of batch) {
          expect(found.has(changed.url)).toBe(false)
          found.set(changed.url, changed)
        }
      return found
    }

    /** Records pages as written, as an index would that accepts every page. */
    function settle(pages: ReadonlyMap<string, ChangedPage>): Promise<void> {
      return crawl.directory.indexLedger.settle(
        TARGET,
        Array.from(pages.values(), ({ url, inputs, status }) => ({
          ...{ url, inputs, indexed: status === undefined || !UNINDEXED.has(status) },
        })),
      )
    }

    /** Settles all changes and returns their URLs. */
    async function settleAll(request: Partial<ChangesRequest> = {}): Promise<string[]> {
      const changed = await changes(request)
      await settle(changed)
      await crawl.directory.indexLedger.finish(TARGET, request.segments === undefined)
      return [...changed.keys()].sort()
    }

    it('returns nothing in a new crawl', async () => {
      expect(await settleAll()).toEqual([])
    })

    it('returns each page until it is settled, with the data of its document', async () => {
      await fetched(page(A, 'text a'), page(B, 'text b'))
      const first = await changes()
      expect([...first.keys()].sort()).toEqual([A, B])
      expect(first.get(A)).toMatchObject({
        ...{
          url: A,
          status: 'db_fetched',
          score: 1,
          metadata: {},
          anchors: [],
          wasIndexed: false,
          mayBeIndexed: false,
        },
        page: {
          fetch: { url: A, status: 'fetch_success' },
          parseText: { text: 'text a' },
          parseData: { title: `title of ${A}` },
        },
      })
      await crawl.reopen()
      const again = await changes()
      expect(again.get(A)?.inputs).toBe(first.get(A)?.inputs)
      await settle(new Map([...again].filter(([url]) => url === A)))
      expect([...(await changes()).keys()]).toEqual([B])
      expect(await settleAll()).toEqual([B])
      expect(await settleAll()).toEqual([])
    })

    it('returns pages that changed: the newest version, gone ones, and all when the rules change', async () => {
      const first = await fetched(page(A, 'text a'), page(B, 'text b'), page(C, 'text c'))
      await settleAll()
      const second = await fetched(page(A, 'new a'), gone(B))
      const changed = await changes()
      expect([...changed.keys()].sort()).toEqual([A, B])
      expect(changed.get(A)?.page?.parseText).toMatchObject({ text: 'new a' })
      expect(changed.get(B)).toMatchObject({ status: 'db_gone', wasIndexed: true })
      expect(changed.get(A)).toMatchObject({ wasIndexed: true, mayBeIndexed: true })
      expect(await settleAll({ segments: [first] })).toEqual([])
      expect(await settleAll({ segments: [second] })).toEqual([A, B])
      expect(await settleAll()).toEqual([])
      expect(await settleAll({ rules: 'others' })).toEqual([A, C])
      expect(await settleAll({ rules: 'others', all: true })).toEqual([A, B, C])
      await crawl.directory.indexLedger.forget(TARGET)
      expect(await settleAll({ rules: 'others' })).toEqual([A, C])
    })

    it('returns duplicates that are in the index', async () => {
      await fetched(page(A, 'same'), page(B, 'same'))
      await settleAll()
      await crawl.db.markDuplicates()
      const changed = await changes()
      expect(Array.from(changed.values(), ({ status }) => status)).toEqual(['db_duplicate'])
    })

    it('returns a page again when its anchor texts change', async () => {
      const linking = page('http://b.test/', 'links')
      const { parseData } = linking
      await fetched(page(A, 'text a'), {
        ...linking,
        ...(parseData && {
          parseData: { ...parseData, outlinks: [A, A, B], anchors: ['see a', ' ', ''] },
        }),
      })
      expect(await settleAll()).toEqual([A, 'http://b.test/'])
      await crawl.directory.links.invert({ segments: await segments.list() })
      const changed = await changes()
      expect(Array.from(changed.values(), ({ url, anchors }) => [url, anchors])).toEqual([[A, ['see a']]])
      await settle(changed)
      expect(await settleAll({ maxAnchors: 0 })).toEqual([A])
    })

    it('tells which pages the index may have after a run that did not finish', async () => {
      await fetched(page(A, 'text a'))
      await changes()
      await crawl.reopen()
      expect((await changes()).get(A)).toMatchObject({ wasIndexed: false, mayBeIndexed: true })
    })

    it('returns every page that must not be in the index after a run that did not finish', async () => {
      const segment = await fetched(gone(A), page(B, 'text b'))
      expect(await settleAll()).toEqual([B])
      await changes()
      await crawl.reopen()
      expect(await settleAll({ segments: [segment] })).toEqual([A])
      await crawl.directory.indexLedger.forget(TARGET)
      await crawl.reopen()
      // A run over some segments does not finish the earlier one.
      expect(await settleAll()).toEqual([A, B])
      expect(await settleAll()).toEqual([])
    })
  })
}

const UNINDEXED: ReadonlySet<DbStatus> = new Set(NOT_FOR_AN_INDEX)
const TARGET = 'memory'
const A = 'http://a.test/a'
const B = 'http://a.test/b'
const C = 'http://a.test/c'
const DAY_MS = 86_400_000
