import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { FetchRequest } from '../fetch/fetcher.ts'
import type { AiUseStatement } from '../robots/ai-use.ts'
import type { RobotsDecision } from './robots-check.ts'

/** A request to send as soon as robots.txt and the delay of its host allow. */
export interface PoliteTask {
  readonly request: FetchRequest
  /** Higher priorities go first within a host. @default 0 */
  readonly priority?: number
  /** Retries after transient failures. They wait behind all other tasks of the host. @default 0 */
  readonly retries?: number
  /** Called with the slot granted, right before sending. Returns the request to send, or `undefined` to drop the task. Must not throw. */
  readonly prepare?: () => Promise<FetchRequest | undefined>
  /** Checked when the task is queued and when its slot is granted; the result is then `interrupted`. @default never */
  readonly isCancelled?: () => boolean
}

/** What became of a task of {@link PoliteFetcher.fetch}. */
export type PoliteResult =
  /** The request was sent. The slot counts as active until `release` is called, which limits the responses processed at once. */
  | {
      readonly kind: 'fetched'
      readonly outcome: FetchOutcome
      /** The AI-use statements of the site about the URL: of robots.txt and, if they are read, of its other files. */
      readonly aiUse: readonly AiUseStatement[]
      /** Frees the slot of the host. Call it exactly once, when the response is processed. */
      readonly release: () => void
    }
  /** Robots.txt disallows the URL, could not be fetched, or the host could not be reached for it. */
  | RobotsRefusal
  | Extract<RobotsDecision, { kind: 'host-failed' }>
  /**
   * Not sent: the host is parked until `retryAt` (ms since the epoch), or `finish(reason)` was called.
   * `failed`: the outcome of an earlier attempt that was to be retried.
   */
  | {
      readonly kind: 'rejected'
      readonly reason: string
      readonly retryAt?: number
      readonly failed?: FetchOutcome
    }
  /** The fetcher stopped, or the task was cancelled, before there was a result. The task can be queued again. */
  | { readonly kind: 'interrupted' }
  /** Another worker owns the host, or may own it. What was fetched meanwhile must not be recorded. */
  | { readonly kind: 'not-owned' }
  /** `prepare` returned no request. */
  | { readonly kind: 'dropped' }
  /** The request is not valid: a header contradicts its body, for example. */
  | { readonly kind: 'unsendable'; readonly error: unknown }

/** Why robots.txt does not allow a request now. */
export type RobotsRefusal =
  | Extract<RobotsDecision, { kind: 'crawl-delay-too-long' | 'robots-unreachable' }>
  | { readonly kind: 'disallowed'; readonly reason: string }

/** The outcome of a task for callers that do not distinguish why it was not sent; `undefined` if robots.txt does not allow it now. */
export function outcomeOf(result: PoliteResult, url: string, now: number): FetchOutcome | undefined {
  switch (result.kind) {
    case 'fetched':
    case 'host-failed':
      return result.outcome
    case 'rejected':
      return blockedOutcome(url, now, result.reason, result.retryAt)
    case 'crawl-delay-too-long':
      return blockedOutcome(url, now, result.reason)
    case 'interrupted':
    case 'not-owned':
    case 'dropped':
      return {
        ...{ kind: 'network-failure', cause: 'aborted', url, timings: { startedAt: now, totalMs: 0 } },
        detail: 'the crawler is closing',
      }
    case 'unsendable':
      throw result.error
    case 'disallowed':
    case 'robots-unreachable':
      return undefined
  }
}

/** The outcome of a request that was not sent. */
export function blockedOutcome(url: string, now: number, detail: string, retryAt?: number): FetchOutcome {
  const timings = { startedAt: now, totalMs: 0 }
  return { kind: 'blocked', url, timings, detail, ...withoutUndefined({ retryAt }) }
}
