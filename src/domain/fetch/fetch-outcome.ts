import type { BrowserPage } from './browser-page.ts'
import type { HeaderList } from './headers.ts'

/** Times of a request in milliseconds from `startedAt`. Absent: that phase was not reached or not needed. */
export interface FetchTimings {
  /** Start of the request (ms since the epoch). */
  readonly startedAt: number
  /** Until the host name was resolved; absent if the address was cached or the connection reused. */
  readonly dnsMs?: number
  /** Until the TCP and TLS connection was open; absent on a reused connection. */
  readonly connectMs?: number
  /** Until the response headers were received. */
  readonly headersMs?: number
  /** Until the end of the request, for any outcome. */
  readonly totalMs: number
}

/** Status and headers of a response. */
export interface HttpResponse {
  readonly status: number
  readonly headers: HeaderList
  /** The headers that were sent, without those of the connection. */
  readonly requestHeaders: HeaderList
  /** IP address of the server, or of the proxy. */
  readonly address: string
  /** `http/1.1`, `http/1.0` or `h2`. */
  readonly protocol: string
  /** Text after the status code, one character per octet; may be empty. Absent for HTTP/2, which has none. */
  readonly reasonPhrase?: string
}

/** Why a body is incomplete. */
export type Truncation = 'size' | 'disconnect' | 'time' | 'encoding' | 'partial'

/** The decoded body of a success, or of an error response whose request sets `keepErrorBody`. */
export interface FetchedBody {
  /** If it fills its whole `buffer`, the buffer is not shared and may be transferred to another thread. */
  readonly bytes: Uint8Array
  /** Bytes received, before decoding. */
  readonly wireBytes: number
  /** Decoded content codings, outermost first; without codings that were declared but not used. */
  readonly decoded: readonly string[]
  readonly truncated?: Truncation
}

/** Why there is no response. `proxy`: the proxy failed. `aborted`: the signal of the request was aborted. */
export type NetworkFailureCause =
  | 'dns-not-found'
  | 'dns-failed'
  | 'connect-refused'
  | 'connect-timeout'
  | 'connect-failed'
  | 'tls'
  | 'reset'
  | 'headers-timeout'
  | 'body-timeout'
  | 'proxy'
  | 'aborted'

/** `address`: not globally routable, and the settings do not allow the host. */
export type RefusalCause = 'scheme' | 'port' | 'address' | 'url'

/** `bomb`: the body decoded to far more than was sent. */
export type TooLargeCause = 'headers' | 'declared-length' | 'bomb'

/** The outcome of one request. The `kind` is sufficient for a retry policy. */
export type FetchOutcome =
  | (OutcomeBase & {
      readonly kind: 'success'
      readonly response: HttpResponse
      readonly body: FetchedBody
      /** Present if a browser rendered the page: the body is its HTML after its scripts ran. */
      readonly rendered?: Rendering
    })
  | (OutcomeBase & {
      readonly kind: 'moved'
      readonly response: HttpResponse
      /** The absolute URL of the Location header; not yet normalised or filtered. */
      readonly to: string
      readonly permanent: boolean
    })
  | (OutcomeBase & { readonly kind: 'not-modified'; readonly response: HttpResponse })
  | (ErrorOutcome & { readonly kind: 'gone' })
  | (ErrorOutcome & { readonly kind: 'not-found' })
  | (ErrorOutcome & { readonly kind: 'access-denied' })
  | (ErrorOutcome & {
      readonly kind: 'rate-limited'
      /** When the server allows the next request (ms since the epoch, clamped); absent without a Retry-After header. */
      readonly retryAt?: number
    })
  | (ErrorOutcome & { readonly kind: 'server-error' })
  | (OutcomeBase & {
      readonly kind: 'network-failure'
      readonly cause: NetworkFailureCause
      /** The message of the system, without control characters. */
      readonly detail: string
      readonly repeatable?: Repeatable
    })
  /** Not sent: the host is parked, or another worker owns it. */
  | (OutcomeBase & {
      readonly kind: 'blocked'
      readonly detail: string
      /** When the host may be requested again (ms since the epoch); absent if not known. */
      readonly retryAt?: number
    })
  | (OutcomeBase & { readonly kind: 'refused'; readonly cause: RefusalCause; readonly detail: string })
  | (OutcomeBase & { readonly kind: 'too-large'; readonly cause: TooLargeCause; readonly detail: string })
  /** Below the minimum rate, or no body within the total time. (A body that is cut by the total time is a truncated success.) */
  | (OutcomeBase & { readonly kind: 'too-slow'; readonly detail: string })
  /** Not HTTP, or invalid HTTP. */
  | (OutcomeBase & { readonly kind: 'malformed'; readonly detail: string; readonly repeatable?: Repeatable })
  /** A response that cannot be decoded: an unknown content coding, or too many. Its body is as received. */
  | (OutcomeBase & {
      readonly kind: 'unsupported'
      readonly response: HttpResponse
      readonly detail: string
      readonly body: FetchedBody
    })

/** How a browser rendered a page. */
export interface Rendering {
  /** Name and version of the browser: `chromium 140.0.1`. */
  readonly browser: string
  /** The address in the end: scripts may have changed it without a request. */
  readonly finalUrl: string
  /** Requests of the page, by what became of them: `sent`, `cached`, or why they were not sent. */
  readonly requests: Readonly<Record<string, number>>
  /** The page was still busy when its time was over. */
  readonly isIncomplete: boolean
  /** The tab, while the page is being processed. */
  readonly page: BrowserPage
}

/**
 * Present if the same request may be sent once more, in the next slot of the host: its method is idempotent, no response was received, and
 * the next attempt differs: a new connection instead of a reused one, or HTTP/1.1 instead of HTTP/2.
 */
export type Repeatable = true

/** What every outcome has. */
export interface OutcomeBase {
  /** The URL of the request. */
  readonly url: string
  readonly timings: FetchTimings
}

/** An outcome with an error response. */
export interface ErrorOutcome extends OutcomeBase {
  readonly response: HttpResponse
  /** Only with `keepErrorBody`, and only if it was received and could be decoded. */
  readonly body?: FetchedBody
}

/** The values of `kind` of a {@link FetchOutcome}. */
export type FetchOutcomeKind = FetchOutcome['kind']

/** Whether the same request may succeed later. */
export function isRetryable(outcome: FetchOutcome): boolean {
  switch (outcome.kind) {
    case 'rate-limited':
    case 'server-error':
    case 'too-slow':
      return true
    case 'network-failure':
      return !isAborted(outcome)
    default:
      return false
  }
}

/** Whether the request may be sent once more in the next slot of the host, for any retry policy. */
export function isRepeatable(outcome: FetchOutcome): boolean {
  return 'repeatable' in outcome && outcome.repeatable === true
}

/** Whether a proxy did not pass the request on. */
export function isProxyFailure(
  outcome: FetchOutcome,
): outcome is Extract<FetchOutcome, { kind: 'network-failure' }> {
  return outcome.kind === 'network-failure' && outcome.cause === 'proxy'
}

/** Whether this process aborted the request. */
export function isAborted(outcome: FetchOutcome): boolean {
  return outcome.kind === 'network-failure' && outcome.cause === 'aborted'
}
