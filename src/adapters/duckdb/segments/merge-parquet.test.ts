import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../../testing/fake-clock.ts'
import { fetchedPage, listEntry, unparsedPage, writeSegment } from '../../../../testing/segments.ts'
import { diskFiles } from '../../../base/durable-files.ts'
import type { FetchRowStatus, PageRecord } from '../../../domain/segment/segment-rows.ts'
import type { RecordedPage } from '../../../domain/segment/segment-store.ts'
import { createNormalizer } from '../../../domain/url/normalize-url.ts'
import { filterChain } from '../../../domain/url/url-filter.ts'
import { type MergeSegmentsOptions, mergeSegments } from '../../../flows/cycle/merge-segments.ts'
import { ParquetSegments } from './parquet-segments.ts'

const [FIRST, SECOND, THIRD] = ['20270101000000', '20270102000000', '20270103000000'] as const
const URL_1 = 'http://a.test/1'

let crawl: string
let segments: ParquetSegments
const clock = new FakeClock()

beforeEach(async () => {
  crawl = await mkdtemp(join(tmpdir(), 'segments-'))
  segments = await ParquetSegments.open(crawl, { clock, threads: 1 })
})

afterEach(async () => {
  segments.close()
  await rm(crawl, { recursive: true })
})

it('takes the rows of a page from the newest segment that has it', async () => {
  await write(FIRST, [fetchedPage(URL_1, 'old'), fetchedPage('http://a.test/2', 'only')])
  await write(SECOND, [fetchedPage(URL_1, 'new')])
  const result = await mergeSegments(segments, clock)
  expect(result).toEqual({ segments: ['20270115080000'], pages: 2, dropped: 1, already: false })
  expect(await pagesOf('20270115080000')).toEqual([
    { segment: '20270115080000', ...fetchedPage('http://a.test/2', 'only') },
    { segment: '20270115080000', ...fetchedPage(URL_1, 'new') },
  ])
  expect(await segments.info('20270115080000')).toMatchObject({
    generated: 2,
    fetched: 2,
    parsed: 2,
    complete: true,
  })
  expect(await segments.list()).toEqual([FIRST, SECOND, '20270115080000'])
})

it.each<[string, FetchRowStatus[], FetchRowStatus | undefined]>([
  ['keeps a success over a later retry', ['fetch_success', 'fetch_retry'], 'fetch_success'],
  ['keeps a success over a later not modified', ['fetch_success', 'fetch_notmodified'], 'fetch_success'],
  ['keeps a success over what was not reached', ['fetch_success', 'not_reached'], 'fetch_success'],
  ['keeps gone over an older success', ['fetch_success', 'fetch_gone', 'fetch_retry'], 'fetch_gone'],
  ['keeps what could not be read over an older success', ['fetch_success', 'parse_failed'], 'parse_failed'],
  ['keeps a redirect over an older gone', ['fetch_gone', 'fetch_redir_perm'], 'fetch_redir_perm'],
  ['keeps nothing of retries', ['fetch_retry', 'fetch_notmodified', 'fetch_retry'], undefined],
])('%s', async (_, statuses, survivor) => {
  const names = [FIRST, SECOND, THIRD]
  for (const [i, status] of statuses.entries()) {
    const page = fetchedPage(URL_1)
    await write(names[i] ?? '', [status === 'fetch_success' ? page : { fetch: { ...page.fetch, status } }])
  }
  const {
    segments: [name],
  } = await mergeSegments(segments, clock)
  const pages = name === undefined ? [] : await pagesOf(name)
  expect(pages.map(({ fetch }) => fetch.status)).toEqual(survivor === undefined ? [] : [survivor])
})

it('does not let a link to a page stand for a fetch to it', async () => {
  await write(FIRST, [fetchedPage(URL_1)])
  const linking = fetchedPage('http://b.test/')
  await write(SECOND, [
    { ...linking, links: [{ fromUrl: 'http://b.test/', url: URL_1, kind: 'link', score: 1 }] },
  ])
  const {
    segments: [name = ''],
  } = await mergeSegments(segments, clock)
  expect((await pagesOf(name)).map(({ fetch }) => [fetch.url, fetch.status])).toEqual([
    [URL_1, 'fetch_success'],
    ['http://b.test/', 'fetch_success'],
  ])
})

it('joins pages with what was parsed later', async () => {
  await write(FIRST, [unparsedPage(URL_1)])
  const { content: _, ...parsed } = fetchedPage(URL_1)
  const appender = await segments.append(FIRST)
  await Promise.all([appender.addParsed([parsed]), appender.flush()])
  await appender.close()
  const {
    segments: [name = ''],
  } = await mergeSegments(segments, clock)
  expect(await pagesOf(name)).toEqual([{ segment: name, ...fetchedPage(URL_1) }])
})

