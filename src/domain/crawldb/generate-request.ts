import type { Scoring } from '../scoring/scoring.ts'
import type { QueueMode } from '../url/queue-key.ts'
import type { DbStatus } from './crawl-status.ts'
import type { JudgeUrl } from './judge-url.ts'

/** Which URLs are to be fetched next, and how they are laid out. */
export interface GenerateRequest {
  /** Milliseconds since the epoch; names the segments. */
  readonly now: number
  /** See `isDue`. */
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
