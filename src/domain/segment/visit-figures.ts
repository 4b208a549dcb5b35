import type { FetchRow } from './segment-rows.ts'

/** What the segments say about visits, for people. They can be read while somebody adds to them. Times are milliseconds since the epoch. */
export interface VisitFigures {
  history(range: HistoryRange): Promise<VisitHistory>
  /** @param limit of the visits that are listed */
  ofHost(host: string, limit: number): Promise<HostVisits>
}

/** Which visits: those of the last run, or all. */
export type HistoryRange = 'latest' | 'all'

/** What was fetched when. */
export interface VisitHistory {
  /** The first and the last visit; absent when there was none. */
  readonly from?: number
  readonly to?: number
  /** Of the whole crawl: they are divided by half an hour without a visit. */
  readonly runs: number
  readonly bucketMs: number
  /** Those without a visit are left out. */
  readonly buckets: ReadonlyArray<VisitCounts & { readonly at: number }>
  readonly totals: VisitTotals
  /** Of what was fetched, most first; the first few. */
  readonly types: ReadonlyArray<{ readonly value: string; readonly count: number }>
}

/** How visits ended: with content or "not modified"; elsewhere; not there or forbidden; in a way that may pass. */
export interface VisitCounts {
  readonly fetched: number
  readonly redirected: number
  readonly gone: number
  readonly failed: number
}

export interface VisitTotals extends VisitCounts {
  /** After decoding. */
  readonly bytes: number
  /** Half of the responses, and all but a twentieth, came within so many ms; absent when nobody answered. */
  readonly medianResponseMs?: number
  readonly slowResponseMs?: number
}

export interface HostVisits {
  readonly totals: VisitTotals
  /** Newest first. */
  readonly recent: readonly RecentVisit[]
}

export type RecentVisit = Pick<
  FetchRow,
  'url' | 'status' | 'fetchedAt' | 'httpStatus' | 'responseMs' | 'reason'
>
