import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from './fetch-outcome.ts'
import { type HeaderList, header } from './headers.ts'

/** What a server told us about the copy we have, to ask whether it changed. */
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
   * Ends the request; the outcome is then a `network-failure` with cause `aborted`. Once there is an outcome nobody may listen to it any
   * more: it may be another request's then.
   */
  readonly signal?: AbortSignal
  /**
   * Asked when the connection stands, right before each time that the request is sent: a host may have become another process's while it was
   * dialled. `false` ends it as `signal` does. @default it may
   */
  readonly mayBeSent?: () => boolean
}

/** Asks one URL once. It never throws for anything a server or a network can do. */
export interface Fetcher {
  fetch(request: FetchRequest): Promise<FetchOutcome>
  /** Closes every connection. */
  close(): Promise<void>
}

/** Answers kept from an earlier run, so that work on a spider need not ask a site again. */
export interface ResponseCache {
  /** `undefined`: it was never asked. */
  find(request: FetchRequest): Promise<FetchOutcome | undefined>
  /** Keeps what is worth keeping: responses, not failures of the network. */
  keep(request: FetchRequest, outcome: FetchOutcome): Promise<void>
}

/** What a response gives to ask later whether the page has changed; `undefined`: nothing. */
export function validatorsOf(headers: HeaderList): Validators | undefined {
  const etag = header(headers, 'etag')
  const lastModified = header(headers, 'last-modified')
  if (etag === undefined && lastModified === undefined) return undefined
  return withoutUndefined({ etag, lastModified })
}
