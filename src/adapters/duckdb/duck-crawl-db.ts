import { listValue } from '@duckdb/node-api'
import type {
  CrawlDb,
  CrawlDbStats,
  HostWaits,
  InjectResult,
  LostPart,
  MergedRecords,
  SegmentState,
} from '../../domain/crawldb/crawl-db.ts'
import type {
  DedupRequest,
  DedupResult,
  GenerateRequest,
  GenerateResult,
  UpdateRequest,
  UpdateResult,
} from '../../domain/crawldb/crawl-db-requests.ts'
import type { CrawlRecord } from '../../domain/crawldb/crawl-record.ts'
import type { InjectRules, SeedBatch } from '../../domain/crawldb/inject-record.ts'
import type { Inlink, InvertRequest, InvertResult, LinkDb } from '../../domain/crawldb/link-db.ts'
import { type RecordRow, recordOf } from '../../domain/crawldb/record-row.ts'
import type { NearPage, NoveltyChange, NoveltyReport } from '../../domain/novelty/novelty-report.ts'
import type { SegmentFolder } from '../crawl-directory/segment-folder.ts'
import type { Database } from './database.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { injectSeeds } from './inject-seeds.ts'
import { inlinksOf, invertLinks } from './invert-links.ts'
import { markDuplicates } from './mark-duplicates.ts'
import { mergeLinks, mergeRecords } from './merge-from.ts'
import { markNearDuplicates } from './novelty/near-duplicates.ts'
import { changeNovelty, readNearPages, readNovelty } from './novelty/read-novelty.ts'
import { countDue } from './rank-due.ts'
import { readHostWaits } from './read-host-waits.ts'
import { readStats } from './read-stats.ts'
import { releaseParts } from './release-parts.ts'
import { retryFailedUrls } from './retry-failed-urls.ts'
import { RECORD_COLUMNS } from './schema.ts'
import { adoptSegments, closeSegment } from './segment-progress.ts'
import type { Session } from './session.ts'
import { updateInBatches } from './update-in-batches.ts'
import { generateSegments, nameSegment } from './write-fetch-lists.ts'

/** A CrawlDb and LinkDb in one DuckDB file. Each method that changes data is one transaction, but a large update has several. */
export class DuckCrawlDb implements CrawlDb, LinkDb {
  readonly #database: Database
  readonly #folder: SegmentFolder
  /** Leftovers are deleted when the directory is next opened. */
  readonly #seedsPath: string

  constructor(database: Database, folder: SegmentFolder, seedsPath: string) {
    this.#database = database
    this.#folder = folder
    this.#seedsPath = seedsPath
  }

  inject(
    seeds: AsyncIterable<SeedBatch>,
    rules: InjectRules,
    now: number,
    signal?: AbortSignal,
  ): Promise<InjectResult> {
    return this.#database.change(
      (session) => injectSeeds(session, this.#seedsPath, seeds, rules, now),
      signal,
    )
  }

  async generate(request: GenerateRequest): Promise<GenerateResult> {
    const { lists, rejected, held } = await this.#database.change(
      (session) => generateSegments(session, this.#folder, request),
      request.signal,
    )
    for (const { name } of lists) await nameSegment(this.#folder.path, name)
    for (const { name } of lists) await this.#folder.publish(name)
    const selected = lists.reduce((sum, { urls }) => sum + urls, 0)
    return { segments: lists, selected, rejected, ...(request.novelty !== undefined && { held }) }
  }

  update(request: UpdateRequest): Promise<UpdateResult> {
    return updateInBatches(this.#database, this.#folder, request)
  }

  abandon(segment: string): Promise<number> {
    return this.#database.change(async (session) => {
      await session.begin()
      return closeSegment(session, segment, 'abandoned')
    })
  }

  release(parts: readonly LostPart[], now: number): Promise<number> {
    return this.#database.change((session) => releaseParts(session, this.#folder, parts, now))
  }

