import { basename, join } from 'node:path'
import type { DuckDBInstance } from '@duckdb/node-api'
import { appendAll } from '../../../base/append-all.ts'
import { diskFiles } from '../../../base/durable-files.ts'
import { withoutUndefined } from '../../../base/without-undefined.ts'
import type { AiUse } from '../../../domain/robots/ai-use.ts'
import type { ExportedPages, PageTable } from '../../../domain/segment/page-sink.ts'
import { SEGMENT_DIRECTORIES } from '../../../domain/segment/segment-columns.ts'
import type {
  FileCheck,
  SegmentInspector,
  UnreadableFile,
} from '../../../domain/segment/segment-inspector.ts'
import type {
  Merge,
  MergeResult,
  SegmentMergeOptions,
  SegmentMerger,
} from '../../../domain/segment/segment-merger.ts'
import type { FetchListEntry } from '../../../domain/segment/segment-rows.ts'
import {
  type DroppingPage,
  type FetchCount,
  type LinkOrigin,
  type OpenRedirect,
  type PageFilter,
  type RecordedPage,
  type SegmentAppender,
  type SegmentInfo,
  SegmentMissing,
  type SegmentPage,
  type SegmentStore,
  type UnparsedPage,
} from '../../../domain/segment/segment-store.ts'
import { clearSpills, spillFolder } from '../../crawl-directory/directories.ts'
import { type SegmentFiles, setPartsAside } from '../../crawl-directory/segment-files.ts'
import {
  filesIn,
  holding,
  LocalSegmentFolder,
  type SegmentFolder,
} from '../../crawl-directory/segment-folder.ts'
import { SegmentWriter, type SegmentWriterOptions } from '../../crawl-directory/segment-writer.ts'
import { explainFailure } from '../explain-failure.ts'
import { explainInterruption, interruptOn } from '../interrupt-on.ts'
import { openInstance } from '../open-instance.ts'
import { Session, sqlText } from '../session.ts'
import { mergeParquet } from './merge-parquet.ts'
import { exportParquet, type FilesBySegment, readFetches, readUnparsed, selectFetches } from './read-pages.ts'
import {
  droppingSql,
  fetchCountsSql,
  followedSql,
  type InfoRow,
  infoSql,
  type OpenRedirectRow,
  openRedirectsSql,
  REMAINING_ROWS,
  remainingSql,
} from './segment-queries.ts'
import { segmentSource } from './segment-source.ts'
import { fetchRowOf, listEntryOf, type StoredRow } from './stored-rows.ts'
import { checkFiles, isDeletion } from './unreadable-files.ts'

export interface ParquetSegmentsOptions extends SegmentWriterOptions {
  /** Where the files are. @default in the crawl directory */
  readonly folder?: SegmentFolder
  /** Threads of DuckDB. @default one per core */
  readonly threads?: number
  /** Memory limit of DuckDB; above it, DuckDB spills to temporary files in the crawl directory. @default 512 */
  readonly memoryMb?: number
  /** Connections to an open database, for queries about fetch lists and fetches. @default as for the other queries */
  readonly connect?: () => Promise<Session>
}

/** The segments of a crawl directory, stored as Parquet files; docs/file-formats.md describes them. */
export class ParquetSegments implements SegmentStore, SegmentMerger, SegmentInspector, PageTable {
  readonly #directory: string
  readonly #folder: SegmentFolder
  #instance: DuckDBInstance | undefined
  /** Opened by the first query that needs it. */
  #opening: Promise<DuckDBInstance> | undefined
  readonly #options: ParquetSegmentsOptions
  readonly #appended = new Set<string>()

  private constructor(directory: string, options: ParquetSegmentsOptions) {
    this.#directory = directory
    this.#folder = options.folder ?? new LocalSegmentFolder(join(directory, 'segments'))
    this.#options = options
  }

  /** @param directory the crawl directory; its `segments/` need not exist yet */
  static async open(directory: string, options: ParquetSegmentsOptions = {}): Promise<ParquetSegments> {
    const { writer = 'w0', exclusive = false } = options
    if (!/^[a-z0-9]+$/.test(writer))
      throw new Error(`a writer's name is small letters and digits, not ${writer}`)
    if (exclusive || options.writer !== undefined) await clearSpills(directory)
    return new ParquetSegments(directory, options)
  }

