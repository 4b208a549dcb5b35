import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { isAborted, isRetryable } from '../../domain/fetch/fetch-outcome.ts'

/** Number of retries after a transient failure, and the delay before each. */
export interface RetryPolicy {
  /** Retries after the first attempt, by failure class. */
  readonly retries: RetryCounts
  /** Delay before the first retry, by failure class; it doubles with each further retry. */
  readonly delaySeconds: RetryCounts
  readonly maxDelaySeconds: number
}

/** `rateLimited`: 429 and 503 with Retry-After. `robots`: robots.txt could not be fetched. `blocked`: with `sessions`, a 403 or a CAPTCHA page. */
export interface RetryCounts {
  readonly rateLimited: number
  readonly serverError: number
  readonly network: number
  readonly tooSlow: number
  readonly robots: number
  readonly blocked: number
}

/**
 * The retries of a spider; a missing value is the default.
 * @example
 * ```ts
 * retry: { retries: { serverError: 4 }, delaySeconds: { serverError: 2 }, maxDelaySeconds: 60 },
 * ```
 */
export interface RetryOptions {
  /** Retries after the first attempt. @default rateLimited 5, serverError 2, network 2, tooSlow 1, robots 2, blocked 3 */
  readonly retries?: Partial<RetryCounts>
  /** Delay before the first retry; it doubles with each further one. @default rateLimited 30, serverError 5, network 10, tooSlow 30, robots 60, blocked 10 */
  readonly delaySeconds?: Partial<RetryCounts>
  /** @default 3600 */
  readonly maxDelaySeconds?: number
}

export function retryPolicy({ retries, delaySeconds, maxDelaySeconds }: RetryOptions = {}): RetryPolicy {
  return {
    retries: { ...DEFAULT_RETRY_POLICY.retries, ...retries },
    delaySeconds: { ...DEFAULT_RETRY_POLICY.delaySeconds, ...delaySeconds },
    maxDelaySeconds: maxDelaySeconds ?? DEFAULT_RETRY_POLICY.maxDelaySeconds,
  }
}

const DEFAULT_RETRY_POLICY: RetryPolicy = Object.freeze({
  retries: { rateLimited: 5, serverError: 2, network: 2, tooSlow: 1, robots: 2, blocked: 3 },
  delaySeconds: { rateLimited: 30, serverError: 5, network: 10, tooSlow: 30, robots: 60, blocked: 10 },
  maxDelaySeconds: 3_600,
})

export type FailureClass = keyof RetryCounts

/** `undefined`: a retry would not help. */
export function failureClass(outcome: FetchOutcome): FailureClass | undefined {
  if (outcome.kind === 'blocked') return 'network'
  if (!isRetryable(outcome) || isAborted(outcome)) return undefined
  if (outcome.kind === 'rate-limited') return 'rateLimited'
  if (outcome.kind === 'server-error') return 'serverError'
  return outcome.kind === 'too-slow' ? 'tooSlow' : 'network'
}

/**
 * The time of the next attempt after attempt number `attempt` failed (ms since the epoch); `undefined`: no retries are left.
 * @param earliest required by the server or by the host queue; a retry is never earlier
 */
export function retryAt(
  policy: RetryPolicy,
  failure: FailureClass,
  attempt: number,
  now: number,
  earliest = 0,
): number | undefined {
  if (attempt > policy.retries[failure]) return undefined
  const delaySeconds = Math.min(policy.delaySeconds[failure] * 2 ** (attempt - 1), policy.maxDelaySeconds)
  return Math.max(now + delaySeconds * 1_000, earliest)
}

/** The code of a failure in dead letters and stats: `http-404`, `network-dns-not-found`, `too-slow`. */
export function failureCode(outcome: FetchOutcome): string {
  if (outcome.kind === 'network-failure') return `network-${outcome.cause}`
  if (outcome.kind === 'refused') return `refused-${outcome.cause}`
  if ('response' in outcome && outcome.kind !== 'unsupported') return `http-${outcome.response.status}`
  return outcome.kind
}

export function failureReason(outcome: FetchOutcome): string {
  if ('detail' in outcome) return outcome.detail
  return `the server returned ${outcome.response.status}`
}
