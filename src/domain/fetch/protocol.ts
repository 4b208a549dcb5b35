import type { Validators } from './fetcher.ts'
import type { HeaderList } from './headers.ts'

/** A request for a URL of another scheme than http and https. */
export interface ProtocolRequest {
  /** Absolute, normalised. */
  readonly url: string
  /** Of the stored copy: respond with status 304 if it is still the same. */
  readonly validators?: Validators
  /** Longer bodies are to be truncated. */
  readonly maxBodyBytes: number
  /** Aborts the request: it takes too long, or the crawl ends. */
  readonly signal: AbortSignal
}

/** The response, in terms of HTTP, so that schedules, explanations and statistics need not know the protocol. */
export interface ProtocolResponse {
  /** 200, 304, 301 with a `location`, 403, 404, 503 and so on. */
  readonly status: number
  /** Names in lower case: `content-type`, `last-modified`, `etag`, `location`, `x-robots-tag`. @default [] */
  readonly headers?: HeaderList
  /** @default empty */
  readonly body?: Uint8Array
  /** The body was longer than `maxBodyBytes`. @default false */
  readonly truncated?: boolean
  /** Address of the server. @default '' */
  readonly address?: string
}

/** How URLs of one scheme are fetched. */
export interface Protocol {
  /** Whether robots.txt of the host is fetched by this protocol, and obeyed. @default false */
  readonly hasRobots?: boolean
  /** What it throws is a network failure: the URL is tried again later. */
  fetch(request: ProtocolRequest): Promise<ProtocolResponse>
  /** Closes what is open. */
  close?(): Promise<void>
}

/** Whether a URL is of the web: http or https. */
export function isWebUrl(url: string): boolean {
  return url.startsWith('http:') || url.startsWith('https:')
}
