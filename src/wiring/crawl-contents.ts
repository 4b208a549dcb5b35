import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { warcSink } from '../adapters/warc/warc-sink.ts'
import { wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { EventLog } from '../base/event-log.ts'
import { keeping } from '../base/interrupted.ts'
import { packageVersion } from '../base/package-version.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CrawlRecord } from '../domain/crawldb/crawl-record.ts'
import { CRAWL_STATUSES, isDbStatus } from '../domain/crawldb/crawl-status.ts'
import type { ChunkOptions } from '../domain/extraction/chunk-blocks.ts'
import { isObjectStoreUrl } from '../domain/object-store/object-store-url.ts'
import { AI_USES } from '../domain/robots/ai-use.ts'
import type { ExportedPages } from '../domain/segment/page-sink.ts'
import { CONTENT_STATUSES } from '../domain/segment/segment-rows.ts'
import type { RecordedPage } from '../domain/segment/segment-store.ts'
import { hostOf } from '../domain/url/host-of.ts'
import { chunkSink } from '../flows/cycle/chunk-sink.ts'
import { cleanIndex, removeFromIndex } from '../flows/cycle/clean-index.ts'
import { exportPages, jsonlSink } from '../flows/cycle/export-pages.ts'
import type { TargetResult } from '../flows/cycle/index-pages.ts'
import { markdownSink } from '../flows/cycle/markdown-sink.ts'
import { type CrawlSession, chosenSegments } from './crawl-session.ts'
import type {
  CleanedIndex,
  CleanOptions,
  CrawledPage,
  ExportPagesOptions,
  IndexStepOptions,
  PagesOptions,
  RecordsOptions,
} from './cycle-options.ts'
import { exportToObjects } from './export-to-objects.ts'
import { EMBEDDED, indexCrawl, indexTargets } from './index-targets.ts'
import { writeFileWhole } from './write-file-whole.ts'

/** Reading an open crawl, and writing its pages to indexes and files. */

/** Batches of fetched pages, the newest version of each. */
export async function* readPages(
  { segments }: CrawlSession,
  { host, segments: named, body = false }: PagesOptions,
): AsyncGenerator<readonly CrawledPage[]> {
  const names = await chosenSegments(segments, named)
  for await (const batch of segments.pages(names, { statuses: CONTENT_STATUSES, body, links: false })) {
    const wanted = host === undefined ? batch : batch.filter(({ fetch }) => hostOf(fetch.url) === host)
    yield wanted.map((page) => crawledPage(page, body))
  }
}

function crawledPage(
  { segment, fetch, content, parseData, parseText }: RecordedPage,
  body: boolean,
): CrawledPage {
  const { url, fetchedAt, httpStatus, contentType } = fetch
  const { description, language, canonical } = parseData ?? {}
  return {
    url,
    title: parseData?.title ?? '',
    text: parseText?.text ?? '',
    noindex: parseData?.noindex ?? false,
    outlinks: parseData?.outlinks ?? [],
    fetchedAt,
    headers: content?.headers ?? [],
    metadata: parseData?.metadata ?? {},
    segment,
    ...withoutUndefined({ description, language, canonical, contentType, httpStatus }),
    ...(body && content !== undefined && { body: content.body }),
  }
}

const DB_STATUSES = CRAWL_STATUSES.map(({ name }) => name).filter(isDbStatus)

/** Batches of records of the CrawlDb. */
export async function* readRecords(
  { db, reader }: CrawlSession,
  { status = DB_STATUSES, host }: RecordsOptions,
): AsyncGenerator<readonly CrawlRecord[]> {
  for await (const batch of reader.withStatus(status)) {
    const urls = batch.map(({ url }) => url).filter((url) => host === undefined || hostOf(url) === host)
    if (urls.length > 0) yield [...(await db.findAll(urls)).values()]
  }
}

/** @throws ConfigurationError if the crawl has no pages */
export async function indexStep(
  session: CrawlSession,
  { to = [EMBEDDED], segments: named, all = false, deleteGone = true, ...options }: IndexStepOptions,
  log: EventLog,
): Promise<TargetResult[]> {
  await requirePages(session)
  const { signal = new AbortController().signal } = options
  const segments = named === undefined ? undefined : await chosenSegments(session.segments, named)
  const targets = indexTargets(session, to, log, signal)
  return indexCrawl(session, { targets, all, deleteGone, ...withoutUndefined({ segments }) }, log, signal)
}

async function requirePages({ segments, items, path }: CrawlSession): Promise<void> {
  if ((await segments.list()).length > 0) return
  const [item] = await items.items(0, 1)
  throw new ConfigurationError(
    'OPTION_INVALID',
    item !== undefined
      ? `${path} is the crawl of a spider that kept items, not pages, so there is nothing to index: run it with --keep-pages; orbweaver items ${path} prints the items`
      : `${path} has no pages yet: fetch some with orbweaver crawl`,
  )
}

/** One result per index, or one for `remove`. */
export async function cleanStep(
  session: CrawlSession,
  { to = [EMBEDDED], remove, status, signal = new AbortController().signal }: CleanOptions,
  log: EventLog,
): Promise<CleanedIndex[]> {
  if (remove !== undefined) return [await cleanIndex(session.reader, remove, status)]
  const results: CleanedIndex[] = []
  for (const { key, open } of indexTargets(session, to, log, signal)) {
    const writer = await open()
    try {
      const removed = await cleanIndex(
        session.reader,
        (urls) => removeFromIndex(session.indexLedger, key, writer, urls),
        status,
      )
      results.push({ target: key, ...removed })
    } finally {
      await writer.close()
    }
  }
  return results
}

/** Returns the number of pages. */
export async function exportStep(session: CrawlSession, options: ExportPagesOptions): Promise<number> {
  const { out, onExcluded, excludeRefused = [] } = options
  const unknown = excludeRefused.find((use) => !AI_USES.includes(use))
  if (unknown !== undefined)
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `excludeRefused: ${JSON.stringify(unknown)} is not a use; the uses are ${AI_USES.join(', ')}`,
    )
  const { settings, log } = session
  const exportTo = async (path: string) => {
    const { pages, excluded } = await keeping(unfinishedText(options), () =>
      exportToFile(session, { ...options, out: path }),
    )
    if (Object.keys(excluded).length > 0) onExcluded?.(excluded)
    return pages
  }
  return isObjectStoreUrl(out) ? exportToObjects(out, settings.objectStore, log, exportTo) : exportTo(out)
}

