import type { CrawlRequest } from './crawl-request.ts'
import type { RequestFailure } from './settlement.ts'

/** The requests that failed for good. */
export interface DeadLetters {
  /** Oldest first. */
  failed(choice?: FailureChoice): Promise<readonly FailedRequest[]>
  /** Puts them back in line, behind all others and with a new first attempt; returns how many. `limit` takes the oldest. */
  retryFailed(choice?: FailureChoice): Promise<number>
}

/** Which ones; all that is given must fit. */
export interface FailureChoice {
  readonly code?: string
  /** Of the URL. */
  readonly host?: string
  /** At most. */
  readonly limit?: number
}

export interface FailedRequest extends RequestFailure {
  readonly request: CrawlRequest
  readonly attempts: number
  /** Ms since the epoch. */
  readonly failedAt: number
}
