import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import { isRepeatable } from '../fetch/fetch-outcome.ts'

/** The result of a request as far as it concerns the host. */
export type HostOutcome =
  /** The host works; a 404 counts as well. Its failure count is halved. */
  | { readonly kind: 'success'; readonly responseMs?: number }
  /** The host failed: its failure count grows by 1. */
  | { readonly kind: 'failure'; readonly responseMs?: number }
  /** The host requests fewer requests (429, 503): a failure, with a delay until `retryAt` (ms since the epoch) if it gave one. */
  | { readonly kind: 'rate-limited'; readonly retryAt?: number; readonly responseMs?: number }
  /** Sent, but the result says nothing about the host: this process aborted it, or the server closed an idle connection. The delay follows. */
  | { readonly kind: 'unknown' }
  /** No request was sent (disallowed by robots.txt, for example), so no delay follows. Nutch's `finish(asap)`. */
  | { readonly kind: 'not-sent' }

/**
 * What an outcome tells about the host: it may lengthen the delay, park the host, or end a back-off.
 * @example
 * const outcome = await fetcher.fetch({ url: 'https://example.org/' })
 * const hostOutcome: HostOutcome = hostOutcomeOf(outcome)
 */
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
