import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SegmentWriterOptions } from '../src/adapters/crawl-directory/segment-writer.ts'
import type { ParquetSegments } from '../src/adapters/duckdb/segments/parquet-segments.ts'
import { withoutUndefined } from '../src/base/without-undefined.ts'
import { type AiUse, combineAiUse } from '../src/domain/robots/ai-use.ts'
import type { FetchListEntry, FetchRow, PageRecord } from '../src/domain/segment/segment-rows.ts'
import type { SegmentAppender } from '../src/domain/segment/segment-store.ts'
import { fetchedPage, listEntry, unparsedPage } from './segments.ts'

/** An empty crawl directory whose segments are stored somewhere. */
export interface SegmentPlace {
  /** The crawl directory. */
  readonly crawl: string
  /** Opens the segments, as another process would. The contract closes them. */
  open(options: Pick<SegmentWriterOptions, 'writer' | 'partBytes'>): Promise<ParquetSegments>
  /** Creates a segment with a fetch list, as generate does: one part for each list. */
  newSegment(name: string, ...lists: ReadonlyArray<readonly FetchListEntry[]>): Promise<void>
  close(): Promise<void>
}

const NAME = '20270115080000'
const URLS = ['http://a.test/1', 'http://a.test/2', 'http://b.test/1']

/** Tests that hold wherever the files of segments are stored. */
export function segmentStoreContract(where: string, create: () => Promise<SegmentPlace>): void {
  describe(`segments ${where}`, () => {
    let crawl: string
    let place: SegmentPlace
    let segments: ParquetSegments
    const open: SegmentPlace['open'] = (options) => place.open(options)
    const newSegment: SegmentPlace['newSegment'] = (name, ...lists) => place.newSegment(name, ...lists)

    beforeEach(async () => {
      place = await create()
      crawl = place.crawl
      segments = await open({})
    })

    afterEach(async () => {
      segments.close()
      await place.close()
    })

    it('counts the outcomes of fetches since a time, the last of each URL', async () => {
      const urls = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3', 'http://a.test/4']
      await newSegment(
        NAME,
        urls.map((url) => listEntry(url)),
      )
      const pageAt = (
        url: string,
        fetchedAt: number,
        more: Partial<PageRecord['fetch']> = {},
      ): PageRecord => ({
        fetch: { ...fetchedPage(url).fetch, fetchedAt, bytes: 5, reason: 'why', ...more },
      })
      const notReached = { status: 'not_reached', protocolStatus: 'WOULDBLOCK', bytes: 0 } as const
      await add([
        pageAt('http://a.test/1', 99),
        pageAt('http://a.test/2', 100),
        pageAt('http://a.test/3', 100),
        pageAt('http://a.test/4', 100),
        pageAt('http://a.test/4', 101, notReached),
      ])
      expect(await segments.fetchCounts(NAME, 100.5)).toEqual([
        {
          row: expect.objectContaining({ status: 'fetch_success', protocolStatus: 'SUCCESS', bytes: 10 }),
          fetches: 2,
        },
        { row: expect.objectContaining({ status: 'not_reached', reason: 'why', bytes: 0 }), fetches: 1 },
      ])
      await newSegment('20270115080001', [])
      expect(await segments.fetchCounts('20270115080001', 0)).toEqual([])
    })

    it('lists the pages that dropped links or were truncated, by their newest fetch', async () => {
      const urls = [1, 2, 3, 4, 5].map((n) => `http://a.test/${n}`)
      await newSegment(
        NAME,
        urls.map((url) => listEntry(url)),
      )
      const pageNumber = (n: number, more: Partial<PageRecord['fetch']>): PageRecord => ({
        fetch: { ...fetchedPage(`http://a.test/${n}`).fetch, ...more },
      })
      await add([
        pageNumber(1, { dropped: { scope: 3 } }),
        pageNumber(2, { dropped: { 'links.maxOutlinks': 5, scope: 1 } }),
        pageNumber(3, { dropped: { 'links.maxOutlinks': 90 } }),
        pageNumber(4, { truncated: 'size' }),
        pageNumber(5, { dropped: { 'links.maxOutlinks': 7 } }),
        pageNumber(5, { dropped: {} }),
      ])
      const { total, pages } = await segments.dropping(['links.maxOutlinks'], 'http://a.test/x', 2)
      expect(total).toBe(3)
      expect(pages).toEqual([
        { url: 'http://a.test/3', segment: NAME, dropped: { 'links.maxOutlinks': 90 } },
        { url: 'http://a.test/2', segment: NAME, dropped: { 'links.maxOutlinks': 5, scope: 1 } },
      ])
      expect((await segments.dropping([], 'http://a.test/x', 9)).pages).toEqual([
        { url: 'http://a.test/4', segment: NAME, dropped: {}, truncated: 'size' },
      ])
    })

    it('lists pages with dropped links by the similarity of their URL to another', async () => {
      const urls = [
        'http://a.test/guide/index.html',
        'http://a.test/api/sort.html',
        'http://a.test/guide/sort.html',
      ]
      await newSegment(
        NAME,
        urls.map((url) => listEntry(url)),
      )
      await add(urls.map((url) => ({ fetch: { ...fetchedPage(url).fetch, dropped: { nofollow: 1 } } })))
      const { pages } = await segments.dropping(['nofollow'], 'http://a.test/guide/_sources/sort.txt', 1)
      expect(pages.map(({ url }) => url)).toEqual(['http://a.test/guide/sort.html'])
    })

    it('lists redirect targets that were not fetched, with their redirect chains', async () => {
      const entry = { ...listEntry('http://a.test/1', 0.75), metadata: { seed: 'yes' } }
      await newSegment(NAME, [entry, listEntry('http://a.test/2'), listEntry('http://a.test/3')])
      const sent = (
        url: string,
        to: string,
        kind: 'redirect' | 'refresh' | 'link',
        redirectedFrom?: string,
      ) => ({
        fetch: { ...fetchedPage(url).fetch, ...withoutUndefined({ redirectedFrom }) },
        links: [{ fromUrl: url, url: to, kind, score: 1 }],
      })
      await add([
        sent('http://a.test/1', 'http://b.test/hop', 'redirect'),
        sent('http://b.test/hop', 'http://b.test/target', 'refresh', 'http://a.test/1'),
        // Been to, on the list, no redirect, and in a circle from nowhere.
        sent('http://a.test/2', 'http://a.test/1', 'redirect'),
        sent('http://a.test/3', 'http://c.test/linked', 'link'),
        sent('http://d.test/1', 'http://d.test/3', 'redirect', 'http://d.test/2'),
        sent('http://d.test/2', 'http://d.test/1', 'redirect', 'http://d.test/1'),
      ])
      const chain = ['http://a.test/1', 'http://b.test/hop']
      expect(await segments.openRedirects(NAME)).toEqual([{ url: 'http://b.test/target', chain, entry }])
    })

    it('lists the existing segments in the error for a missing one', async () => {
      await newSegment(NAME)
      await expect(segments.info('20270101000000')).rejects.toMatchObject({
        code: 'SEGMENT_MISSING',
        message: expect.stringContaining(`there are ${NAME}`),
      })
      await expect(segments.append('../segments')).rejects.toMatchObject({ code: 'SEGMENT_MISSING' })
    })

    it('returns the fetch list by rank across all parts', async () => {
      const entry: FetchListEntry = {
        url: 'http://c.test/?q=it\'s "here"',
        sortValue: 2.5,
        score: 0.1,
        validators: { etag: '"x"' },
        signature: 'ab',
        metadata: { depth: '3' },
      }
      await newSegment(NAME, [listEntry('http://a.test/1', 1), listEntry('http://a.test/2', 3)], [entry])
      expect(await all(segments.remaining(NAME))).toEqual([
        listEntry('http://a.test/2', 3),
        entry,
        listEntry('http://a.test/1', 1),
      ])
    })

    it('lists the redirect targets that have a row', async () => {
      await newSegment(NAME, [listEntry(URLS[0] ?? '')])
      expect(await segments.followed(NAME)).toEqual([])
      const appender = await segments.append(NAME)
      const target = fetchedPage('http://a.test/target')
      await Promise.all([
        appender.add(fetchedPage(URLS[0] ?? '')),
        appender.add({ ...target, fetch: { ...target.fetch, redirectedFrom: URLS[0] ?? '' } }),
        appender.flush(),
      ])
      expect(await segments.followed(NAME)).toEqual(['http://a.test/target'])
      await appender.close()
    })

    it('returns a long fetch list completely, without repeating entries of equal rank', async () => {
      const entries = Array.from({ length: 25_000 }, (_, i) => listEntry(`http://a.test/${i}`, i % 3))
      await newSegment(NAME, entries)
      const urls = (await all(segments.remaining(NAME))).map(({ url }) => url)
      expect(urls).toHaveLength(25_000)
      expect(new Set(urls).size).toBe(25_000)
    })

    it('returns an entry once even if SQL would read its rank as another number', async () => {
      // As a DECIMAL this is a little more than itself, so that the entry would come after itself without end.
      await newSegment(NAME, [listEntry('http://a.test/', Math.fround(1 / 51))])
      const batches: number[] = []
      for await (const batch of segments.remaining(NAME)) {
        batches.push(batch.length)
        if (batches.length > 1) break
      }
      expect(batches).toEqual([1])
    })

    it('returns added pages unchanged', async () => {
      await newSegment(
        NAME,
        URLS.map((url) => listEntry(url)),
      )
      const redirect: PageRecord = {
        fetch: {
          url: 'http://a.test/2',
          status: 'fetch_redir_perm',
          protocolStatus: 'MOVED',
          fetchedAt: 1_800_000_000_001,
          redirectTo: 'http://b.test/1',
          retryAt: 1_900_000_000_000,
          reason: 'moved',
          validators: { etag: 'W/"1"', lastModified: 'Thu, 01 Jan 1970 00:00:00 GMT' },
          metadata: { 'a key': 'a value', __proto__x: '' },
        },
        links: [
          {
            fromUrl: 'http://a.test/2',
            url: 'http://b.test/1',
            kind: 'redirect',
            score: 1,
            metadata: { seed: 'yes' },
          },
          {
            fromUrl: 'http://elsewhere.test/',
            url: 'http://b.test/2',
            kind: 'refresh',
            score: 0,
            depth: 2,
            maxDepth: 9,
          },
        ],
      }
      await add([fetchedPage('http://a.test/1'), redirect])
      expect(await all(segments.pages([NAME]))).toEqual([
        { segment: NAME, ...fetchedPage('http://a.test/1') },
        // A link is found by the page it is on.
        { segment: NAME, ...redirect, links: redirect.links?.slice(0, 1) },
      ])
    })

    it('does not use a body after the call that adds it', async () => {
      await newSegment(NAME, [listEntry('http://a.test/')])
      const page = fetchedPage('http://a.test/')
      const body = Uint8Array.from(page.content?.body ?? [])
      const appender = await segments.append(NAME)
      const written = appender.add({ ...page, ...(page.content && { content: { ...page.content, body } }) })
      body.fill(0)
      await appender.close()
      await written
      expect(await all(segments.pages([NAME]))).toEqual([{ segment: NAME, ...page }])
    })

    it('reports the progress of a segment', async () => {
      await newSegment(
        NAME,
        URLS.map((url) => listEntry(url)),
      )
      expect(await segments.info(NAME)).toEqual({
        name: NAME,
        generated: 3,
        fetched: 0,
        parsed: 0,
        complete: false,
      })
      await add([fetchedPage('http://a.test/1', '', 5), unparsedPage('http://a.test/2')])
      expect(await segments.info(NAME)).toMatchObject({
        fetched: 2,
        parsed: 1,
        firstFetchAt: 5,
        complete: false,
      })
      await add([unparsedPage('http://b.test/1'), unparsedPage('http://redirect-target.test/')])
      expect(await segments.info(NAME)).toMatchObject({ generated: 3, fetched: 4, parsed: 1, complete: true })
    })

    it('does not list URLs with a row as remaining', async () => {
      await newSegment(
        NAME,
        URLS.map((url) => listEntry(url)),
      )
      await add([fetchedPage('http://a.test/2')])
      expect((await remainingUrls()).sort()).toEqual(['http://a.test/1', 'http://b.test/1'])
    })

    it('mixes the hosts of entries of equal rank, best ranks first, each URL once', async () => {
      const hosts = Array.from({ length: 100 }, (_, n) => `http://h${n}.test`)
      const urls = hosts.flatMap((host) => Array.from({ length: 150 }, (_, n) => `${host}/${n}`))
      await newSegment(NAME, [...urls.map((url) => listEntry(url)), listEntry('http://z.test/', 2)])
      const [first, ...rest] = await remainingUrls()
      expect(first).toBe('http://z.test/')
      expect(rest.toSorted()).toEqual(urls.toSorted())
      expect(new Set(rest.slice(0, 1_500).map((url) => new URL(url).host)).size).toBe(100)
    })

    it('does not list a page as remaining that gets its row while the list is read', async () => {
      const entries = Array.from({ length: 10_001 }, (_, i) => listEntry(`http://a.test/${i}`, 10_001 - i))
      await newSegment(NAME, entries)
      let seen = 0
      for await (const batch of segments.remaining(NAME)) {
        if (seen === 0) await add([fetchedPage('http://a.test/10000')])
        seen += batch.length
      }
      expect(seen).toBe(10_000)
    })

    it('uses the last of two fetches, in one part and across parts', async () => {
      await newSegment(NAME)
      await add([fetchedPage('http://a.test/1', 'one', 1), fetchedPage('http://a.test/1', 'two', 2)])
      expect(await all(segments.pages([NAME]))).toEqual([
        { segment: NAME, ...fetchedPage('http://a.test/1', 'two', 2), links: expect.anything() },
      ])
      await add([fetchedPage('http://a.test/1', 'three', 3)])
      expect(await all(segments.pages([NAME]))).toEqual([
        { segment: NAME, ...fetchedPage('http://a.test/1', 'three', 3) },
      ])
      expect(await segments.exportParquet([NAME], join(crawl, 'pages.parquet'))).toMatchObject({ pages: 1 })
    })

    it('leaves pages out of an export that refuse a use, by their newest version', async () => {
      await newSegment(NAME)
      const refusing = (url: string, aiUse: FetchRow['aiUse']) => {
        const page = fetchedPage(url)
        return { ...page, fetch: { ...page.fetch, ...withoutUndefined({ aiUse }) } }
      }
      const says = (use: AiUse, preference: 'allow' | 'disallow') =>
        combineAiUse([{ use, preference, source: 'robots.txt', text: 'Content-Signal: it says "so"' }])
      await add([refusing('http://a.test/changed', undefined), refusing('http://a.test/none', undefined)])
      await add([
        refusing('http://a.test/changed', says('train', 'disallow')),
        refusing('http://a.test/search', says('search', 'disallow')),
        refusing('http://a.test/allowed', says('train', 'allow')),
      ])
      const file = join(crawl, 'kept.parquet')
      expect(await segments.exportParquet([NAME], file, {}, ['train', 'input'])).toEqual({
        pages: 3,
        excluded: { 'train refused by Content-Signal in robots.txt': 1 },
      })
      const [page] = (await segments.get('http://a.test/search')).map(({ fetch }) => fetch?.aiUse)
      expect(page).toEqual(says('search', 'disallow'))
    })

    it('exports the newest version of each page as one file', async () => {
      await newSegment(NAME)
      await add([fetchedPage('http://a.test/1', 'text'), unparsedPage('http://a.test/2')])
      const file = join(crawl, "it's.parquet")
      expect(await segments.exportParquet([NAME], file, { statuses: ['fetch_success'] })).toEqual({
        pages: 2,
        excluded: {},
      })
      const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
      const connection = await instance.connect()
      await connection.run("SET TimeZone = 'UTC'")
      const rows = await connection.runAndReadAll(
        'SELECT * REPLACE (fetched_at::VARCHAR AS fetched_at) FROM read_parquet($1) ORDER BY url',
        [file],
      )
      expect(rows.getRowObjectsJson()[0]).toMatchObject({
        url: 'http://a.test/1',
        fetched_at: '2027-01-15 08:00:00+00',
        status: 'fetch_success',
        http_status: 200,
        title: 'title of http://a.test/1',
        text: 'text',
        segment: NAME,
      })
      expect(rows.getRowObjectsJson()[1]).toMatchObject({ url: 'http://a.test/2', title: null, text: null })
      connection.disconnectSync()
      instance.closeSync()
    })

    it('has nothing to export where there are no segments', async () => {
      await expect(segments.exportParquet([], join(crawl, 'pages.parquet'))).rejects.toMatchObject({
        code: 'SEGMENT_MISSING',
      })
    })

    it('refuses a second appender for the same segment, until the first is closed', async () => {
      await newSegment(NAME)
      const appender = await segments.append(NAME)
      await expect(segments.append(NAME)).rejects.toThrow('already')
      await appender.close()
      expect(() => appender.add(fetchedPage('http://a.test/1'))).toThrow('closed')
      await (await segments.append(NAME)).close()
    })

    it('lets several writers add to one segment at the same time', async () => {
      const urls = Array.from({ length: 18 }, (_, i) => `http://a.test/${i}`)
      await newSegment(
        NAME,
        urls.map((url) => listEntry(url)),
      )
      const stores = await Promise.all(['w1', 'w2', 'w3'].map((writer) => open({ writer, partBytes: 1 })))
      await Promise.all(
        stores.map(async (store, w) => {
          for (let round = 0; round < 2; round++) {
            const appender = await store.append(NAME)
            for (let i = 0; i < 3; i++)
              await appender.add(fetchedPage(`http://a.test/${w * 6 + round * 3 + i}`))
            await appender.close()
          }
        }),
      )
      for (const store of stores) store.close()
      expect((await all(segments.pages([NAME]))).map(({ fetch }) => fetch.url).sort()).toEqual(urls.sort())
      expect(await segments.info(NAME)).toMatchObject({ fetched: 18, complete: true })
    })

    it('returns unparsed pages with the data of their fetch list entry, and stores the result', async () => {
      const entry = { ...listEntry('http://a.test/1', 0.75), metadata: { seed: 'yes' } }
      await newSegment(NAME, [entry, listEntry('http://a.test/2')])
      const target = unparsedPage('http://b.test/target')
      const hop = unparsedPage('http://b.test/hop')
      await add([
        unparsedPage('http://a.test/1'),
        { ...hop, fetch: { ...hop.fetch, status: 'fetch_redir_temp', redirectedFrom: 'http://a.test/1' } },
        { ...target, fetch: { ...target.fetch, redirectedFrom: 'http://b.test/hop' } },
        fetchedPage('http://a.test/2'),
      ])
      const unparsed = await all(segments.unparsed(NAME))
      expect(unparsed).toEqual([
        {
          content: unparsedPage('http://a.test/1').content,
          fetch: unparsedPage('http://a.test/1').fetch,
          score: 0.75,
          metadata: { seed: 'yes' },
        },
        {
          content: target.content,
          fetch: { ...target.fetch, redirectedFrom: 'http://b.test/hop' },
          score: 0.75,
          metadata: { seed: 'yes' },
        },
      ])

      const appender = await segments.append(NAME)
      const { content: _, ...parsed } = fetchedPage('http://a.test/1')
      const done = appender.addParsed([parsed])
      await appender.close()
      await done
      expect((await all(segments.unparsed(NAME))).map(({ fetch }) => fetch.url)).toEqual([
        'http://b.test/target',
      ])
      expect(await all(segments.pages([NAME], { url: 'http://a.test/1' }))).toEqual([
        { segment: NAME, ...fetchedPage('http://a.test/1') },
      ])
      expect(await segments.info(NAME)).toMatchObject({ fetched: 4, parsed: 2 })
    })

    it('returns all rows of one URL, newest segment first', async () => {
      const url = 'http://a.test/1'
      const names = ['20270101000000', '20270102000000', '20270103000000', '20270104000000']
      for (const name of names) await newSegment(name, name === names[2] ? [] : [listEntry(url)])
      await add([fetchedPage(url, 'old'), fetchedPage(`${url}2`)], names[0])
      await add([fetchedPage(url, 'new')], names[1])
      expect(await segments.get(url)).toEqual([
        { url, segment: names[3], entry: listEntry(url) },
        { url, segment: names[1], entry: listEntry(url), ...fetchedPage(url, 'new') },
        { url, segment: names[0], entry: listEntry(url), ...fetchedPage(url, 'old') },
      ])
      expect(await segments.get('http://nowhere.test/')).toEqual([])
    })

    it('returns the newest fetch of several segments that passes the filter', async () => {
      const [old, young] = ['20270101000000', '20270102000000'] as const
      for (const name of [old, young]) await newSegment(name)
      await add([fetchedPage('http://a.test/1', 'old'), fetchedPage('http://a.test/2', 'old')], old)
      const { fetch } = fetchedPage('http://a.test/2')
      await add([fetchedPage('http://a.test/1', 'new'), { fetch: { ...fetch, status: 'fetch_gone' } }], young)
      const texts = async (statuses?: readonly PageRecord['fetch']['status'][]) =>
        (await all(segments.pages([old, young], statuses && { statuses }))).map(
          ({ segment, fetch, parseText }) => [segment, fetch.url, parseText?.text],
        )
      expect(await texts()).toEqual([
        [young, 'http://a.test/1', 'new'],
        [young, 'http://a.test/2', undefined],
      ])
      expect(await texts(['fetch_success'])).toEqual([
        [old, 'http://a.test/2', 'old'],
        [young, 'http://a.test/1', 'new'],
      ])
    })

    it('can leave bodies out', async () => {
      await newSegment(NAME)
      await add([fetchedPage('http://a.test/1')])
      const [page] = await all(segments.pages([NAME], { body: false }))
      expect(page?.content?.body).toEqual(new Uint8Array())
      expect(page?.content?.headers).toHaveLength(3)
    })

    it('can leave outlinks and anchors out', async () => {
      await newSegment(NAME)
      await add([fetchedPage('http://a.test/1')])
      const [whole] = await all(segments.pages([NAME]))
      expect(whole?.parseData?.outlinks).not.toEqual([])
      const [page] = await all(segments.pages([NAME], { outlinks: false }))
      expect(page?.parseData).toEqual({ ...whole?.parseData, outlinks: [], anchors: [] })
    })

    it.each([
      ['NULs', 'a\0b\0'],
      ['nothing', ''],
      ['escapes that JSON knows', '\\ud800 \\u0000 "quoted" \u2028'],
      ['other scripts', 'Grüße 世界 👋'],
      ['SQL', "'); DROP TABLE urls; --"],
    ])('keeps text with %s', async (_, text) => {
      await newSegment(NAME)
      const page = fetchedPage('http://a.test/1', text)
      const hostile: PageRecord = {
        ...page,
        fetch: { ...page.fetch, reason: text, metadata: { [text]: text } },
      }
      await add([hostile])
      expect(await all(segments.pages([NAME]))).toEqual([{ segment: NAME, ...hostile }])
    })

    it('replaces lone surrogates, which UTF-8 cannot encode', async () => {
      await newSegment(NAME)
      const page = fetchedPage('http://a.test/1', 'a\ud800b')
      await add([{ ...page, fetch: { ...page.fetch, metadata: { 'x\udc00': '\ud800' } } }])
      const [stored] = await all(segments.pages([NAME]))
      expect(stored?.parseText?.text).toBe('a\ufffdb')
      expect(stored?.fetch.metadata).toEqual({ 'x\ufffd': '\ufffd' })
    })

    it('keeps bodies of any bytes: none, all values, ten megabytes', async () => {
      await newSegment(NAME)
      const bodies = [
        new Uint8Array(),
        Uint8Array.from({ length: 256 }, (_, i) => i),
        new Uint8Array(10 * 1024 * 1024).fill(7),
      ]
      await add(
        bodies.map((body, i) => {
          const page = unparsedPage(`http://a.test/${i}`)
          return page.content === undefined ? page : { ...page, content: { ...page.content, body } }
        }),
      )
      const stored = await all(segments.pages([NAME]))
      expect(
        stored.map(({ content }) =>
          Buffer.compare(
            content?.body ?? Buffer.from('?'),
            bodies[stored.findIndex((page) => page.content === content)] ?? Buffer.from('!'),
          ),
        ),
      ).toEqual([0, 0, 0])
    })

    it('reads all segments again when another process deletes one meanwhile', async () => {
      const names = Array.from({ length: 8 }, (_, i) => `2027011508000${i}`)
      const url = 'http://a.test/1'
      for (const name of names) {
        await newSegment(name, [listEntry(url)])
        const appender = await segments.append(name)
        void appender.add(fetchedPage(url))
        await appender.close()
      }
      const deleter = await open({})
      for (const name of names.slice(0, -1)) {
        const readers = [segments.get(url), segments.linksTo(url, 1_000), segments.dropping([], url, 10)]
        await deleter.remove(name)
        await Promise.all(readers)
      }
      expect(await segments.get(url)).toMatchObject([{ segment: names.at(-1) }])
      deleter.close()
    })

    async function add(pages: readonly PageRecord[], name = NAME): Promise<void> {
      const appender: SegmentAppender = await segments.append(name)
      const written = pages.map((page) => appender.add(page))
      await appender.close()
      await Promise.all(written)
    }

    async function remainingUrls(): Promise<string[]> {
      return (await all(segments.remaining(NAME))).map(({ url }) => url)
    }
  })
}

async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = []
  for await (const batch of batches) items.push(...batch)
  return items
}