  retryFailed(now: number, url?: string): Promise<number> {
    return this.#database.change((session) => retryFailedUrls(session, now, url))
  }

  markDuplicates(request: DedupRequest = {}): Promise<DedupResult> {
    return this.#database.change(
      (session) =>
        request.near === true
          ? markNearDuplicates(session, this.#folder, request)
          : markDuplicates(session, request),
      request.signal,
    )
  }

  mergeRecords(directory: string, signal?: AbortSignal): Promise<MergedRecords> {
    return this.#database.change((session) => mergeRecords(session, directory), signal)
  }

  mergeLinks(directory: string, signal?: AbortSignal): Promise<number> {
    return this.#database.change((session) => mergeLinks(session, directory), signal)
  }

  segments(): Promise<SegmentState[]> {
    return this.#database.read((session) =>
      session.all<SegmentState>(`
        SELECT s.name, s.created_at::DOUBLE AS "createdAt", s.urls, s.state, count(f.part)::INTEGER AS "partsMerged"
        FROM segments s LEFT JOIN folded_parts f ON f.segment = s.name GROUP BY ALL ORDER BY s.name`),
    )
  }

  adopt(segments: readonly string[], from: readonly string[]): Promise<string[]> {
    return this.#database.change((session) => adoptSegments(session, this.#folder, segments, from))
  }

  seeds(): Promise<string[]> {
    return this.#database.read(async (session) =>
      (await session.all<{ url: string }>('SELECT url FROM seed_hosts ORDER BY url')).map(({ url }) => url),
    )
  }

  async find(url: string): Promise<CrawlRecord | undefined> {
    return (await this.findAll([url])).get(url)
  }

  findAll(urls: readonly string[]): Promise<ReadonlyMap<string, CrawlRecord>> {
    return this.#database.read((session) => findRecords(session, urls))
  }

  countDue(now: number, maxIntervalSeconds: number): Promise<number> {
    return this.#database.read((session) => countDue(session, now, maxIntervalSeconds))
  }

  stats(): Promise<CrawlDbStats> {
    return this.#database.read(readStats)
  }

  hostWaits(now: number, host?: string): Promise<HostWaits> {
    return this.#database.read((session) => readHostWaits(session, now, host))
  }

  novelty(url?: string): Promise<NoveltyReport> {
    return this.#database.read((session) => readNovelty(session, url))
  }

  changeNovelty(change: NoveltyChange): Promise<number> {
    return this.#database.change((session) => changeNovelty(session, change))
  }

  nearPages(url?: string): Promise<NearPage[]> {
    return this.#database.read((session) => readNearPages(session, url))
  }

  invert(request: InvertRequest): Promise<InvertResult> {
    return this.#database.change((session) => invertLinks(session, this.#folder, request), request.signal)
  }

  inlinks(url: string): Promise<Inlink[]> {
    return this.#database.read((session) => inlinksOf(session, url))
  }
}

/**
 * The records of the known URLs. The first query scans only the fingerprints, the second reads the matching rows: a single query would
 * read all URLs as well, which takes twice as long with ten million.
 */
export async function findRecords(
  session: Session,
  urls: readonly string[],
): Promise<Map<string, CrawlRecord>> {
  if (urls.length === 0) return new Map()
  const rows = await session.all<RecordRow>(
    `
    WITH
      wanted AS (SELECT unnest($1::VARCHAR[]) AS url),
      hits AS MATERIALIZED (
        SELECT u.rowid AS row_id FROM urls u WHERE u.fp IN (SELECT ${fingerprint64Sql('url')} FROM wanted)
      )
    SELECT u.url, ${RECORD_COLUMNS}
    FROM urls u WHERE u.rowid IN (SELECT row_id FROM hits) AND u.url IN (SELECT url FROM wanted)`,
    [listValue(urls)],
  )
  return new Map(rows.map((row) => [row.url, recordOf(row)]))
}
