import type { DropCounts } from '../../base/drop-counts.ts'
import type { NoveltyRules } from '../novelty/novelty-rules.ts'
import type { Scoring } from '../scoring/scoring.ts'
import type { QueueMode } from '../url/queue-key.ts'
import type { DbStatus } from './crawl-status.ts'
import type { DuplicateRule } from './duplicate-order.ts'
import type { UpdateRules } from './update-record.ts'

/** Which URLs to fetch next, and how to divide them among segments and parts. */
export interface GenerateRequest {
  /** Milliseconds since the epoch; names the segments. */
  readonly now: number
  /** See `FetchSchedule`. */
  readonly maxIntervalSeconds: number
  readonly scoring: Scoring
  /** URLs in a segment. @default all that are due */
  readonly topN?: number
  /** Parts of a fetch list; a host is in one of them. @default 1 */
  readonly numFetchers?: number
  /** Also takes URLs that become due within this number of days. @default 0 */
  readonly addDays?: number
  /** Maximum number of segments. @default 1 */
  readonly maxNumSegments?: number
  /** URLs of one host or domain in a segment. @default no limit */
  readonly maxCount?: number
  /** `maxCount` for single hosts: an SQL expression over the columns of `hostdb`. NULL: `maxCount`; negative: no limit. */
  readonly hostLimitExpr?: string
  /** Key of `maxCount`. @default 'host' */
  readonly countMode?: 'host' | 'domain'
  /** Key by which URLs are kept in one part. @default 'host' */
  readonly partition?: QueueMode
  /** The address of a host, for partition `ip`; `undefined` when it has none. */
  readonly resolve?: (host: string) => Promise<string | undefined>
  /** Minimum rank. @default no limit */
  readonly minScore?: number
  /** Only URLs with one of these statuses. @default any */
  readonly restrictStatus?: readonly DbStatus[]
  /** A condition over the columns of the table `crawldb`. */
  readonly expr?: string
  /** Only these URLs (normalised), whether they are due or not. URLs on fetch lists and of hosts that must wait are left out. */
  readonly urls?: readonly string[]
  /** Filters URLs. The host of the URL it returns counts for the limits. */
  readonly judge?: JudgeUrl
  /** Holds back URLs of patterns that bring nothing new. @default all are fetched */
  readonly novelty?: NoveltyRules
  /** Interrupts the selection: then it fails with `Interrupted` and nothing is changed. Engines may ignore it. */
  readonly signal?: AbortSignal
}

export interface GenerateResult {
  /** Empty if no URL is due. */
  readonly segments: ReadonlyArray<{ readonly name: string; readonly urls: number }>
  /** URLs in all segments. */
  readonly selected: number
  /** Number of URLs rejected by `judge`, by reason. */
  readonly rejected: Readonly<Record<string, number>>
  /** Number of URLs held back by `novelty`. @default 0 */
  readonly held?: number
}

/** The verdict on a URL: its normal form, or why it was rejected. */
export type JudgedUrl =
  | { readonly ok: true; readonly url: string }
  | {
      readonly ok: false
      /** Short reason to count by, without the URL. */
      readonly reason: string
      /** The rule that rejected this URL. */
      readonly detail: string
    }

/** Normalises and filters one URL. It must not throw. */
export interface JudgeUrl {
  (url: string): JudgedUrl
  /** What it does, so that another process can do the same with the rules of the crawl. Absent: unknown. */
  readonly steps?: { readonly normalizes: boolean; readonly filters: boolean }
  /** Asserts that it accepts every plain URL (plain-url.ts) as it is, and that nothing depends on being called for each. */
  readonly acceptsPlain?: true
}

export interface UpdateRequest {
  /** Names of segments; their parts that are not merged yet are merged. */
  readonly segments: readonly string[]
  readonly rules: UpdateRules
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Filters and normalises every URL, also known ones: rejected records are deleted, rewritten ones get their new URL. @default all pass */
  readonly judge?: JudgeUrl
  /** Deletes gone pages. @default false */
  readonly purgeGone?: boolean
  /** Deletes orphans. @default false */
  readonly purgeOrphans?: boolean
  /** Maximum number of links to one URL that count in one merge; those with the highest scores. @default 10000 */
  readonly maxInlinks?: number
  /** Learns which URL patterns bring new content. @default nothing is learned */
  readonly novelty?: NoveltyRules
  /** Makes the plan of a schedule that weighs all pages anew, however old the last one is. @default false */
  readonly replan?: boolean
  /** Merges parts again that were merged before: their links count twice, their fetches do not. @default false */
  readonly force?: boolean
  /** Stops the update: parts that are not merged yet are left to the next one. Engines may ignore it. */
  readonly signal?: AbortSignal
}

export interface UpdateResult {
  /** Fetches merged; a fetch that was merged before it was parsed counts again after parsing. */
  readonly fetched: number
  /** Links merged. */
  readonly links: number
  readonly added: number
  /** Known URLs that were fetched or linked. */
  readonly changed: number
  /** Removed: gone, orphaned, or rejected. */
  readonly purged: number
  /** Parts of segments that were merged. */
  readonly parts: number
  /** Parts that were left to the next update. Absent: it was not stopped. */
  readonly partsLeft?: number
  /** Number of hosts whose wait became longer. */
  readonly hostsPutOff: number
  /** By segment: URLs of its fetch list that have no result yet. They stay marked. */
  readonly pending: Readonly<Record<string, number>>
  /** Links, redirect targets, bodies and texts that the fetches dropped, by reason. */
  readonly dropped: DropCounts
}

export interface DedupRequest {
  /** Only pages of one host or domain count as duplicates of one another. @default 'none' */
  readonly group?: 'none' | 'host' | 'domain'
  /** @default DEFAULT_DUPLICATE_ORDER */
  readonly order?: readonly DuplicateRule[]
  /**
   * Groups pages with nearly the same text instead (SimHash, at most three of 64 bits differ). They keep their status, unless `mark` is set.
   * @default false
   */
  readonly near?: boolean
  /** With `near`: also mark all but one page of each group as `db_duplicate`. @default false */
  readonly mark?: boolean
  /** Interrupts it: then it fails and nothing is changed. Engines may ignore it. */
  readonly signal?: AbortSignal
}

/** What deduplication found. */
export interface DedupResult {
  /** Number of contents shared by several pages. */
  readonly groups: number
  readonly duplicates: number
  /** With `near`: pages that were compared. */
  readonly compared?: number
}
