import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import { isRepeatable } from '../fetch/fetch-outcome.ts'

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
  /** No request was made (robots said no, say), so no delay follows. Nutch's `finish(asap)`. */
  | { readonly kind: 'not-sent' }

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
      // Many sites return 403 to a crawler that is too fast; 401 and the others are about the page. The first request, for robots.txt, cannot
      // be too fast: there, 403 means that the file is not public.
      return { kind: is403OfPage(outcome) ? 'failure' : 'success', responseMs }
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
      return { kind: 'not-sent' }
  }
}

function is403OfPage({ url, response }: Extract<FetchOutcome, { kind: 'access-denied' }>): boolean {
  return response.status === 403 && !url.endsWith('/robots.txt')
}
