import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import { isRepeatable } from '../fetch/is-retryable.ts'

/** What the end of a request says about its host. */
export type HostOutcome =
  /** The host served; a 404 does too. Its failures are halved. */
  | { readonly kind: 'success'; readonly responseMs?: number }
  /** The host did not serve: one more failure. */
  | { readonly kind: 'failure'; readonly responseMs?: number }
  /** The host said "slower": one more failure, and a rest until `retryAt` (ms since the epoch) when it named one. */
  | { readonly kind: 'rate-limited'; readonly retryAt?: number; readonly responseMs?: number }
  /** It was requested, but the end says nothing about it: we aborted, or a kept connection was closed. */
  | { readonly kind: 'unknown' }
  /** No request was made (robots said no, say), so no rest is due. Nutch's `finish(asap)`. */
  | { readonly kind: 'not-asked' }

/** What a fetch says about the host it hit. */
export function hostOutcomeOf(outcome: FetchOutcome): HostOutcome {
  if (isRepeatable(outcome)) return { kind: 'unknown' }
  const responseMs = outcome.timings.headersMs ?? outcome.timings.totalMs
  switch (outcome.kind) {
    case 'success':
    case 'moved':
    case 'not-modified':
    case 'gone':
    case 'not-found':
    case 'too-large':
    case 'unsupported':
      return { kind: 'success', responseMs }
    case 'access-denied':
      // 403 is how many sites answer a crawler they find too fast; 401 and the others are about the page.
      return { kind: outcome.answer.status === 403 ? 'failure' : 'success', responseMs }
    case 'rate-limited':
      return outcome.retryAt === undefined
        ? { kind: 'rate-limited', responseMs }
        : { kind: 'rate-limited', responseMs, retryAt: outcome.retryAt }
    case 'server-error':
    case 'too-slow':
    case 'malformed':
      return { kind: 'failure', responseMs }
    case 'network-failure':
      return outcome.cause === 'aborted' ? { kind: 'unknown' } : { kind: 'failure', responseMs }
    case 'blocked':
    case 'refused':
      return { kind: 'not-asked' }
  }
}