  /** Close all appenders first. */
  close(): void {
    this.#instance?.closeSync()
    this.#instance = undefined
  }

  list(): Promise<string[]> {
    return this.#folder.list()
  }

  async info(name: string): Promise<SegmentInfo> {
    const files = await this.#files(name)
    const read = filesIn(files, 'crawl_generate', 'crawl_fetch', 'parse_data')
    return this.#readList(read, async (session) => {
      const { first, last, ...counts } = await session.one<InfoRow>(infoSql(files))
      const times = first === null || last === null ? {} : { firstFetchAt: first, lastFetchAt: last }
      return { name, ...counts, ...times }
    })
  }

  async *remaining(name: string): AsyncGenerator<readonly FetchListEntry[]> {
    // A page of the list at a time, each a query of its own: nothing is held in memory or open while the entries are worked on.
    let entries: FetchListEntry[] = []
    do {
      const files = await this.#files(name)
      const sql = remainingSql(files, entries.at(-1))
      entries = []
      await this.#readList(filesIn(files, 'crawl_generate', 'crawl_fetch'), async (session) => {
        // In pieces, so that responds come in meanwhile.
        for await (const rows of session.stream<StoredRow>(sql)) appendAll(entries, rows.map(listEntryOf))
      })
      if (entries.length > 0) yield entries
    } while (entries.length === REMAINING_ROWS)
  }

  async followed(name: string): Promise<readonly string[]> {
    const files = await this.#files(name)
    const rows = await this.#readList(files.crawl_fetch, (session) =>
      session.all<{ url: string }>(followedSql(files)),
    )
    return rows.map(({ url }) => url)
  }

  async fetchCounts(name: string, since: number): Promise<readonly FetchCount[]> {
    const files = await this.#files(name)
    const groups = await this.#readList(files.crawl_fetch, (session) =>
      session.all<StoredRow>(fetchCountsSql(files, since)),
    )
    return groups.map(({ fetches, ...row }) => ({ row: fetchRowOf(row), fetches: Number(fetches) }))
  }

  async openRedirects(name: string): Promise<readonly OpenRedirect[]> {
    const files = await this.#files(name)
    const read = filesIn(files, 'crawl_generate', 'crawl_fetch', 'crawl_parse')
    const rows = await this.#readList(read, (session) =>
      session.all<StoredRow & OpenRedirectRow>(openRedirectsSql(files)),
    )
    return rows.map(({ target, chain, ...entry }) => ({ url: target, chain, entry: listEntryOf(entry) }))
  }

  async append(name: string): Promise<SegmentAppender> {
    await this.#files(name)
    if (this.#appended.has(name)) throw new Error(`segment ${name} is already open for writing`)
    this.#appended.add(name)
    return SegmentWriter.open(
      this.#folder,
      name,
      this.#options,
      (error) => explainFailure(error, this.#directory),
      () => void this.#appended.delete(name),
    )
  }

  async *unparsed(name: string): AsyncGenerator<readonly UnparsedPage[]> {
    const files = await this.#files(name)
    const read = filesIn(files, 'crawl_generate', 'crawl_fetch', 'parse_data')
    yield* this.#stream(read, (session) => readUnparsed(session, this.#folder, name, files))
  }

  async *pages(names: readonly string[], filter: PageFilter = {}): AsyncGenerator<readonly RecordedPage[]> {
    if (names.length === 0) return
    const segments: FilesBySegment = await this.filesOf(names)
    const folder = this.#folder
    const read = segments.values().flatMap((files) => files.crawl_fetch)
    const pages = async function* (session: Session) {
      await selectFetches(session, segments, filter)
      for await (const fetches of readFetches(session, folder, segments, filter)) {
        yield fetches.map(({ page }) => page)
      }
    }
    yield* this.#stream([...read], pages, filter.signal)
  }

  get(url: string): Promise<readonly SegmentPage[]> {
    return this.#steadily(() => this.#get(url))
  }

  async #get(url: string): Promise<readonly SegmentPage[]> {
    const found: SegmentPage[] = []
    for (const name of (await this.list()).reverse()) {
      const files = await this.#files(name)
      const entries = await this.#read(files.crawl_generate, (session) =>
        session.all<StoredRow>(
          `FROM ${segmentSource('crawl_generate', files.crawl_generate)} WHERE url = ${sqlText(url)}`,
        ),
      )
      const [entry] = entries.map(listEntryOf)
      const page = await first(this.pages([name], { url }))
      if (page === undefined && entry === undefined) continue
      found.push({ url, segment: name, ...withoutUndefined({ entry }), ...page })
    }
    return found
  }

  linksTo(url: string, limit: number): Promise<readonly LinkOrigin[]> {
    return this.#steadily(() => this.#linksTo(url, limit))
  }

  async #linksTo(url: string, limit: number): Promise<readonly LinkOrigin[]> {
    const found: LinkOrigin[] = []
    for (const name of await this.list()) {
      if (found.length >= limit) break
      const files = await this.#files(name)
      const links = await this.#read(files.crawl_parse, (session) =>
        session.all<Omit<LinkOrigin, 'segment'>>(
          `SELECT DISTINCT from_url AS "fromUrl", kind FROM ${segmentSource('crawl_parse', files.crawl_parse)}
           WHERE url = ${sqlText(url)} ORDER BY ALL LIMIT ${limit - found.length}`,
        ),
      )
      for (const link of links) found.push({ ...link, segment: name })
    }
    return found
  }

  dropping(
    reasons: readonly string[],
    near: string,
    limit: number,
  ): Promise<{ total: number; pages: readonly DroppingPage[] }> {
    return this.#steadily(() => this.#dropping(reasons, near, limit))
  }

  async #dropping(
    reasons: readonly string[],
    near: string,
    limit: number,
  ): Promise<{ total: number; pages: readonly DroppingPage[] }> {
    const segments = await this.filesOf(await this.list())
    if (segments.size === 0) return { total: 0, pages: [] }
    const read = segments.values().flatMap((files) => files.crawl_fetch)
    const rows = await this.#read([...read], (session) =>
      session.all<StoredRow>(droppingSql(segments, reasons, near, limit)),
    )
    const pages = rows.map(({ segment, total: _, ...row }) => {
      const { url, truncated, reason, dropped = {} } = fetchRowOf(row)
      return {
        url,
        segment: String(segment),
        dropped,
        ...withoutUndefined({ truncated, reason }),
      }
    })
    return { total: Number(rows[0]?.['total'] ?? 0), pages }
  }

  async merge(names: readonly string[], options: SegmentMergeOptions): Promise<MergeResult> {
    const segments = await this.filesOf(names)
    const { files = diskFiles } = this.#options
    const read = segments
      .values()
      .flatMap((found) => filesIn(found, 'crawl_generate', 'crawl_fetch', 'crawl_parse'))
    return this.#read([...read], (session) => mergeParquet(session, files, this.#folder, segments, options), {
      signal: options.signal,
    })
  }

  merges(): Promise<readonly Merge[]> {
    return this.#folder.merges()
  }

  async exportParquet(
    names: readonly string[],
    file: string,
    filter: PageFilter = {},
    excludeRefused: readonly AiUse[] = [],
  ): Promise<ExportedPages> {
    const segments = await this.filesOf(names)
    if (segments.size === 0)
      throw new SegmentMissing(`there are no segments in ${this.#folder.path} to export`)
    const { files = diskFiles } = this.#options
    const read = segments
      .values()
      .flatMap((found) => filesIn(found, 'crawl_fetch', 'parse_text', 'parse_data'))
    return this.#read(
      [...read],
      (session) => exportParquet(session, files, segments, file, filter, excludeRefused),
      { signal: filter.signal },
    )
  }

  async remove(name: string): Promise<void> {
    await this.#files(name)
    await this.#folder.remove(name)
  }

  checkFiles(): AsyncGenerator<FileCheck> {
    return checkFiles(this.#folder)
  }

  async setAside(parts: readonly Pick<UnreadableFile, 'segment' | 'part'>[], now: number): Promise<string> {
    const { files = diskFiles } = this.#options
    const read: string[] = []
    for (const { segment, part } of parts) {
      const found = filesIn(await this.#files(segment), ...SEGMENT_DIRECTORIES)
      appendAll(
        read,
        found.filter((file) => basename(file) === part),
      )
    }
    const folder = await holding(this.#folder, read, () => setPartsAside(files, this.#directory, parts, now))
    for (const { segment, part } of parts) await this.#folder.remove(segment, part)
    return folder
  }

  /** Runs `work` while `files`, from `filesOf`, can be read. */
  holding<T>(files: readonly string[], work: () => Promise<T>): Promise<T> {
    return holding(this.#folder, files, work)
  }

  /** The committed files of each segment, for `segmentSource`; oldest segment first. */
  async filesOf(names: readonly string[]): Promise<FilesBySegment> {
    const segments = new Map<string, SegmentFiles>()
    for (const name of [...names].sort()) segments.set(name, await this.#files(name))
    return segments
  }

  async #files(name: string): Promise<SegmentFiles> {
    const files = await this.#folder.files(name)
    if (files !== undefined) return files
    const names = await this.list()
    const there = names.length === 0 ? 'there are none' : `there are ${names.slice(-20).join(', ')}`
    throw new SegmentMissing(`no segment ${name} in ${this.#folder.path}; ${there}`)
  }

  /** Reads all segments again if one was deleted meanwhile: another process may merge them. */
  async #steadily<T>(read: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await read()
      } catch (error) {
        if (!(error instanceof SegmentMissing) || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  async #explain(error: unknown, signal?: AbortSignal): Promise<unknown> {
    if (!isDeletion(error)) return explainInterruption(await explainFailure(error, this.#directory), signal)
    return new SegmentMissing(
      `a segment in ${this.#folder.path} was deleted while it was read, as mergesegs --delete does; run the command again`,
      { cause: error },
    )
  }

  /** A query that every crawl makes: without a database of its own, if another one is open. */
  #readList<T>(files: readonly string[], work: (session: Session) => Promise<T>): Promise<T> {
    return this.#read(files, work, withoutUndefined({ connect: this.#options.connect }))
  }

  /** @param files read by `work` */
  async #read<T>(
    files: readonly string[],
    work: (session: Session) => Promise<T>,
    {
      connect = () => this.#connect(),
      signal,
    }: { readonly connect?: () => Promise<Session>; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<T> {
    const session = await connect()
    let interruption: { end(): void } | undefined
    try {
      interruption = interruptOn(signal, session)
      return await holding(this.#folder, files, () => work(session))
    } catch (error) {
      throw await this.#explain(error, signal)
    } finally {
      interruption?.end()
      session.close()
    }
  }

  async *#stream<T>(
    files: readonly string[],
    work: (session: Session) => AsyncGenerator<T>,
    signal?: AbortSignal,
  ): AsyncGenerator<T> {
    const release = await this.#folder.hold(files)
    const session = await this.#connect()
    let interruption: { end(): void } | undefined
    try {
      interruption = interruptOn(signal, session)
      yield* work(session)
      // Rows that are streamed may end without an error when they are interrupted.
      signal?.throwIfAborted()
    } catch (error) {
      throw await this.#explain(error, signal)
    } finally {
      interruption?.end()
      session.close()
      release()
    }
  }

  async #connect(): Promise<Session> {
    this.#opening ??= openMemory(this.#directory, this.#options)
    this.#instance = await this.#opening
    return new Session(await this.#instance.connect())
  }
}

function openMemory(
  directory: string,
  { threads, memoryMb = 512 }: ParquetSegmentsOptions,
): Promise<DuckDBInstance> {
  return openInstance(':memory:', {
    memory_limit: `${memoryMb}MB`,
    temp_directory: spillFolder(directory),
    // Segments are read once, from one end to the other: what was read need not be kept.
    enable_external_file_cache: 'false',
    ...(threads !== undefined && { threads: String(threads) }),
  })
}

const MAX_ATTEMPTS = 5

async function first<T>(batches: AsyncIterable<readonly T[]>): Promise<T | undefined> {
  for await (const [item] of batches) return item
  return undefined
}
