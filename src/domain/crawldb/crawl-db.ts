import type { DropCounts } from '../../base/drop-counts.ts'
import type { NearPage, NoveltyChange, NoveltyReport } from '../novelty/novelty-report.ts'
import type { FreshnessPlan } from '../schedule/freshness-plan.ts'
import type {
  DedupRequest,
  DedupResult,
  GenerateRequest,
  GenerateResult,
  UpdateRequest,
  UpdateResult,
} from './crawl-db-requests.ts'
import type { CrawlRecord } from './crawl-record.ts'
import type { DbStatus } from './crawl-status.ts'
import type { InjectRules, SeedBatch } from './inject-record.ts'

/**
 * The records of all URLs of a crawl.
 *
 * Each change is one transaction, also if the process crashes; an update with very many links may be several, of whole parts. Concurrent
 * changes run one after another; readers see the state before or after a change.
 */
export interface CrawlDb {
  /**
   * Adds seeds. The first of several lines with the same URL counts.
   * @param signal interrupts it: then it fails and nothing is changed. Engines may ignore it, here and below
   */
  inject(
    seeds: AsyncIterable<SeedBatch>,
    rules: InjectRules,
    now: number,
    signal?: AbortSignal,
  ): Promise<InjectResult>

  /**
   * Writes the best due URLs to the fetch lists of new segments, the hosts in turn and the best of each host first, and marks them, so that no
   * URL is on two fetch lists.
   */
  generate(request: GenerateRequest): Promise<GenerateResult>

  /** Merges fetches and links of segments. Each part of a segment is merged once, even if it is given again. */
  update(request: UpdateRequest): Promise<UpdateResult>

  /** Releases the URLs of a segment that were not fetched. The segment stays on disk. Returns how many. */
  abandon(segment: string): Promise<number>

  /**
   * Has the pages of parts that cannot be read fetched again, and forgets that the parts were merged. Returns the number of URLs.
   */
  release(parts: readonly LostPart[], now: number): Promise<number>

  /**
   * Makes URLs due at `now` that failed and wait for a retry; with `url`, that one, also if it is gone. URLs on fetch lists and hosts that
   * must wait stay as they are. Returns the number of URLs.
   */
  retryFailed(now: number, url?: string): Promise<number>

  /** Marks all but one of the pages with the same content as `db_duplicate`. */
  markDuplicates(request?: DedupRequest): Promise<DedupResult>

  /** Adds the records of another crawl directory. Of a URL that both have, the record that was fetched last stays. */
  mergeRecords(directory: string, signal?: AbortSignal): Promise<MergedRecords>

  /** The segments this db has generated or merged, oldest first. */
  segments(): Promise<SegmentState[]>

  /**
   * Notes that `segments` were merged from others: nothing in them is merged again. Returns those of `from` that have parts which were
   * not merged yet; they must not be deleted before they are.
   */
  adopt(segments: readonly string[], from: readonly string[]): Promise<string[]>

  /** One URL for each host of a seed. */
  seeds(): Promise<string[]>

  /** `url` is normalised. */
  find(url: string): Promise<CrawlRecord | undefined>

  /** The records of the known URLs among normalised ones. Each call scans the whole db, so pass many URLs at once. */
  findAll(urls: readonly string[]): Promise<ReadonlyMap<string, CrawlRecord>>

  /** Number of URLs that are due and on no fetch list; filters are not applied. */
  countDue(now: number, maxIntervalSeconds: number): Promise<number>

  stats(): Promise<CrawlDbStats>

  /**
   * Hosts with due URLs that must wait at `now` (ms since the epoch). Generate lists none of their URLs.
   * @param host only this one
   */
  hostWaits(now: number, host?: string): Promise<HostWaits>

  /** What was learned about URL patterns. @param url normalised: only about this one */
  novelty(url?: string): Promise<NoveltyReport>

  /** Applies a decision of the user about patterns. Returns the number of patterns or parameters. */
  changeNovelty(change: NoveltyChange): Promise<number>

  /** Pages that have near-duplicates, by cluster, the representative first. @param url normalised: only its cluster */
  nearPages(url?: string): Promise<readonly NearPage[]>
}

export interface InjectResult {
  /** New URLs. */
  readonly injected: number
  /** Known before; `InjectRules.existing` decides whether they change. */
  readonly merged: number
  /** Seeds with the URL of an earlier seed of the same call. */
  readonly repeated: number
}

/** What a merge of two CrawlDbs changed. */
export interface MergedRecords {
  /** Records of the other crawl. */
  readonly records: number
  readonly added: number
  /** Known records that the other crawl fetched later. */
  readonly replaced: number
}

export interface SegmentState {
  /** yyyyMMddHHmmss, UTC. */
  readonly name: string
  readonly createdAt: number
  /** Length of its fetch list. */
  readonly urls: number
  /** `generated`: some of its URLs have no result yet. */
  readonly state: 'generated' | 'updated' | 'abandoned'
  /** Parts of its fetch output that were merged. */
  readonly partsMerged: number
}

/** Figures about a whole CrawlDb. Times are milliseconds since the epoch, intervals seconds. */
export interface CrawlDbStats {
  readonly total: number
  /** Only the statuses that occur. */
  readonly statuses: Readonly<Partial<Record<DbStatus, number>>>
  readonly hosts: number
  readonly domains: number
  /** URLs on the fetch list of an open segment. */
  readonly generated: number
  /** URLs by their number of failures in a row; only where there are any. */
  readonly retries: Readonly<Record<string, number>>
  /** URLs by the outcome of their last fetch: the HTTP status, or the protocol status if there was no response. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly score: Spread & { readonly quantiles: Readonly<Record<string, number>> }
  readonly fetchTime: Spread
  readonly fetchInterval: Spread
  /** Links, redirect targets, bodies and texts that were dropped over all fetches, by reason. */
  readonly dropped: DropCounts
  /** The last plan of the schedule `freshness`; absent with other schedules. */
  readonly plan?: FreshnessPlan
}

/** All `undefined` in an empty db. */
export interface Spread {
  readonly min: number | undefined
  readonly avg: number | undefined
  readonly max: number | undefined
}

/** Hosts that must not be requested yet although they have due URLs: a Retry-After, too many failures, a long Crawl-delay. */
export interface HostWaits {
  /** Waiting URLs of all such hosts. */
  readonly urls: number
  readonly hosts: number
  /** When the first of them may be requested again (ms since the epoch); `undefined`: no host waits. */
  readonly nextAt: number | undefined
  /** The hosts that may be requested first, at most ten. */
  readonly first: readonly HostWait[]
}

/** A host that gets no requests until a time, the reason, and how many of its URLs are due. */
export interface HostWait {
  readonly host: string
  /** Milliseconds since the epoch. */
  readonly until: number
  readonly reason: string
  readonly urls: number
}

/** A part of a segment whose pages are lost because files of it cannot be read. */
export interface LostPart {
  readonly segment: string
  /** The file name, the same in each directory of the segment. */
  readonly part: string
  /** The directories whose file of this part cannot be read. */
  readonly unreadable: readonly string[]
}
