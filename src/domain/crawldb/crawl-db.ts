import type { CrawlDbStats } from './crawl-db-stats.ts'
import type { CrawlRecord } from './crawl-record.ts'
import type { DedupRequest, DedupResult } from './dedup-request.ts'
import type { GenerateRequest, GenerateResult } from './generate-request.ts'
import type { HostWaits } from './host-waits.ts'
import type { InjectRules, Seed } from './inject-record.ts'
import type { LostPart } from './lost-part.ts'
import type { UpdateRequest, UpdateResult } from './update-request.ts'

/**
 * Every URL of a crawl and what is known about it.
 *
 * Each change is one transaction: it happens whole or not at all, whenever the process dies. Changes asked for at the same time wait for
 * one another; readers see the state before or after a change, never one in between.
 */
export interface CrawlDb {
  /** Remembers seeds. The first of several lines with the same URL counts. */
  inject(seeds: AsyncIterable<readonly Seed[]>, rules: InjectRules, now: number): Promise<InjectResult>

  /** Writes what is due to new segments, best first, and marks it, so that nothing is on two fetch lists. */
  generate(request: GenerateRequest): Promise<GenerateResult>

  /** Folds what was fetched and found back in. A part of a segment is folded once, however often it is given. */
  update(request: UpdateRequest): Promise<UpdateResult>

  /** Gives the URLs of a segment that were not fetched free again. The segment stays on disk. Returns how many. */
  abandon(segment: string): Promise<number>

  /**
   * Has the pages of parts that cannot be read fetched again, and forgets that the parts were merged. Returns the number of URLs.
   */
  release(parts: readonly LostPart[], now: number): Promise<number>

  /** Marks all but one of the pages with the same content as `db_duplicate`. */
  markDuplicates(request?: DedupRequest): Promise<DedupResult>

  /** The segments this db has generated or folded, oldest first. */
  segments(): Promise<SegmentState[]>

  /**
   * Notes that `segments` were merged from others: nothing in them is folded in again. Returns those of `from` that have parts which were
   * not folded yet; they must not be deleted before they are.
   */
  adopt(segments: readonly string[], from: readonly string[]): Promise<string[]>

  /** One URL for each host that a seed was ever injected of. */
  seeds(): Promise<string[]>

  /** `url` is normalised. */
  find(url: string): Promise<CrawlRecord | undefined>

  /** Those that are known of normalised URLs. One question goes through the whole db: ask for many at once. */
  findAll(urls: readonly string[]): Promise<ReadonlyMap<string, CrawlRecord>>

  /** URLs that are due and on no fetch list, whatever the filters say about them. */
  countDue(now: number, maxIntervalSeconds: number): Promise<number>

  stats(): Promise<CrawlDbStats>

  /**
   * Hosts with due URLs that must wait at `now` (ms since the epoch). Generate lists none of their URLs.
   * @param host only this one
   */
  hostWaits(now: number, host?: string): Promise<HostWaits>
}

export interface InjectResult {
  /** New URLs. */
  readonly injected: number
  /** Known before; what became of them is decided by `InjectRules.existing`. */
  readonly merged: number
  /** Seeds whose URL an earlier one of the same inject had. */
  readonly repeated: number
}

export interface SegmentState {
  /** yyyyMMddHHmmss, UTC. */
  readonly name: string
  readonly createdAt: number
  /** Length of its fetch list. */
  readonly urls: number
  /** `generated`: some of its URLs still wait for a result. */
  readonly state: 'generated' | 'updated' | 'abandoned'
  /** Parts of its fetch output that were folded in. */
  readonly partsFolded: number
}
