import type { DropCounts } from '../../base/drop-counts.ts'
import type { DbStatus } from './crawl-status.ts'

/** Figures about a whole CrawlDb. Times are milliseconds since the epoch, intervals seconds. */
export interface CrawlDbStats {
  readonly total: number
  /** Only the statuses that occur. */
  readonly statuses: Readonly<Partial<Record<DbStatus, number>>>
  readonly hosts: number
  readonly domains: number
  /** URLs on a fetch list that waits for its results. */
  readonly generated: number
  /** URLs by their number of failures in a row; only where there are any. */
  readonly retries: Readonly<Record<string, number>>
  /** URLs by what came of their last fetch: the HTTP status, or the protocol status where there was no response. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly score: Spread & { readonly quantiles: Readonly<Record<string, number>> }
  readonly fetchTime: Spread
  readonly fetchInterval: Spread
  /** Links, redirect targets, bodies and texts that were dropped over all visits, by reason. */
  readonly dropped: DropCounts
}

/** All `undefined` in an empty db. */
export interface Spread {
  readonly min: number | undefined
  readonly avg: number | undefined
  readonly max: number | undefined
}
