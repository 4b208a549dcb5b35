import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from './fetch-outcome.ts'
import { type HeaderList, header } from './headers.ts'

/** Validators of a stored copy, for a conditional request. */
export interface Validators {
  readonly etag?: string
  /** The Last-Modified value, to the letter. */
  readonly lastModified?: string
}

/** One request. Redirects are not followed here: each hop belongs in the queue of the host it hits. */
export interface FetchRequest {
  /** Absolute, normalised. */
  readonly url: string
  /** @default 'GET' */
  readonly method?: string
  /** Added to, and winning over, the fetcher's own headers. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Sent together as If-None-Match and If-Modified-Since. */
  readonly validators?: Validators
  /** Decoded bytes to keep, when other than the fetcher's own limit (robots.txt and sitemaps have theirs). */
  readonly maxBodyBytes?: number
  /** Whether a response that is an error (4xx, 5xx) comes with its body, for those who read what it says. @default false */
  readonly keepErrorBody?: boolean
  /**
   * Ends the request; the outcome is then a `network-failure` with cause `aborted`. After the outcome the fetcher must not listen to it any
   * more: it may be another request's then.
   */
  readonly signal?: AbortSignal
  /**
   * Called when the connection is open, right before the request is sent: another worker may own the host since the connection was
   * dialled. `false` ends it as `signal` does. @default it may
   */
  readonly mayBeSent?: () => boolean
}

/** Sends one request. It never throws for anything a server or a network can do. */
export interface Fetcher {
  fetch(request: FetchRequest): Promise<FetchOutcome>
  /** Closes every connection. */
  close(): Promise<void>
}

/** Responses of an earlier run, so that a spider in development does not request a site again. */
export interface ResponseCache {
  /** `undefined`: there is no response. */
  find(request: FetchRequest): Promise<FetchOutcome | undefined>
  /** Keeps what is worth keeping: responses, not failures of the network. */
  keep(request: FetchRequest, outcome: FetchOutcome): Promise<void>
}

/** The validators of a response; `undefined` if it has none. */
export function validatorsOf(headers: HeaderList): Validators | undefined {
  const etag = header(headers, 'etag')
  const lastModified = header(headers, 'last-modified')
  if (etag === undefined && lastModified === undefined) return undefined
  return withoutUndefined({ etag, lastModified })
}
