import type { FetchRow } from './segment-rows.ts'

/** Statistics about the fetches in segments. They can be read while segments are written. Times are milliseconds since the epoch. */
export interface FetchFigures {
  history(range: HistoryRange): Promise<FetchHistory>
  /** @param limit maximum number of recent fetches */
  ofHost(host: string, limit: number): Promise<HostFetches>
}

/** Which fetches: those of the last run, or all. */
export type HistoryRange = 'latest' | 'all'

/** Fetches over time. */
export interface FetchHistory {
  /** The first and the last fetch; absent when there was none. */
  readonly from?: number
  readonly to?: number
  /** Number of runs of the whole crawl; half an hour without a fetch separates two runs. */
  readonly runs: number
  readonly bucketMs: number
  /** Empty buckets are left out. */
  readonly buckets: ReadonlyArray<FetchCounts & { readonly at: number }>
  readonly totals: FetchTotals
  /** The most frequent content types. */
  readonly types: ReadonlyArray<{ readonly value: string; readonly count: number }>
}

/** Fetches by outcome: content or not modified; redirect; not found or denied; transient failure. */
export interface FetchCounts {
  readonly fetched: number
  readonly redirected: number
  readonly gone: number
  readonly failed: number
}

export interface FetchTotals extends FetchCounts {
  /** After decoding. */
  readonly bytes: number
  /** Median and 95th percentile of the response time; absent without a response. */
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
