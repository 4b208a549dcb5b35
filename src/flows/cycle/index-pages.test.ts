import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { MemoryIndex } from '../../../testing/memory-index.ts'
import { fetchedPage } from '../../../testing/segments.ts'
import { ParquetSegments } from '../../adapters/duckdb/segments/parquet-segments.ts'
import type { IndexDocument, IndexFilter, PageLinks } from '../../domain/indexing/index-document.ts'
import { IndexUnavailable, type IndexWriter } from '../../domain/indexing/index-writer.ts'
import type { DocumentRules } from '../../domain/indexing/make-document.ts'
import { createOpicScoring } from '../../domain/scoring/opic-scoring.ts'
import type { FetchRowStatus, PageRecord } from '../../domain/segment/segment-rows.ts'
import { type IndexDestination, type IndexOptions, indexPages } from './index-pages.ts'

const A = 'http://a.test/a'
const B = 'http://a.test/b'
const C = 'http://a.test/c'
const DAY_MS = 86_400_000

const DOCUMENT: DocumentRules = {
  ...{ scoring: createOpicScoring(), canonical: false, maxTitleLength: 100, metadata: [] },
}
const OPTIONS: IndexOptions = {
  ...{ document: DOCUMENT, deleteGone: true, all: false, content: true, maxAnchors: 10, rules: '' },
}

let crawl: TestCrawl
let segments: ParquetSegments
let index: MemoryIndex
beforeEach(async () => {
  crawl = await TestCrawl.create()
  segments = await ParquetSegments.open(crawl.path, { threads: 1 })
  index = new MemoryIndex()
  await crawl.inject([A, B, C])
})
afterEach(async () => {
  segments.close()
  await crawl.remove()
})

// `add` is fulfilled when its page is on disk, which `close` sees to.

/** Fetches the due pages: a text for each page, or another outcome. The others return 304. */
async function round(
  outcomes: Readonly<Record<string, string | Partial<PageRecord['fetch']>>>,
  { merge = true } = {},
): Promise<string> {
  const { segments: lists } = await crawl.generate()
  const [list] = lists
  if (list === undefined) throw new Error('nothing is due')
  const appender = await segments.append(list.name)
  for (const url of [A, B, C]) {
    const outcome = outcomes[url] ?? { status: 'fetch_notmodified' }
    const page = fetchedPage(url, String(outcome), crawl.clock.now())
    const record: PageRecord =
      typeof outcome === 'string' ? signed(page, outcome) : { fetch: { ...page.fetch, ...outcome } }
    void appender.add({ ...record, links: [] })
  }
  await appender.close()
  crawl.clock.advance(1_000)
  if (merge) await crawl.update([list.name])
  crawl.clock.advance(40 * DAY_MS)
  return list.name
}

/** Pages with the same text have the same signature. */
function signed(page: PageRecord, text: string): PageRecord {
  const signature = Buffer.from(text.padEnd(16).slice(0, 16)).toString('hex')
  const { parseData, fetch } = page
  return {
    ...page,
    fetch: { ...fetch, signature },
    ...(parseData && { parseData: { ...parseData, signature, outlinks: [], anchors: [] } }),
  }
}

const gone = { status: 'fetch_gone' as FetchRowStatus }
const target = (key = 'memory', of = index): IndexDestination => ({ key, open: async () => of.writer() })

async function bringUpToDate(options: Partial<IndexOptions> = {}) {
  const [result] = await indexPages(
    crawl.directory.indexLedger,
    [target()],
    { ...OPTIONS, ...options },
    new AbortController().signal,
  )
  if (result?.error !== undefined && !String(result.error).includes('away')) throw result.error
  return result
}

