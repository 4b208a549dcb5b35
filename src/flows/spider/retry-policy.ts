import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { isAborted, isRetryable } from '../../domain/fetch/is-retryable.ts'

/** How often, and after how long, a request that failed is made again. */
export interface RetryPolicy {
  /** Tries after the first, by class of failure. */
  readonly retries: RetryCounts
  /** The pause before the first of them, by class; it doubles with each further one. */
  readonly pausesMs: RetryCounts
  readonly maxPauseMs: number
}

/** `rateLimited`: 429 and 503 with Retry-After. `robots`: robots.txt could not be had. */
export interface RetryCounts {
  readonly rateLimited: number
  readonly serverError: number
  readonly network: number
  readonly tooSlow: number
  readonly robots: number
}

/** What a spider may say about it. Absent: the default. */
export interface RetryOptions {
  readonly retries?: Partial<RetryCounts>
  readonly pausesMs?: Partial<RetryCounts>
  readonly maxPauseMs?: number
}

export function retryPolicy({ retries, pausesMs, maxPauseMs }: RetryOptions = {}): RetryPolicy {
  return {
    retries: { ...DEFAULT_RETRY_POLICY.retries, ...retries },
    pausesMs: { ...DEFAULT_RETRY_POLICY.pausesMs, ...pausesMs },
    maxPauseMs: maxPauseMs ?? DEFAULT_RETRY_POLICY.maxPauseMs,
  }
}

const DEFAULT_RETRY_POLICY: RetryPolicy = Object.freeze({
  retries: { rateLimited: 5, serverError: 2, network: 2, tooSlow: 1, robots: 2 },
  pausesMs: { rateLimited: 30_000, serverError: 5_000, network: 10_000, tooSlow: 30_000, robots: 60_000 },
  maxPauseMs: 3_600_000,
})

export type FailureClass = keyof RetryCounts

/** `undefined`: trying again would not help. */
export function failureClass(outcome: FetchOutcome): FailureClass | undefined {
  if (outcome.kind === 'blocked') return 'network'
  if (!isRetryable(outcome) || isAborted(outcome)) return undefined
  if (outcome.kind === 'rate-limited') return 'rateLimited'
  if (outcome.kind === 'server-error') return 'serverError'
  return outcome.kind === 'too-slow' ? 'tooSlow' : 'network'
}

/**
 * When a request whose `attempt`th try failed is tried again (ms since the epoch); `undefined`: it was the last.
 * @param askedFor what the server or the host's queue demands, which is never shortened
 */
export function retryAt(
  policy: RetryPolicy,
  failure: FailureClass,
  attempt: number,
  now: number,
  askedFor = 0,
): number | undefined {
  if (attempt > policy.retries[failure]) return undefined
  const pause = Math.min(policy.pausesMs[failure] * 2 ** (attempt - 1), policy.maxPauseMs)
  return Math.max(now + pause, askedFor)
}