it('drops pages and links that the filter rejects, and gives the rest their normal form', async () => {
  await write(FIRST, [fetchedPage('http://a.test/1?sid=7'), fetchedPage('http://spam.test/')])
  const page = fetchedPage('http://a.test/2')
  await write(SECOND, [
    {
      ...page,
      links: ['http://spam.test/x', 'http://a.test/3?sid=8'].map((url) => ({
        fromUrl: 'http://a.test/2',
        url,
        kind: 'link',
        score: 1,
      })),
    },
  ])
  const noSpam = filterChain([
    { name: 'no spam', judge: ({ host }) => ({ accepted: host !== 'spam.test', rule: 'no spam' }) },
  ])
  const {
    segments: [name = ''],
    dropped,
  } = await mergeSegments(segments, clock, {
    filter: noSpam,
    normalize: createNormalizer(),
  })
  const pages = await pagesOf(name)
  expect(pages.map(({ fetch, content, parseText }) => [fetch.url, content?.url, parseText?.url])).toEqual([
    [URL_1, URL_1, URL_1],
    ['http://a.test/2', 'http://a.test/2', 'http://a.test/2'],
  ])
  expect(pages[1]?.links?.map(({ url }) => url)).toEqual(['http://a.test/3'])
  expect(dropped).toBe(1)
})

it('divides the result into segments of the given size', async () => {
  await write(
    FIRST,
    Array.from({ length: 5 }, (_, i) => fetchedPage(`http://a.test/${i}`)),
  )
  const { segments: names } = await mergeSegments(segments, clock, { slice: 2 })
  expect(names).toEqual(['20270115080000', '20270115080001', '20270115080002'])
  const slices = await Promise.all(
    names.map(async (name) => (await pagesOf(name)).map(({ fetch }) => fetch.url)),
  )
  expect(slices).toEqual([
    ['http://a.test/0', URL_1],
    ['http://a.test/2', 'http://a.test/3'],
    ['http://a.test/4'],
  ])
})

describe('the same merge again', () => {
  beforeEach(async () => {
    await write(FIRST, [fetchedPage(URL_1)])
    await write(SECOND, [fetchedPage('http://a.test/2')])
  })

  it('finds the earlier result', async () => {
    const { segments: made } = await mergeSegments(segments, clock, { slice: 1 })
    const again = await mergeSegments(segments, clock, { slice: 1 })
    expect(again).toEqual({ segments: made, pages: 2, dropped: 0, already: true })
    expect(await segments.list()).toEqual([FIRST, SECOND, ...made])
  })

  it.each([
    ['no old ones', []],
    ['one of them', [FIRST]],
    ['both', [FIRST, SECOND]],
  ])('finds it when %s are deleted', async (_, deleted) => {
    await mergeSegments(segments, clock)
    for (const name of deleted) await segments.remove(name)
    expect(await mergeSegments(segments, clock)).toMatchObject({ already: true })
  })

  it.each<[string, MergeSegmentsOptions]>([
    ['in another way', { slice: 1 }],
    ['with fewer segments', { names: [FIRST] }],
    ['again by wish', { again: true }],
  ])('merges %s', async (_, options) => {
    await mergeSegments(segments, clock)
    expect(await mergeSegments(segments, clock, options)).toMatchObject({ already: false })
  })

  it('merges segments that were added since', async () => {
    await mergeSegments(segments, clock)
    await write(THIRD, [fetchedPage('http://a.test/3')])
    expect(await mergeSegments(segments, clock)).toMatchObject({ already: false, pages: 3 })
  })

  it('merges again if one of the new segments is missing', async () => {
    const { segments: made } = await mergeSegments(segments, clock, { slice: 1 })
    await segments.remove(made[0] ?? '')
    expect(await mergeSegments(segments, clock, { slice: 1 })).toMatchObject({ already: false, pages: 2 })
  })
})

it('makes large parts of small ones', async () => {
  for (let i = 0; i < 4; i++) await write(FIRST, [fetchedPage(`http://a.test/${i}`)])
  const {
    segments: [name = ''],
  } = await mergeSegments(segments, clock)
  expect(await readdir(join(crawl, 'segments', FIRST, 'content'))).toHaveLength(4)
  expect(await readdir(join(crawl, 'segments', name, 'content'))).toHaveLength(1)
})

it('refuses a segment that is not fetched completely', async () => {
  await writeSegment(crawl, FIRST, [listEntry(URL_1)])
  await expect(mergeSegments(segments, clock)).rejects.toThrow(`segment ${FIRST} is not fetched completely`)
})

it('leaves no segment behind when it fails', async () => {
  await write(FIRST, [fetchedPage(URL_1)])
  const broken = await ParquetSegments.open(crawl, {
    threads: 1,
    files: { ...diskFiles, rename: () => Promise.reject(new Error('no space left on device')) },
  })
  await expect(mergeSegments(broken, clock)).rejects.toMatchObject({ code: 'RESOURCES_EXHAUSTED' })
  broken.close()
  expect(await readdir(join(crawl, 'segments'))).toEqual([FIRST])
})

it('removes a segment', async () => {
  await write(FIRST, [fetchedPage(URL_1)])
  await segments.remove(FIRST)
  expect(await readdir(join(crawl, 'segments'))).toEqual([])
})

async function write(name: string, pages: readonly PageRecord[]): Promise<void> {
  if (!(await segments.list()).includes(name)) {
    await writeSegment(
      crawl,
      name,
      pages.map(({ fetch }) => listEntry(fetch.url)),
    )
  }
  const appender = await segments.append(name)
  const written = pages.map((page) => appender.add(page))
  await appender.close()
  await Promise.all(written)
}

async function pagesOf(name: string): Promise<RecordedPage[]> {
  const pages: RecordedPage[] = []
  for await (const batch of segments.pages([name])) pages.push(...batch)
  return pages
}
