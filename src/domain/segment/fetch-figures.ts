import type { FetchRow } from './segment-rows.ts'

/** What the segments say about fetches, for people. They can be read while somebody adds to them. Times are milliseconds since the epoch. */
export interface FetchFigures {
  history(range: HistoryRange): Promise<FetchHistory>
  /** @param limit of the fetches that are listed */
  ofHost(host: string, limit: number): Promise<HostFetches>
}

/** Which fetches: those of the last run, or all. */
export type HistoryRange = 'latest' | 'all'

/** What was fetched when. */
export interface FetchHistory {
  /** The first and the last fetch; absent when there was none. */
  readonly from?: number
  readonly to?: number
  /** Of the whole crawl: they are divided by half an hour without a fetch. */
  readonly runs: number
  readonly bucketMs: number
  /** Those without a fetch are left out. */
  readonly buckets: ReadonlyArray<FetchCounts & { readonly at: number }>
  readonly totals: FetchTotals
  /** Of what was fetched, most first; the first few. */
  readonly types: ReadonlyArray<{ readonly value: string; readonly count: number }>
}

/** How fetches ended: with content or "not modified"; elsewhere; not there or forbidden; in a way that may pass. */
export interface FetchCounts {
  readonly fetched: number
  readonly redirected: number
  readonly gone: number
  readonly failed: number
}

export interface FetchTotals extends FetchCounts {
  /** After decoding. */
  readonly bytes: number
  /** Half of the responses, and all but a twentieth, came within so many ms; absent when nobody answered. */
  readonly medianResponseMs?: number
  readonly slowResponseMs?: number
}

export interface HostFetches {
  readonly totals: FetchTotals
  /** Newest first. */
  readonly recent: readonly RecentFetch[]
}

export type RecentFetch = Pick<
  FetchRow,
  'url' | 'status' | 'fetchedAt' | 'httpStatus' | 'responseMs' | 'reason'
>
