import type { DropCounts } from '../../base/drop-counts.ts'
import type { Scoring } from '../scoring/scoring.ts'
import type { QueueMode } from '../url/queue-key.ts'
import type { DbStatus } from './crawl-status.ts'
import type { DuplicateRule } from './duplicate-order.ts'
import type { UpdateRules } from './update-record.ts'

/** Which URLs are to be fetched next, and how they are laid out. */
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
  /** Takes what is due so many days from now. @default 0 */
  readonly addDays?: number
  /** Segments filled in one go. @default 1 */
  readonly maxNumSegments?: number
  /** URLs of one host or domain in a segment. @default no limit */
  readonly maxCount?: number
  /** What `maxCount` counts by. @default 'host' */
  readonly countMode?: 'host' | 'domain'
  /** What keeps URLs in one part. @default 'host' */
  readonly partition?: QueueMode
  /** The address of a host, for partition `ip`; `undefined` when it has none. */
  readonly resolve?: (host: string) => Promise<string | undefined>
  /** Leaves out what ranks lower. @default no limit */
  readonly minScore?: number
  /** Only these. @default any status */
  readonly restrictStatus?: readonly DbStatus[]
  /** A condition over the columns of the table `crawldb`. */
  readonly expr?: string
  /** Says no to URLs that are not to be fetched. The host that counts is that of the URL it returns. */
  readonly judge?: JudgeUrl
}

export interface GenerateResult {
  /** Empty when nothing is due. */
  readonly segments: ReadonlyArray<{ readonly name: string; readonly urls: number }>
  /** URLs in all segments. */
  readonly selected: number
  /** URLs that were to be chosen but for `judge`, by its reason. */
  readonly rejected: Readonly<Record<string, number>>
}

/** What became of a URL: its normal form, or why it is not wanted. */
export type JudgedUrl =
  | { readonly ok: true; readonly url: string }
  | {
      readonly ok: false
      /** A few words that are the same for all URLs rejected alike, to count by. */
      readonly reason: string
      /** What decided about this one. */
      readonly detail: string
    }

/** Normalises and filters one URL. It must not throw. */
export type JudgeUrl = (url: string) => JudgedUrl

export interface UpdateRequest {
  /** Names of segments; what each of them got since it was last merged is merged. */
  readonly segments: readonly string[]
  readonly rules: UpdateRules
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Judges every URL, known ones too: what it rejects is removed, what it rewrites is moved. @default all pass */
  readonly judge?: JudgeUrl
  /** Forgets gone pages. @default false */
  readonly purgeGone?: boolean
  /** Forgets orphans. @default false */
  readonly purgeOrphans?: boolean
  /** Links to one URL that count in one update; those with the highest scores. @default 10000 */
  readonly maxInlinks?: number
  /** Merges parts that were merged before once more: their links count twice, their fetches do not. @default false */
  readonly force?: boolean
}

export interface UpdateResult {
  /** Fetches merged; one that was merged before it was parsed is told of again when its parse is. */
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
  /** Hosts that must wait, for longer than was known. */
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
}

export interface DedupResult {
  /** Contents that several pages have. */
  readonly groups: number
  readonly duplicates: number
}
