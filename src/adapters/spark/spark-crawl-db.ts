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
import { statusCode } from '../../domain/crawldb/crawl-status.ts'
import type { InjectRules, SeedBatch } from '../../domain/crawldb/inject-record.ts'
import type { Inlink, InvertRequest, InvertResult, LinkDb } from '../../domain/crawldb/link-db.ts'
import { type RecordRow, recordOf } from '../../domain/crawldb/record-row.ts'
import type { NearPage, NoveltyReport } from '../../domain/novelty/novelty-report.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import type { SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { partsOfMerge, unmergedParts } from '../duckdb/segment-progress.ts'
import { nameSegment } from '../duckdb/write-fetch-lists.ts'
import { hostInSpark, sparkList, sparkText } from './crawl-tables.ts'
import type { CrawlVersions } from './crawl-versions.ts'
import { generateLists, isDueSql } from './generate-lists.ts'
import { needsDuckDb } from './needs-duckdb.ts'
import type { RuleQueries } from './rule-queries.ts'
import { abandonSegment, mergedParts, withSegment, withState, writeParts } from './segment-states.ts'
import { dedupOnSpark } from './spark-dedup.ts'
import { injectOnSpark } from './spark-inject.ts'
import { invertOnSpark, sparkInlinks } from './spark-invert.ts'
import { releaseOnSpark } from './spark-release.ts'
import { sparkHostWaits, sparkStats } from './spark-stats.ts'
import { updateOnSpark } from './spark-update.ts'
import { RECORD_INPUT, urlRows } from './write-urls.ts'

/** Up to this number of URLs a query names them and their hosts, so that Spark reads only their buckets. */
const FEW_URLS = 100

export interface SparkCrawlDbPaths {
  readonly segments: SegmentFolder
  /** For files of a step that executors read; deleted afterwards. */
  readonly seeds: string
  /** For data of a step that does not fit in memory. */
  readonly scratch: string
}

/** A CrawlDb and LinkDb in Parquet files, changed by Spark. Each method that changes data installs one new version. */
export class SparkCrawlDb implements CrawlDb, LinkDb {
  readonly #versions: CrawlVersions
  readonly #rules: RuleQueries
  readonly #paths: SparkCrawlDbPaths

  constructor(versions: CrawlVersions, rules: RuleQueries, paths: SparkCrawlDbPaths) {
    this.#versions = versions
    this.#rules = rules
    this.#paths = paths
  }

  inject(seeds: AsyncIterable<SeedBatch>, rules: InjectRules, now: number): Promise<InjectResult> {
    return this.#versions.change((next) =>
      injectOnSpark(next, this.#rules, this.#paths.seeds, seeds, rules, now),
    )
  }