function unfinishedText({ format, out }: ExportPagesOptions): string {
  return format === 'markdown' && !out.endsWith('.md') && !isObjectStoreUrl(out)
    ? `only some pages are in ${out}`
    : `${out} was not written`
}

async function exportToFile(
  { db, segments, settings }: CrawlSession,
  {
    format = 'jsonl',
    out,
    segments: named,
    excludeRefused = [],
    clean = false,
    nearDuplicates = true,
    signal,
    ...options
  }: ExportPagesOptions,
): Promise<ExportedPages> {
  const names = await chosenSegments(segments, named)
  if (names.length === 0) return { pages: 0, excluded: {} }
  if (format === 'parquet' && !nearDuplicates)
    throw new ConfigurationError(
      'EXPORT_INVALID',
      'near-duplicates cannot be left out of Parquet files (--no-near-duplicates): use jsonl, or remove them with dedup --near --mark',
    )
  const needsClusters = format === 'jsonl' || !nearDuplicates
  const near = new Map(needsClusters ? (await db.nearPages()).map((page) => [page.url, page]) : [])
  const interruption = withoutUndefined({ signal })
  const chosen = { names, excludeRefused, near, nearDuplicates, ...interruption }
  switch (format) {
    case 'parquet':
      return segments.exportParquet(
        names,
        out,
        { statuses: ['fetch_success'], ...interruption },
        excludeRefused,
      )
    case 'markdown': {
      if (out.endsWith('.md'))
        return writeFileWhole(out, (write) =>
          exportPages(
            segments,
            markdownSink((_, text) => write(`${text}\n`)),
            chosen,
          ),
        )
      const sink = markdownSink(async (path, text) => {
        const file = join(out, path)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, text)
      })
      return exportPages(segments, sink, chosen)
    }
    case 'jsonl':
      return writeFileWhole(out, (write) =>
        exportPages(segments, jsonlSink(write, clean, near), { ...chosen, content: clean }),
      )
    case 'chunks':
      return writeFileWhole(out, (write) =>
        exportPages(segments, chunkSink(write, chunkOptions(options)), chosen),
      )
    case 'warc': {
      const { email, contactUrl } = settings.agent
      const info = {
        fileName: basename(out),
        software: `orbweaver/${packageVersion()}`,
        now: wallClock.now(),
        ...withoutUndefined({ operator: email ?? contactUrl }),
      }
      return writeFileWhole(out, (write) =>
        exportPages(segments, warcSink(write, info), { ...chosen, statuses: CONTENT_STATUSES }),
      )
    }
  }
}

function chunkOptions({
  chunkSize: size = DEFAULT_CHUNK_SIZE,
  chunkOverlap: overlap = 0,
}: Pick<ExportPagesOptions, 'chunkSize' | 'chunkOverlap'>): ChunkOptions {
  const isWhole = Number.isSafeInteger(size) && Number.isSafeInteger(overlap)
  if (!isWhole || size < MIN_CHUNK_SIZE || overlap < 0 || overlap > size / 2)
    throw new ConfigurationError(
      'OPTION_INVALID',
      `a chunk has at least ${MIN_CHUNK_SIZE} characters and an overlap of at most half of them: --chunk-size ${size} --chunk-overlap ${overlap} cannot be used`,
    )
  return { size, overlap }
}

/** Characters: about 500 tokens of English. */
export const DEFAULT_CHUNK_SIZE = 2_000
const MIN_CHUNK_SIZE = 100
