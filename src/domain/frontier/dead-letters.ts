import type { CrawlRequest } from './crawl-request.ts'
import type { RequestFailure } from './settlement.ts'

/** The requests that failed for good. */
export interface DeadLetters {
  /** Oldest first. */
  failed(choice?: FailureChoice): Promise<readonly FailedRequest[]>
  /** Requeues them after all other requests, with attempt 1; returns how many. `limit` takes the oldest. */
  retryFailed(choice?: FailureChoice): Promise<number>
}

/** Filter; a request must match every member that is given. */
export interface FailureChoice {
  readonly code?: string
  readonly url?: string
  /** Of the URL. */
  readonly host?: string
  /** Maximum number. */
  readonly limit?: number
}

export interface FailedRequest extends RequestFailure {
  readonly request: CrawlRequest
  readonly attempts: number
  /** Ms since the epoch. */
  readonly failedAt: number
}
