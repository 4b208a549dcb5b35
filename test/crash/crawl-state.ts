import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { openCrawlDirectoryToRead } from '../../src/adapters/duckdb/open-crawl-directory-to-read.ts'
import { ParquetSegments } from '../../src/adapters/duckdb/segments/parquet-segments.ts'
import type { RecordedPage } from '../../src/domain/segment/segment-store.ts'
import { openCrawlSegments } from '../../src/wiring/crawl-segments.ts'

/** The contents of a crawl directory without times and segment names, which are times. */
export interface CrawlState {
  readonly records: readonly RecordState[]
  /** Of the link database: from, to, anchor. */
  readonly links: readonly string[]
  readonly segments: readonly SegmentContents[]
}

export interface RecordState {
  readonly url: string
  readonly status: string
  readonly retries: number
  /** Rounded to six digits: the order in which floats are added is not defined. */
  readonly score: number
  readonly signature: string | null
  readonly etag: string | null
  readonly metadata: string | null
  /** The position of the segment it is marked for. */
  readonly markedFor: number | null
}

export interface SegmentContents {
  readonly state: string
  /** URLs of the fetch list with no row. */
  readonly remaining: readonly string[]
  /** URLs with a row, each as often as it has one. */
  readonly rows: readonly string[]
  /** The counted fetch of each URL, whole. */
  readonly pages: readonly string[]
}

export async function readCrawlState(path: string): Promise<CrawlState> {
  const directory = await openCrawlDirectoryToRead(path, { command: 'test', threads: 1 })
  const { segments, ...opened } = await openSegments(path)
  try {
    const names = await segments.list()
    const states = new Map((await directory.db.segments()).map(({ name, state }) => [name, state]))
    const { rows } = await directory.reader.sql(
      'SELECT url, status, retries, score, signature, etag, metadata, generated_in FROM crawldb ORDER BY url',
    )
    const links = await directory.reader.sql('SELECT from_url, to_url, anchor FROM links ORDER BY ALL')
    return {
      records: rows.map((row) => recordState(row, names)),
      links: links.rows.map((row) => row.join(' ')),
      segments: await Promise.all(
        names.map(async (name) => ({
          state: states.get(name) ?? 'unknown',
          ...(await segmentContents(segments, name)),
        })),
      ),
    }
  } finally {
    await opened.close()
    await directory.close()
  }
}

/** The segments of a crawl directory, wherever they are. */
async function openSegments(path: string) {
  const place = await openCrawlSegments(path, { segmentCacheMb: 4096, objectStore: {} }, 'read')
  const segments = await ParquetSegments.open(path, { folder: place.folder })
  const close = (): Promise<void> => {
    segments.close()
    return place.close()
  }
  return { segments, close }
}

/** URLs that have a row in a segment now. */
export async function recordedUrls(path: string): Promise<Set<string>> {
  const { segments, ...opened } = await openSegments(path)
  try {
    const urls = new Set<string>()
    for await (const pages of segments.pages(await segments.list(), { body: false, links: false }))
      for (const { fetch } of pages) if (fetch.status !== 'not_reached') urls.add(fetch.url)
    return urls
  } finally {
    await opened.close()
  }
}

/** Temporary files, which must not exist in a crawl directory without a running process; notes about objects are none. */
export function leftovers(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => /(^|\/)(\.|lock)|\.(tmp|wal)$/.test(name) && !/\/\.(published|part-.*\.put)$/.test(name),
    )
    .sort()
}

function recordState(row: readonly unknown[], names: readonly string[]): RecordState {
  const [url, status, retries, score, signature, etag, metadata, generatedIn] = row
  return {
    url: String(url),
    status: String(status),
    retries: Number(retries),
    score: Number(Number(score).toPrecision(6)),
    signature: textOrNull(signature),
    etag: textOrNull(etag),
    metadata: textOrNull(metadata),
    markedFor: generatedIn === null ? null : names.indexOf(String(generatedIn)),
  }
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : String(value)
}

async function segmentContents(
  segments: ParquetSegments,
  name: string,
): Promise<Omit<SegmentContents, 'state'>> {
  const remaining: string[] = []
  for await (const entries of segments.remaining(name)) remaining.push(...entries.map(({ url }) => url))
  const pages: string[] = []
  for await (const batch of segments.pages([name])) pages.push(...batch.map(pageText))
  const { crawl_fetch: files = [] } = (await segments.filesOf([name])).get(name) ?? {}
  const rows = await segments.holding(files, () => fetchRows(files))
  return { remaining: remaining.sort(), rows, pages: pages.sort() }
}

async function fetchRows(files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return []
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  try {
    const list = files.map((file) => `'${file}'`).join(', ')
    const reader = await (await instance.connect()).runAndReadAll(
      // Which URLs a redirect reaches before their list does depends on time, undisturbed too; they have a row that says so.
      `SELECT url FROM read_parquet([${list}]) WHERE reason IS DISTINCT FROM 'a redirect led there before' ORDER BY url`,
    )
    return reader.getRows().map(([url]) => String(url))
  } finally {
    instance.closeSync()
  }
}

function pageText({ fetch, content, parseText, parseData, links = [] }: RecordedPage): string {
  const parts = {
    url: fetch.url,
    status: fetch.status,
    signature: fetch.signature,
    body: content && createHash('sha256').update(content.body).digest('hex'),
    text: parseText?.text,
    title: parseData?.title,
    links: links.map(({ url, kind, score }) => `${kind} ${url} ${score.toPrecision(6)}`).sort(),
  }
  return JSON.stringify(parts)
}