  async generate(request: GenerateRequest): Promise<GenerateResult> {
    if (request.novelty !== undefined) throw needsDuckDb('novelty')
    const { lists, rejected } = await this.#versions.change((next) =>
      generateLists(next, this.#rules, this.#paths, request),
    )
    for (const { name } of lists) await nameSegment(this.#paths.segments.path, name)
    for (const { name } of lists) await this.#paths.segments.publish(name)
    return { segments: lists, selected: lists.reduce((sum, { urls }) => sum + urls, 0), rejected }
  }

  update(request: UpdateRequest): Promise<UpdateResult> {
    return this.#versions.change((next) => updateOnSpark(next, this.#rules, this.#paths, request))
  }

  mergeRecords(): Promise<MergedRecords> {
    return Promise.reject(needsDuckDb('mergedb'))
  }

  mergeLinks(): Promise<number> {
    return Promise.reject(needsDuckDb('mergelinkdb'))
  }

  abandon(segment: string): Promise<number> {
    return this.#versions.change((next) => abandonSegment(next, segment))
  }

  release(parts: readonly LostPart[], now: number): Promise<number> {
    if (parts.length === 0) return Promise.resolve(0)
    return this.#versions.change((next) => releaseOnSpark(next, this.#paths, parts, now))
  }

  retryFailed(now: number, url?: string): Promise<number> {
    const time = Math.floor(now)
    const codes = (['db_unfetched', 'db_gone', 'db_parse_failed'] as const).map(statusCode).join(', ')
    const isFailed =
      url === undefined
        ? `u.status = ${statusCode('db_unfetched')} AND u.retries > 0`
        : `u.host = ${hostInSpark(sparkText(url))} AND u.url = ${sparkText(url)} AND u.status IN (${codes})`
    const isWaiting = `${isFailed} AND u.generated_in IS NULL AND u.fetch_time > ${time}`
    return this.#versions.change(async (next) => {
      const { n } = await next.db.one<{ n: number }>(`SELECT count(*) AS n FROM urls u WHERE ${isWaiting}`)
      if (n > 0)
        await next.write(
          'urls',
          urlRows({ fetch_time: `CASE WHEN ${isWaiting} THEN ${time} ELSE u.fetch_time END` }),
        )
      return n
    })
  }

  markDuplicates(request: DedupRequest = {}): Promise<DedupResult> {
    if (request.near === true) return Promise.reject(needsDuckDb('dedup --near'))
    return this.#versions.change((next) => dedupOnSpark(next, this.#rules, request))
  }

  async segments(): Promise<SegmentState[]> {
    const parts = Map.groupBy(await mergedParts(this.#versions), ({ segment }) => segment)
    return this.#versions.current.segments
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((segment) => ({ ...segment, partsMerged: parts.get(segment.name)?.length ?? 0 }))
  }

  adopt(segments: readonly string[], from: readonly string[]): Promise<string[]> {
    return this.#versions.change(async (next) => {
      const parts = await partsOfMerge(this.#paths.segments, segments)
      const merged = await mergedParts(next.db)
      const waiting = await unmergedParts(this.#paths.segments, from, merged)
      let states = next.state.segments
      for (const name of segments) states = withState(withSegment(states, name, 0), name, 'updated')
      next.set({ segments: states })
      await writeParts(next, merged, parts)
      return [...new Set(waiting.map(({ segment }) => segment))]
    })
  }

  async seeds(): Promise<string[]> {
    if (this.#versions.current.tables.seed_hosts === undefined) return []
    const rows = await this.#versions.all<{ url: string }>('SELECT url FROM seed_hosts ORDER BY url')
    return rows.map(({ url }) => url)
  }

  async find(url: string): Promise<CrawlRecord | undefined> {
    return (await this.findAll([url])).get(url)
  }

  async findAll(urls: readonly string[]): Promise<ReadonlyMap<string, CrawlRecord>> {
    if (urls.length === 0) return new Map()
    const select = `SELECT u.url, ${RECORD_INPUT} FROM urls u`
    const wanted = new Set(urls)
    if (wanted.size > FEW_URLS)
      await this.#versions.viewRows(
        'wanted_urls',
        { url: 'STRING' },
        Array.from(wanted, (url) => [url]),
      )
    const rows = await this.#versions.all<RecordRow>(
      wanted.size > FEW_URLS
        ? `${select} JOIN (SELECT url, ${hostInSpark('url')} AS host FROM wanted_urls) w ON w.host = u.host AND w.url = u.url`
        : `${select} WHERE u.host IN ${sparkList(Array.from(wanted, hostOf))} AND u.url IN ${sparkList([...wanted])}`,
    )
    return new Map(rows.map((row) => [row.url, recordOf({ ...row, score: Math.fround(row.score) })]))
  }

  async countDue(now: number, maxIntervalSeconds: number): Promise<number> {
    const { from, where } = isDueSql(now, maxIntervalSeconds)
    return (await this.#versions.one<{ n: number }>(`SELECT count(*) AS n ${from} WHERE ${where}`)).n
  }

  stats(): Promise<CrawlDbStats> {
    return sparkStats(this.#versions)
  }

  /** Nothing is learned on Spark. */
  async novelty(): Promise<NoveltyReport> {
    return { patterns: [], parameters: [] }
  }

  changeNovelty(): Promise<number> {
    return Promise.reject(needsDuckDb('novelty'))
  }

  async nearPages(): Promise<readonly NearPage[]> {
    return []
  }

  hostWaits(now: number, host?: string): Promise<HostWaits> {
    return sparkHostWaits(this.#versions, now, host)
  }

  async invert(request: InvertRequest): Promise<InvertResult> {
    const segments = request.onlyNew === true ? await this.#withoutLinks(request.segments) : request.segments
    if (segments.length === 0) return { pages: 0, links: 0 }
    return this.#versions.change((next) =>
      invertOnSpark(next, this.#paths.segments, { ...request, segments }),
    )
  }

  /** A segment counts as a whole: pages that are parsed after its links were inverted need `invertlinks`. */
  async #withoutLinks(segments: readonly string[]): Promise<string[]> {
    const rows = await this.#versions.all<{ segment: string }>('SELECT DISTINCT segment FROM links')
    const inverted = new Set(rows.map(({ segment }) => segment))
    return segments.filter((segment) => !inverted.has(segment))
  }

  inlinks(url: string): Promise<Inlink[]> {
    return sparkInlinks(this.#versions, url)
  }
}
