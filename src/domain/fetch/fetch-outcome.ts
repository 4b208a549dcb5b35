import type { HeaderList } from './headers.ts'

/** Where the milliseconds of a request went, each counted from `startedAt`. Absent: that phase was not reached or not needed. */
export interface FetchTimings {
  /** When it was sent off (ms since the epoch). */
  readonly startedAt: number
  /** Until the name had an address; absent when the response was cached or the connection reused. */
  readonly dnsMs?: number
  /** Until TCP and TLS stood; absent on a reused connection. */
  readonly connectMs?: number
  /** Until the response head was in. */
  readonly headersMs?: number
  /** Until the end, whatever it was. */
  readonly totalMs: number
}

/** The response of a server: what every outcome has that got one. */
export interface HttpResponse {
  readonly status: number
  readonly headers: HeaderList
  /** What was sent, but for what belongs to the connection. */
  readonly requestHeaders: HeaderList
  /** The address that was connected to; the proxy's when there is one. */
  readonly address: string
  /** `http/1.1`, `http/1.0` or `h2`. */
  readonly protocol: string
  /** Text after the status code, one character per octet; may be empty. Absent for HTTP/2, which has none. */
  readonly reasonPhrase?: string
}

/** Why a body is shorter than what the server had. */
export type Truncation = 'size' | 'disconnect' | 'time' | 'encoding' | 'partial'

/** The decoded body of a success, or of an error response whose request sets `keepErrorBody`. */
export interface FetchedBody {
  /** Where it fills its `buffer` from end to end, no one else has a part of that: it may be given away to another thread. */
  readonly bytes: Uint8Array
  /** Bytes on the wire, before decoding. */
  readonly wireBytes: number
  /** Content codings undone, outermost first; a coding that was declared but not there is not listed. */
  readonly decoded: readonly string[]
  readonly truncated?: Truncation
}

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

/** `address`: not globally routable, and the operator did not name the host. */
export type RefusalCause = 'scheme' | 'port' | 'address' | 'url'

/** `bomb`: the body decoded to far more than was sent. */
export type TooLargeCause = 'headers' | 'declared-length' | 'bomb'

/** What came of one request. One `kind` each; a retry policy needs nothing else. */
export type FetchOutcome =
  | (OutcomeBase & { readonly kind: 'success'; readonly response: HttpResponse; readonly body: FetchedBody })
  | (OutcomeBase & {
      readonly kind: 'moved'
      readonly response: HttpResponse
      /** Absolute, as the Location header gave it; not yet normalised or judged. */
      readonly to: string
      readonly permanent: boolean
    })
  | (OutcomeBase & { readonly kind: 'not-modified'; readonly response: HttpResponse })
  | (ErrorOutcome & { readonly kind: 'gone' })
  | (ErrorOutcome & { readonly kind: 'not-found' })
  | (ErrorOutcome & { readonly kind: 'access-denied' })
  | (ErrorOutcome & {
      readonly kind: 'rate-limited'
      /** When the server allows the next request (ms since the epoch, clamped); absent when it did not say. */
      readonly retryAt?: number
    })
  | (ErrorOutcome & { readonly kind: 'server-error' })
  | (OutcomeBase & {
      readonly kind: 'network-failure'
      readonly cause: NetworkFailureCause
      /** For people: what the system said, control characters removed. */
      readonly detail: string
      readonly repeatable?: Repeatable
    })
  /** Not sent: the host is parked, or another worker owns it. */
  | (OutcomeBase & {
      readonly kind: 'blocked'
      readonly detail: string
      /** When the host is open again (ms since the epoch); absent when that is not known. */
      readonly retryAt?: number
    })
  | (OutcomeBase & { readonly kind: 'refused'; readonly cause: RefusalCause; readonly detail: string })
  | (OutcomeBase & { readonly kind: 'too-large'; readonly cause: TooLargeCause; readonly detail: string })
  /** Slower than the minimum rate, or nothing of the body in the total time. (What a longer total time cut short is a success, flagged.) */
  | (OutcomeBase & { readonly kind: 'too-slow'; readonly detail: string })
  /** Not HTTP, or HTTP that cannot be trusted. */
  | (OutcomeBase & { readonly kind: 'malformed'; readonly detail: string; readonly repeatable?: Repeatable })
  /** A response we cannot read: an unknown content coding, or too many of them. Its bytes are kept as sent. */
  | (OutcomeBase & {
      readonly kind: 'unsupported'
      readonly response: HttpResponse
      readonly detail: string
      readonly body: FetchedBody
    })

/**
 * Present when the same request may be sent once more, in the host's next turn: its method is idempotent, nothing of a response came, and the
 * next attempt differs: a new connection in place of a kept one, or HTTP/1.1 in place of HTTP/2.
 */
type Repeatable = true

interface OutcomeBase {
  /** The URL of the request. */
  readonly url: string
  readonly timings: FetchTimings
}

interface ErrorOutcome extends OutcomeBase {
  readonly response: HttpResponse
  /** Only with `keepErrorBody`; absent even then when it did not come, or cannot be read. */
  readonly body?: FetchedBody
}

export type FetchOutcomeKind = FetchOutcome['kind']

/** Whether the same request may fare better in a while. */
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

/** Whether the request may be sent once more in the host's next turn, whatever the retry policy says. */
export function isRepeatable(outcome: FetchOutcome): boolean {
  return 'repeatable' in outcome && outcome.repeatable === true
}

/** Whether we broke it off ourselves. */
export function isAborted(outcome: FetchOutcome): boolean {
  return outcome.kind === 'network-failure' && outcome.cause === 'aborted'
}
