import type { DropCounts } from '../../base/drop-counts.ts'
import type { JsonObject } from '../../base/json.ts'
import type { FetchRow } from '../segment/segment-rows.ts'
import type { CrawlRequest } from './crawl-request.ts'

/** The result of a request. It takes effect as a whole or not at all. */
export interface Settlement {
  /** Of the `LeasedRequest`. */
  readonly id: string
  readonly end: RequestEnd
  /** The fetch row for the CrawlDb; absent if no request was sent. */
  readonly fetch?: FetchRow
  /** Requests found: links, a redirect. */
  readonly requests: readonly CrawlRequest[]
  readonly items: readonly JsonObject[]
  /** The page of the items. @default the URL of the request */
  readonly itemsOf?: string
  readonly rejected: readonly RejectedItem[]
  /** The host whose page it is, if the pages of hosts are limited. A frontier that several processes share counts it. */
  readonly pageOf?: string
  /** Links, redirects or parts of a body that were dropped, by reason. @default none */
  readonly dropped?: DropCounts
}

/** The outcome of the request itself. */
export type RequestEnd =
  | { readonly kind: 'done' }
  /** Requeued, not to be sent before `at` (ms since the epoch), and counted as an attempt. */
  | { readonly kind: 'retry'; readonly at: number; readonly reason: string }
  /** Requeued unchanged: no request was sent. `at`: not before (ms since the epoch). */
  | { readonly kind: 'requeue'; readonly at?: number }
  /** Becomes a dead letter, which an operator can inspect and retry. */
  | ({ readonly kind: 'failed' } & RequestFailure)

export interface RequestFailure {
  /** Stable: `http-500`, `network-connect-refused`, `robots-unreachable`, `handler-threw`, … */
  readonly code: string
  /** For display. */
  readonly reason: string
  readonly stack?: string
}

/** An item that its schema rejected. */
export interface RejectedItem {
  readonly item: JsonObject
  readonly reason: string
}
