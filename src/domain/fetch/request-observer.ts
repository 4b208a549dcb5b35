import type { FetchOutcome } from './fetch-outcome.ts'

/**
 * What a request is for. `data` and `asset` are those of a page that is rendered in a browser: documents and fetch() calls of its scripts, which
 * keep the delay of their host; and its scripts and stylesheets, which belong to the request of the page. The files with the AI-use preferences
 * of a site are `data`, too.
 */
export type RequestPurpose = 'page' | 'robots' | 'data' | 'asset'

/** A request as it is sent. */
export interface ObservedRequest {
  readonly url: string
  /** The key of its host queue: a host, a domain or an address. */
  readonly key: string
  readonly purpose: RequestPurpose
  /** When it was queued (ms since the epoch); a retry is queued again. */
  readonly queuedAt: number
  /** When it was sent (ms since the epoch). */
  readonly startedAt: number
  /** Known in `ended`: when the response was received completely, or the request failed (ms since the epoch). */
  readonly endedAt?: number
  /** @default 'GET' */
  readonly method?: string
  /** Whether it has the validators of a stored copy. @default false */
  readonly isConditional?: boolean
  /** The robots.txt that allowed it. Absent for robots.txt itself, and if it is not known. */
  readonly robots?: ObservedRobots | undefined
  /** The rate limits of its queue. */
  readonly limits?: ObservedLimits
  /** Known in `ended`: the host gets no requests before this time (ms since the epoch). Absent: it is not parked. */
  readonly parkedUntil?: number | undefined
  /** Known in `ended`: the delay that follows the response, back-off included. A Retry-After is not part of it. */
  readonly delayMs?: number
}

/** The robots.txt of an origin at the time of a request. The same object until the file is fetched or revalidated. */
export interface ObservedRobots {
  readonly origin: string
  /** The last conclusive response; absent if there was none. */
  readonly finding?: {
    readonly kind: 'file' | 'unavailable' | 'denied'
    readonly checkedAt: number
    /** Of a file: its body, one character for each octet. */
    readonly octets?: string
    /** Of a file: the body was cut off at the size limit. */
    readonly cut?: boolean
    readonly reason?: string
  }
  /** It cannot be reached now. */
  readonly outage?: { readonly reason: string; readonly since: number }
}

/** The limits of a host at the time of a request. */
export interface ObservedLimits {
  /** Minimum time from the start of one request to the start of the next. */
  readonly startGapMs: number
  /** Minimum time from the end of a response to the start of the next request. */
  readonly endGapMs: number
  readonly maxInFlight: number
}

/** A URL whose request was not sent, and why. */
export interface UnsentRequest {
  readonly url: string
  /** The key of its host queue. */
  readonly key: string
  /** `host-failed`: its robots.txt could not be requested, with this `outcome`. `host-parked`: the host gets no requests for now. */
  readonly kind: 'robots-unreachable' | 'crawl-delay-too-long' | 'host-failed' | 'host-parked'
  /** For people. */
  readonly reason: string
  /** When the host may be requested again (ms since the epoch). Absent: not known. */
  readonly retryAt?: number
  readonly outcome?: FetchOutcome
}

/**
 * Is told about every request of a crawl: pages, redirect targets, retries and robots.txt. The methods run on the hot path: they
 * must be fast and must not throw.
 */
export interface RequestObserver {
  /** Called right before the request is sent. */
  sent(request: ObservedRequest): void
  /** Called once for each `sent`: the response was received completely, or the request failed. `undefined`: the request was invalid. */
  ended(request: ObservedRequest, outcome: FetchOutcome | undefined): void
  /**
   * Called once after each `ended`, when the slot is free: the page was parsed or handled and passed to its writer. For a request that was
   * repeated on a new connection, the call for the first attempt is the one that follows the processing. @default not called
   */
  processed?(request: ObservedRequest): void
  /** Robots.txt disallows a URL, so it is not requested. */
  disallowed?(url: string, key: string, robots: ObservedRobots | undefined): void
  /** A URL is not requested now, for another reason than that robots.txt disallows it. */
  unsent?(request: UnsentRequest): void
}

/** One observer for several; `undefined` if there is none. */
export function allObservers(observers: readonly RequestObserver[]): RequestObserver | undefined {
  if (observers.length < 2) return observers[0]
  return {
    sent(request) {
      for (const observer of observers) observer.sent(request)
    },
    ended(request, outcome) {
      for (const observer of observers) observer.ended(request, outcome)
    },
    processed(request) {
      for (const observer of observers) observer.processed?.(request)
    },
    disallowed(url, key, robots) {
      for (const observer of observers) observer.disallowed?.(url, key, robots)
    },
    unsent(request) {
      for (const observer of observers) observer.unsent?.(request)
    },
  }
}
