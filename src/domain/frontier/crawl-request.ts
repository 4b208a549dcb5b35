import type { JsonObject } from '../../base/json.ts'
import { fingerprint64, requestFingerprint } from '../url/fingerprint.ts'

/** One request of a spider, as plain data: it can be stored, and sent by another process or machine. */
export interface CrawlRequest {
  /** Absolute, normalised. */
  readonly url: string
  /** Upper case. @default 'GET' */
  readonly method?: string
  /** Lower-case names; over the headers that every request gets. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** `body` is base64 of bytes that are not text. @default false */
  readonly base64?: boolean
  /** The name of the handler that gets the page. */
  readonly handler: string
  /** Data from the handler that created the request, for the handler that gets the page. */
  readonly meta?: JsonObject
  /** Larger goes first. @default 0 */
  readonly priority?: number
  /** Sent even if it was seen before. @default false */
  readonly dontFilter?: boolean
  /** Not before (ms since the epoch). @default at once */
  readonly notBefore?: number
  /** The session that sends it: its id, or `new`. @default any */
  readonly session?: string
  /** Links from a start request. */
  readonly depth: number
  /** The URL of the page that it was found on; absent: a start request. */
  readonly from?: string
  /** The URLs that redirected here, the first one first. */
  readonly redirectedFrom?: readonly string[]
}

/** Requests with the same method, URL and body have the same fingerprint, whatever their headers. */
export function fingerprintOf(request: CrawlRequest): bigint {
  const { method = 'GET', url, body } = request
  return isPlain(request) ? fingerprint64(url) : BigInt.asUintN(64, requestFingerprint(method, url, body))
}

/** Whether it is a plain GET, as a link is: the CrawlDb keeps a record of its URL. */
export function isPlain({ method = 'GET', body = '' }: CrawlRequest): boolean {
  return method === 'GET' && body === ''
}
