import type { DropCounts } from '../../base/drop-counts.ts'
import type { JsonObject } from '../../base/json.ts'
import type { FetchRow } from '../segment/segment-rows.ts'
import type { CrawlRequest } from './crawl-request.ts'

/** All that came of a request. It takes effect whole or not at all. */
export interface Settlement {
  /** Of the `LeasedRequest`. */
  readonly id: string
  readonly end: RequestEnd
  /** How the visit went, for the CrawlDb; absent when nobody was asked. */
  readonly visit?: FetchRow
  /** Requests that it led to: links, a redirect. */
  readonly requests: readonly CrawlRequest[]
  readonly items: readonly JsonObject[]
  readonly rejected: readonly RejectedItem[]
  /** Links, a redirect or the rest of a body that were dropped, by reason. @default none */
  readonly dropped?: DropCounts
}

/** What becomes of the request itself. */
export type RequestEnd =
  | { readonly kind: 'done' }
  /** Back in line, not to be asked before `at` (ms since the epoch), and counted as an attempt. */
  | { readonly kind: 'retry'; readonly at: number; readonly reason: string }
  /** Back in line as it was: nobody was asked. `at`: not before. */
  | { readonly kind: 'put-back'; readonly at?: number }
  /** To the dead letters, which the operator can look at and retry. */
  | ({ readonly kind: 'failed' } & RequestFailure)

export interface RequestFailure {
  /** Stable: `http-500`, `network-connect-refused`, `robots-unreachable`, `handler-threw`, … */
  readonly code: string
  /** For people. */
  readonly reason: string
  readonly stack?: string
}

/** An item that its schema refuses. */
export interface RejectedItem {
  readonly item: JsonObject
  readonly reason: string
}