describe('indexPages', () => {
  it('indexes every page once', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    expect(await bringUpToDate()).toMatchObject({ ended: 'done', put: 3, updated: 0, deleted: 0 })
    expect(index.texts).toEqual({ a: 'text a', b: 'text b', c: 'text c' })
    expect(index.documents.get(A)).toMatchObject({ id: A, host: 'a.test', title: `title of ${A}`, boost: 1 })
    expect(await bringUpToDate()).toMatchObject({ ended: 'done', put: 0, deleted: 0 })
    expect(index.commits).toBe(1)
  })

  it('has nothing to do in a new crawl', async () => {
    expect(await bringUpToDate()).toMatchObject({ ended: 'done', put: 0, deleted: 0 })
  })

  it('sends only changed pages, the newest version of each', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    await bringUpToDate()
    index.takeLog()
    await round({ [A]: 'between' })
    await round({ [A]: 'new a' })
    expect(await bringUpToDate()).toMatchObject({ put: 1, updated: 1 })
    expect(index.takeLog()).toEqual([`put ${A}`])
    expect(index.texts).toEqual({ a: 'new a', b: 'text b', c: 'text c' })
  })

  it('deletes gone pages, and indexes them again when they return', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    await bringUpToDate()
    await round({ [A]: gone, [B]: { status: 'fetch_redir_perm' }, [C]: { status: 'fetch_retry' } })
    expect(await bringUpToDate()).toMatchObject({ deleted: 2, unindexed: { gone: 1, redirect: 1 } })
    expect(index.texts).toEqual({ c: 'text c' })
    expect(await bringUpToDate()).toMatchObject({ put: 0, deleted: 0 })
    await round({ [A]: 'text a', [B]: gone })
    expect(await bringUpToDate()).toMatchObject({ put: 1, updated: 0 })
    expect(index.texts).toEqual({ a: 'text a', c: 'text c' })
  })

  it('uses the rows of segments that are not merged into the CrawlDb yet', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' }, { merge: false })
    await bringUpToDate()
    expect(index.texts).toEqual({ a: 'text a', b: 'text b', c: 'text c' })
  })

  it('deletes duplicates, and indexes them again when they differ', async () => {
    await round({ [A]: 'same', [B]: 'same', [C]: 'text c' })
    await crawl.db.markDuplicates({})
    expect(await bringUpToDate()).toMatchObject({ put: 2 })
    expect(Object.keys(index.texts)).toHaveLength(2)
    await round({ [A]: 'other', [B]: 'same', [C]: 'text c' })
    await crawl.db.markDuplicates({})
    await bringUpToDate()
    expect(index.texts).toEqual({ a: 'other', b: 'same', c: 'text c' })
    await round({ [A]: 'same', [B]: 'same', [C]: 'text c' })
    await bringUpToDate()
    await crawl.db.markDuplicates({})
    expect(await bringUpToDate()).toMatchObject({ put: 0, deleted: 1, unindexed: { duplicate: 1 } })
  })

  it('leaves out noindex pages', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    await bringUpToDate()
    const { segments: lists } = await crawl.generate()
    const appender = await segments.append(lists[0]?.name ?? '')
    for (const url of [A, B]) {
      const page = signed(fetchedPage(url, 'x', crawl.clock.now()), url)
      const { parseData } = page
      void appender.add({ ...page, ...(parseData && { parseData: { ...parseData, noindex: true } }) })
    }
    await appender.close()
    await bringUpToDate()
    expect(index.texts).toEqual({ c: 'text c' })
    index.takeLog()
    await bringUpToDate()
    expect(index.takeLog()).toEqual([])
  })

  it('indexes a page again when its anchor texts change', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    await bringUpToDate()
    index.takeLog()
    const { segments: lists } = await crawl.generate()
    const appender = await segments.append(lists[0]?.name ?? '')
    const page = fetchedPage('http://b.test/', 'links', crawl.clock.now())
    const { parseData } = page
    void appender.add({
      ...page,
      ...(parseData && { parseData: { ...parseData, outlinks: [A, A, B], anchors: ['see a', ' ', ''] } }),
    })
    await appender.close()
    await crawl.directory.links.invert({ segments: await segments.list() })
    await bringUpToDate()
    expect(index.takeLog().sort()).toEqual([`put ${A}`, 'put http://b.test/'])
    expect(index.documents.get(A)?.anchors).toEqual(['see a'])
    await bringUpToDate({ maxAnchors: 0 })
    expect(index.takeLog()).toEqual([`put ${A}`])
  })

  it('indexes all pages when the document rules change, or with all', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: gone })
    await bringUpToDate()
    index.takeLog()
    await bringUpToDate({ rules: 'others' })
    expect(index.takeLog().sort()).toEqual([`put ${A}`, `put ${B}`])
    await bringUpToDate({ rules: 'others', all: true })
    expect(index.takeLog().sort()).toEqual([`delete ${C}`, `put ${A}`, `put ${B}`])
    await crawl.directory.indexLedger.forget('memory')
    await bringUpToDate({ rules: 'others' })
    expect(index.takeLog().sort()).toEqual([`put ${A}`, `put ${B}`])
  })

  it('indexes only the requested segments', async () => {
    const first = await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    const second = await round({ [A]: 'new a' })
    await bringUpToDate({ segments: [second] })
    expect(index.texts).toEqual({ a: 'new a' })
    await bringUpToDate({ segments: [first] })
    expect(index.texts).toEqual({ a: 'new a', b: 'text b', c: 'text c' })
  })

  it('leaves gone pages in the index without deleteGone', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    await bringUpToDate()
    await round({ [A]: gone })
    await bringUpToDate({ deleteGone: false })
    expect(Object.keys(index.texts)).toEqual(['a', 'b', 'c'])
    await bringUpToDate()
    expect(Object.keys(index.texts)).toEqual(['b', 'c'])
  })

  it('deletes a document that is sent elsewhere only if the index has it, or with all', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    const elsewhere = { ...target(), accepts: ({ id }: IndexDocument) => id === A }
    const run = (options: Partial<IndexOptions> = {}) =>
      indexPages(
        crawl.directory.indexLedger,
        [elsewhere],
        { ...OPTIONS, ...options },
        new AbortController().signal,
      )
    const unindexed = { exchange: 2 }
    expect(await run()).toMatchObject([{ put: 1, deleted: 0, unindexed }])
    expect(await run()).toMatchObject([{ put: 0, deleted: 0, unindexed: {} }])
    expect(await run({ all: true })).toMatchObject([{ put: 1, deleted: 2, unindexed }])
  })

  it('does not send a refused page again until it changes', async () => {
    index.refused.add(A)
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    expect(await bringUpToDate()).toMatchObject({
      ...{ ended: 'done', put: 2, refused: 1, refusals: [{ id: A, reason: 'not this one' }] },
    })
    index.takeLog()
    await bringUpToDate()
    expect(index.takeLog()).toEqual([])
    await round({ [A]: 'new a' })
    await bringUpToDate()
    expect(index.takeLog()).toEqual([`put ${A}`])
  })

  it('reports pages on which a filter failed, and tries them again', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    const filter: DocumentRules['filter'] = (document) => {
      if (document.id === A) throw new Error('no such price')
      return document
    }
    const result = await bringUpToDate({ document: { ...DOCUMENT, filter } })
    expect(result).toMatchObject({ ended: 'done', put: 2, refused: 1 })
    expect(result?.refusals[0]?.reason).toContain('no such price')
    await bringUpToDate()
    expect(Object.keys(index.texts)).toEqual(['a', 'b', 'c'])
  })

  it('sends a document to the indexes that accept it, and deletes it where it no longer belongs', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    let accepted = [A, B]
    const routed = { ...target(), accepts: ({ id }: IndexDocument) => accepted.includes(id) }
    const run = (options: Partial<IndexOptions> = {}) =>
      indexPages(
        crawl.directory.indexLedger,
        [routed],
        { ...OPTIONS, ...options },
        new AbortController().signal,
      )
    expect(await run()).toMatchObject([{ put: 2, unindexed: { exchange: 1 } }])
    expect(Object.keys(index.texts)).toEqual(['a', 'b'])
    accepted = [B, C]
    await run({ rules: 'others' })
    expect(Object.keys(index.texts)).toEqual(['b', 'c'])
  })

  it('gives a filter the links of the page', async () => {
    const { segments: lists } = await crawl.generate()
    const appender = await segments.append(lists[0]?.name ?? '')
    for (const [url, outlinks] of [
      [A, [B]],
      [B, []],
    ] as const) {
      const page = fetchedPage(url, 'text', crawl.clock.now())
      const { parseData } = page
      void appender.add({
        ...page,
        ...(parseData && { parseData: { ...parseData, outlinks, anchors: outlinks.map(() => 'see b') } }),
      })
    }
    await appender.close()
    await crawl.directory.links.invert({ segments: await segments.list(), ignoreInternal: false })
    const found = new Map<string, PageLinks>()
    const filter: IndexFilter = (document, _page, links) => {
      found.set(document.id, links)
      return document
    }
    await bringUpToDate({
      ...{ maxInlinks: 10, outlinks: true },
      document: { ...OPTIONS.document, filter, maxOutlinks: 10 },
    })
    expect(found.get(A)?.outlinks).toEqual([{ url: B, anchor: 'see b' }])
    expect(found.get(B)).toEqual({ inlinks: [{ url: A, anchor: 'see b' }], outlinks: [] })
  })

  it('updates several indexes, also if one of them fails', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    const [broken, unopened] = [new MemoryIndex(), target('unopened')]
    broken.failsAfter = 1
    const targets = [
      target('first'),
      target('broken', broken),
      { ...unopened, open: () => Promise.reject(new Error('no such server')) },
    ]
    const run = () => indexPages(crawl.directory.indexLedger, targets, OPTIONS, new AbortController().signal)
    expect(await run()).toMatchObject([
      { target: 'first', ended: 'done', put: 3 },
      { target: 'broken', ended: 'failed', put: 2, error: { code: 'INDEX_UNAVAILABLE' } },
      { target: 'unopened', ended: 'failed', error: { message: 'no such server' } },
    ])
    const again = await run()
    expect(again.map(({ ended, put }) => [ended, put])).toEqual([
      ['done', 0],
      ['done', 3],
      ['failed', 0],
    ])
    expect(broken.texts).toEqual(index.texts)
  })

  it('stops on an interruption, and resumes', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    const stop = new AbortController()
    const options = { ...OPTIONS, onProgress: () => stop.abort() }
    const [result] = await indexPages(crawl.directory.indexLedger, [target()], options, stop.signal)
    expect(result).toMatchObject({ ended: 'interrupted', put: 2 })
    expect(await bringUpToDate()).toMatchObject({ ended: 'done', put: 1 })
    expect(Object.keys(index.texts)).toEqual(['a', 'b', 'c'])
  })

  it('counts an aborted request as interrupted, not as failed', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    const stop = new AbortController()
    const writer: IndexWriter = {
      ...{ name: 'far', batchSize: 2, commit: async () => {}, close: async () => {} },
      async write() {
        stop.abort()
        throw new IndexUnavailable('no response: aborted')
      },
    }
    const far = { key: 'far', open: async () => writer }
    const [result] = await indexPages(crawl.directory.indexLedger, [far], OPTIONS, stop.signal)
    expect(result).toMatchObject({ ended: 'interrupted', put: 0 })
    expect(result).not.toHaveProperty('error')
  })

  it('is complete in the end after a crash at any point', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    for (let steps = 0; steps < 4; steps++) {
      index.failsAfter = steps
      expect((await bringUpToDate())?.ended).toBe('failed')
    }
    // Committed but not in the ledger: pages that are gone since must be found all the same.
    expect(Object.keys(index.texts)).toEqual(['a', 'b', 'c'])
    await round({ [A]: gone, [B]: 'new b' })
    await crawl.reopen()
    await bringUpToDate()
    expect(index.texts).toEqual({ b: 'new b', c: 'text c' })
    index.takeLog()
    await bringUpToDate()
    expect(index.takeLog()).toEqual([])
  })

  it('repeats an unfinished update after a run that was interrupted or limited to segments', async () => {
    const first = await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    index.failsAfter = 3
    expect((await bringUpToDate())?.ended).toBe('failed')
    expect(Object.keys(index.texts)).toContain('a')
    await round({ [A]: gone })
    for (const next of [
      { options: OPTIONS, signal: AbortSignal.abort() },
      { options: { ...OPTIONS, segments: [first] }, signal: new AbortController().signal },
    ]) {
      await crawl.reopen()
      await indexPages(crawl.directory.indexLedger, [target()], next.options, next.signal)
      expect(Object.keys(index.texts)).toContain('a')
    }
    await bringUpToDate()
    expect(index.texts).toEqual({ b: 'text b', c: 'text c' })
  })

  it('deletes a document that is sent elsewhere if a run that failed may have written it', async () => {
    await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    index.failsAfter = 3
    expect((await bringUpToDate())?.ended).toBe('failed')
    expect(Object.keys(index.texts)).toContain('a')
    await crawl.reopen()
    const elsewhere = { ...target(), accepts: ({ id }: IndexDocument) => id !== A }
    await indexPages(crawl.directory.indexLedger, [elsewhere], OPTIONS, new AbortController().signal)
    expect(index.texts).toEqual({ b: 'text b', c: 'text c' })
  })

  it('keeps pages whose segments were deleted', async () => {
    const old = await round({ [A]: 'text a', [B]: 'text b', [C]: 'text c' })
    await bringUpToDate()
    await segments.remove(old)
    index.takeLog()
    await bringUpToDate()
    expect(index.takeLog()).toEqual([])
  })
})
