import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fetchedPage, listEntry, writeSegment } from '../../../testing/segments.ts'
import { ParquetSegments } from '../../adapters/duckdb/segments/parquet-segments.ts'
import type { PageRecord } from '../../domain/segment/segment-rows.ts'
import { exportPages, jsonlSink } from './export-pages.ts'
import { dumpSegments, getPage, readablePage, readSegmentInfos } from './read-segment.ts'

const [OLD, YOUNG] = ['20270101000000', '20270102000000'] as const
const PAGE = 'http://a.test/news/1?x=y'

let crawl: string
let segments: ParquetSegments

beforeEach(async () => {
  crawl = await mkdtemp(join(tmpdir(), 'segments-'))
  segments = await ParquetSegments.open(crawl, { threads: 1 })
  await writeSegment(crawl, OLD, [listEntry(PAGE)])
  await writeSegment(crawl, YOUNG, [listEntry(PAGE)])
})

afterEach(async () => {
  segments.close()
  await rm(crawl, { recursive: true })
})

it('exports the newest version of each page, once', async () => {
  await add(OLD, [fetchedPage(PAGE, 'old'), fetchedPage('http://a.test/2')])
  await add(YOUNG, [fetchedPage(PAGE, 'new')])
  const lines: string[] = []
  const count = await exportPages(
    segments,
    jsonlSink(async (line) => void lines.push(line)),
  )
  expect(count).toEqual({ pages: 2, excluded: {} })
  expect(lines.every((line) => line.endsWith('\n'))).toBe(true)
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ url: 'http://a.test/2', segment: OLD }),
    {
      url: PAGE,
      fetched_at: '2027-01-15T08:00:00.000Z',
      status: 'fetch_success',
      http_status: 200,
      content_type: 'text/html',
      title: `title of ${PAGE}`,
      noindex: false,
      text: 'new',
      signature: '00ff',
      bytes: fetchedPage(PAGE, 'new').fetch.bytes,
      segment: YOUNG,
    },
  ])
})

it('exports the metadata that parse filters added', async () => {
  const page = fetchedPage(PAGE)
  await add(OLD, [
    { ...page, ...(page.parseData && { parseData: { ...page.parseData, metadata: { words: '3' } } }) },
  ])
  const lines: string[] = []
  await exportPages(
    segments,
    jsonlSink(async (line) => void lines.push(line)),
  )
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ metadata: { words: '3' } }])
})

it('leaves out pages that were not fetched, unless their status is requested', async () => {
  const { fetch } = fetchedPage(PAGE)
  await add(OLD, [{ fetch: { ...fetch, status: 'fetch_gone' } }])
  const sink = jsonlSink(async () => undefined)
  expect(await exportPages(segments, sink)).toEqual({ pages: 0, excluded: {} })
  expect(await exportPages(segments, sink, { statuses: ['fetch_gone'] })).toMatchObject({ pages: 1 })
})

it('writes main content and structured data when they are wanted', async () => {
  const page = fetchedPage(PAGE)
  const html =
    '<meta property="article:published_time" content="2026-11-15"><nav>Home</nav><p>Text of the page.</p>'
  await add(OLD, [
    { ...page, ...(page.content && { content: { ...page.content, body: Buffer.from(html) } }) },
  ])
  const lines: string[] = []
  await exportPages(
    segments,
    jsonlSink(async (line) => void lines.push(line), true),
  )
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      text: 'Text of the page.',
      published: '2026-11-15T00:00:00.000Z',
      open_graph: { 'article:published_time': '2026-11-15' },
    },
  ])
})

it('lists segments, finds a page in them, and dumps them', async () => {
  await add(OLD, [fetchedPage(PAGE)])
  expect((await readSegmentInfos(segments)).map(({ name, fetched }) => [name, fetched])).toEqual([
    [OLD, 1],
    [YOUNG, 0],
  ])
  expect((await getPage(segments, PAGE)).map(({ segment }) => segment)).toEqual([YOUNG, OLD])
  expect((await getPage(segments, PAGE, OLD)).map(({ segment }) => segment)).toEqual([OLD])
  const lines: string[] = []
  expect(await dumpSegments(segments, [OLD, YOUNG], async (line) => void lines.push(line))).toBe(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    segment: OLD,
    content: { body: expect.stringContaining('<title>') },
  })
})

it('shows only the size of a binary body', () => {
  const page = fetchedPage(PAGE)
  const content = page.content && { ...page.content, body: Uint8Array.of(0xff, 0xfe) }
  const shown = readablePage({ segment: OLD, ...page, ...(content && { content }) })
  expect(shown).toMatchObject({ content: { bytes: 2 } })
  expect(shown).not.toHaveProperty('content.body')
})

async function add(name: string, pages: readonly PageRecord[]): Promise<void> {
  const appender = await segments.append(name)
  const written = pages.map((page) => appender.add(page))
  await appender.close()
  await Promise.all(written)
}
