import type { JsonObject } from '../../base/json.ts'
import { fingerprint64, requestFingerprint } from '../url/fingerprint.ts'

/** One request of a spider, as plain data: it can be stored, and asked by another process or machine. */
export interface CrawlRequest {
  /** Absolute, normalised. */
  readonly url: string
  /** Upper case. @default 'GET' */
  readonly method?: string
  /** Lower-case names; over the headers that every request gets. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** `body` is base64 of bytes that are no text. @default false */
  readonly base64?: boolean
  /** The name of the handler that gets the page. */
  readonly handler: string
  /** Whatever the handler that asked wants its successor to know. */
  readonly meta?: JsonObject
  /** Larger goes first. @default 0 */
  readonly priority?: number
  /** Asked even if it was asked before. @default false */
  readonly dontFilter?: boolean
  /** Not before (ms since the epoch). @default at once */
  readonly notBefore?: number
  /** Links from a start request. */
  readonly depth: number
  /** The URL of the page that asked for it; absent: a start request. */
  readonly from?: string
  /** The URLs that redirected here, the first one first. */
  readonly redirectedFrom?: readonly string[]
}

/** Tells requests apart: those that agree in method, URL and body are one, whatever their headers. */
export function fingerprintOf(request: CrawlRequest): bigint {
  const { method = 'GET', url, body } = request
  return isPlain(request) ? fingerprint64(url) : BigInt.asUintN(64, requestFingerprint(method, url, body))
}

/** Whether it is what a link is: the CrawlDb keeps a record of its URL. */
export function isPlain({ method = 'GET', body = '' }: CrawlRequest): boolean {
  return method === 'GET' && body === ''
}
