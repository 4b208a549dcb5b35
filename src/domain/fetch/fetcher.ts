import { withoutUndefined } from '../../base/without-undefined.ts'
import type { BodySink } from './body-sink.ts'
import type { FetchOutcome } from './fetch-outcome.ts'
import { type HeaderList, header } from './headers.ts'

/** Validators of a stored copy, for a conditional request. */
export interface Validators {
  readonly etag?: string
  /** The Last-Modified value, unchanged. */
  readonly lastModified?: string
}

/** A session as far as the fetcher needs it: requests of one session share cookies, and go through the same proxy while it works. */
export interface RequestSession {
  readonly id: string
  /** In place of those of the fetcher. */
  readonly cookies: SessionCookies
  /** URL of its own proxy, in place of those of the fetcher. @default one of the fetcher's, always the same while it works */
  readonly proxy?: string | undefined
}

/** Cookies of one session. */
export interface SessionCookies {
  /** Takes in the Set-Cookie headers of a response from `url`. */
  store(setCookies: readonly string[], url: URL): void
  /** The Cookie header for a request to `url`; `undefined` when there is none to send. @param own cookies of the request itself */
  headerFor(url: URL, own?: string): string | undefined
}

/** One request. Redirects are not followed: each target is a new request in the queue of its own host. */
export interface FetchRequest {
  /** Absolute, normalised. */
  readonly url: string
  /** @default 'GET' */
  readonly method?: string
  /** Added to the headers of the fetcher, or replacing them. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Sent together as If-None-Match and If-Modified-Since. */
  readonly validators?: Validators
  /** The session that sends it. @default none: the cookies of the fetcher */
  readonly session?: RequestSession
  /** Maximum decoded body size, for robots.txt and sitemaps. @default the limit of the fetcher */
  readonly maxBodyBytes?: number
  /** Gets the body of a success, of any size. @default the outcome has it */
  readonly sink?: BodySink
  /** Maximum time of the whole request. @default that of the fetcher */
  readonly timeoutMs?: number
  /** Whether the outcome of an error response (4xx, 5xx) has its body. @default false */
  readonly keepErrorBody?: boolean
  /**
   * Aborts the request; the outcome is then a `network-failure` with cause `aborted`. The fetcher must remove its listener before it returns
   * the outcome, because the signal is reused for other requests.
   */
  readonly signal?: AbortSignal
  /**
   * Called when the connection is open, right before the request is sent: another worker may own the host since the connection was
   * started. `false` aborts the request as `signal` does. @default always true
   */
  readonly mayBeSent?: () => boolean
  /**
   * Whether another request to the host waits. Called some time after the response: without one its connection is not kept for as long.
   * @default always true
   */
  readonly isFollowed?: () => boolean
}

/** Sends requests. Failures of a server or the network are outcomes, never exceptions. */
export interface Fetcher {
  /** Sends one request and resolves to its outcome. It does not follow redirects, and does not reject for what a server or a network does. */
  fetch(request: FetchRequest): Promise<FetchOutcome>
  /** Whether requests in flight wait because no proxy can be reached: they are not hung. @default never */
  readonly isWaiting?: boolean
  /** Whether robots.txt applies to a URL. @default to every URL */
  hasRobots?(url: string): boolean
  /** Closes every connection. */
  close(): Promise<void>
}

/** Stores responses, so that a spider in development does not request a site again. */
export interface ResponseCache {
  /** `undefined` if no response is stored. */
  find(request: FetchRequest): Promise<FetchOutcome | undefined>
  /** Stores a response; other outcomes are ignored. */
  keep(request: FetchRequest, outcome: FetchOutcome): Promise<void>
}

/** The validators of a response; `undefined` if it has none. */
export function validatorsOf(headers: HeaderList): Validators | undefined {
  const etag = header(headers, 'etag')
  const lastModified = header(headers, 'last-modified')
  if (etag === undefined && lastModified === undefined) return undefined
  return withoutUndefined({ etag, lastModified })
}
