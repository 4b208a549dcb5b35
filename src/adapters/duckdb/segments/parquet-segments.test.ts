import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../../testing/fake-clock.ts'
import { segmentStoreContract } from '../../../../testing/segment-store-contract.ts'
import { fetchedPage, listEntry, writeSegment } from '../../../../testing/segments.ts'
import { type DurableFiles, diskFiles } from '../../../base/durable-files.ts'
import type { PageRecord } from '../../../domain/segment/segment-rows.ts'
import { type SegmentAppender, SegmentMissing } from '../../../domain/segment/segment-store.ts'
import { ParquetSegments } from './parquet-segments.ts'

const NAME = '20270115080000'
const URLS = ['http://a.test/1', 'http://a.test/2', 'http://b.test/1']

let crawl: string
let clock: FakeClock
let segments: ParquetSegments

beforeEach(async () => {
  crawl = await mkdtemp(join(tmpdir(), 'segments-'))
  clock = new FakeClock()
  segments = await ParquetSegments.open(crawl, { clock, threads: 1 })
})

afterEach(async () => {
  segments.close()
  await rm(crawl, { recursive: true })
})

segmentStoreContract('in the crawl directory', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'segments-'))
  return {
    crawl: directory,
    open: (options) => ParquetSegments.open(directory, { clock: new FakeClock(), threads: 1, ...options }),
    newSegment: (...segment) => writeSegment(directory, ...segment),
    close: () => rm(directory, { recursive: true }),
  }
})

it('lists no segments in a directory that is not there yet', async () => {
  expect(await segments.list()).toEqual([])
})

it('removes temporary files of killed processes of this machine when it writes', async () => {
  const dead = spawnSync(process.execPath, ['--version']).pid
  const here = hostname()
  const left = [
    `.segments-tmp-${dead}-1@${here}`,
    `.segments-tmp-${dead}-1@${here}2`,
    `.segments-tmp-${process.pid}-9@${here}`,
    'notes',
  ]
  for (const options of [{ exclusive: true }, { writer: 'w7' }]) {
    for (const name of left) await mkdir(join(crawl, name), { recursive: true })
    segments.close()
    segments = await ParquetSegments.open(crawl, { threads: 1 })
    expect((await readdir(crawl)).sort()).toEqual([...left].sort())
    segments.close()
    segments = await ParquetSegments.open(crawl, { ...options, threads: 1 })
    expect((await readdir(crawl)).sort()).toEqual(left.slice(1).sort())
  }
})

it('removes old unfinished files of other writers when it holds the lock', async () => {
  await writeSegment(crawl, NAME, [listEntry('http://a.test/1')])
  await add([fetchedPage('http://a.test/1')])
  const content = join(crawl, 'segments', NAME, 'content')
  const old = ['.part-000002-w9.parquet.tmp', 'part-000003-w9.parquet']
  const young = '.part-000002-w8.parquet.tmp'
  for (const name of [...old, young]) await writeFile(join(content, name), '')
  const longAgo = Date.now() / 1000 - 7_200
  for (const name of [...old, 'part-000001-w0.parquet']) await utimes(join(content, name), longAgo, longAgo)
  await (await segments.append(NAME)).close()
  expect(await readdir(content)).toHaveLength(4)
  const locked = await ParquetSegments.open(crawl, { clock, threads: 1, exclusive: true })
  await (await locked.append(NAME)).close()
  locked.close()
  expect((await readdir(content)).sort()).toEqual([young, 'part-000001-w0.parquet'])
})

it('collects pages in one part while another is being written, however long that takes', async () => {
  await writeSegment(
    crawl,
    NAME,
    URLS.map((url) => listEntry(url)),
  )
  const disk = Promise.withResolvers<void>()
  const files: DurableFiles = {
    ...diskFiles,
    async write(path, pieces) {
      await disk.promise
      await diskFiles.write(path, pieces)
    },
  }
  const slow = await ParquetSegments.open(crawl, { clock, threads: 1, files })
  const appender = await slow.append(NAME)
  const written: Promise<void>[] = []
  for (const url of URLS) {
    written.push(appender.add(fetchedPage(url)))
    clock.advance(2_000)
  }
  disk.resolve()
  await Promise.all(written)
  await appender.close()
  slow.close()
  expect(await readdir(join(crawl, 'segments', NAME, 'crawl_fetch'))).toHaveLength(2)
})

it('reads files of version 0.1, without a reason phrase, next to newer ones', async () => {
  await writeSegment(
    crawl,
    NAME,
    URLS.map((url) => listEntry(url)),
  )
  await add([withReason('http://a.test/1', 'Old')])
  const content = join(crawl, 'segments', NAME, 'content')
  const [file = ''] = await readdir(content)
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(
    `COPY (SELECT * EXCLUDE (reason_phrase) FROM '${join(content, file)}') TO '${join(content, 'old')}' (FORMAT parquet)`,
  )
  await rename(join(content, 'old'), join(content, file))
  const reasons = async () => {
    const pages = await all(segments.pages([NAME]))
    return pages.map(({ fetch, content: response }) => [fetch.url, response?.reasonPhrase])
  }
  expect(await reasons()).toEqual([['http://a.test/1', undefined]])
  await add([withReason('http://a.test/2', 'New')])
  expect(await reasons()).toEqual([
    ['http://a.test/1', undefined],
    ['http://a.test/2', 'New'],
  ])
})

function withReason(url: string, reasonPhrase: string): PageRecord {
  const page = fetchedPage(url)
  return { ...page, ...(page.content !== undefined && { content: { ...page.content, reasonPhrase } }) }
}

it('lists segments by age, and nothing else', async () => {
  for (const name of ['20270115080001', NAME, '.20270115080002.tmp', 'notes']) await writeSegment(crawl, name)
  expect(await segments.list()).toEqual([NAME, '20270115080001'])
})

it('writes a part when the maximum delay has passed, and not before', async () => {
  await writeSegment(
    crawl,
    NAME,
    URLS.map((url) => listEntry(url)),
  )
  const appender = await segments.append(NAME)
  const written = appender.add(fetchedPage('http://a.test/1'))
  clock.advance(1_999)
  expect(await parts('crawl_fetch')).toEqual([])
  clock.advance(1)
  await written
  expect(await parts('crawl_fetch')).toEqual(['part-000001-w0.parquet'])
  await appender.close()
})

it('writes a part when its size is reached', async () => {
  await writeSegment(crawl, NAME)
  const small = await ParquetSegments.open(crawl, { clock, threads: 1, partBytes: 1 })
  const appender = await small.append(NAME)
  await appender.add(fetchedPage('http://a.test/1'))
  await appender.close()
  small.close()
  expect(await parts('content')).toEqual(['part-000001-w0.parquet'])
})

it('writes no file for a directory that a part has no rows for', async () => {
  await writeSegment(crawl, NAME)
  await add([{ fetch: fetchedPage('http://a.test/1').fetch }])
  expect(await parts('content')).toEqual([])
  expect(await all(segments.pages([NAME]))).toEqual([
    { segment: NAME, fetch: fetchedPage('http://a.test/1').fetch },
  ])
})

it('applies back-pressure while too much is unwritten', async () => {
  await writeSegment(crawl, NAME)
  const tight = await ParquetSegments.open(crawl, { clock, threads: 1, bufferBytes: 1_000 })
  const appender = await tight.append(NAME)
  const written = appender.add(fetchedPage('http://a.test/1', 'x'.repeat(2_000)))
  await appender.room()
  // Room means that the page is on the disk by now: nothing else could have made it.
  expect(await parts('crawl_fetch')).toHaveLength(1)
  await written
  await appender.close()
  tight.close()
})

async function add(pages: readonly PageRecord[], name = NAME): Promise<void> {
  const appender: SegmentAppender = await segments.append(name)
  const written = pages.map((page) => appender.add(page))
  await appender.close()
  await Promise.all(written)
}

async function parts(directory: string): Promise<string[]> {
  return readdir(join(crawl, 'segments', NAME, directory))
}

async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = []
  for await (const batch of batches) items.push(...batch)
  return items
}

it('says that a segment was deleted while its pages were read', async () => {
  await writeSegment(
    crawl,
    NAME,
    URLS.map((url) => listEntry(url)),
  )
  await add(URLS.map((url) => fetchedPage(url)))
  // Found in the listing, and gone when it is opened.
  const part = join(crawl, 'segments', NAME, 'crawl_fetch', 'part-000099-w0.parquet')
  await symlink(join(crawl, 'gone'), part)
  await expect(all(segments.pages([NAME]))).rejects.toThrow(/was deleted while it was read/)
  await expect(segments.info(NAME)).rejects.toThrow(SegmentMissing)
})
