import type { JsonObject } from '../../base/json.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { RejectedItem } from '../../domain/frontier/settlement.ts'
import type { ItemWithFiles } from './files-of-items.ts'
import type { Page } from './handler-page.ts'
import type { Drop, RetryLater } from './hooks.ts'
import type { RequestOutput } from './output.ts'
import type { RequestError, SpiderEnd } from './spider-definition.ts'
import type { SpiderStats } from './spider-stats.ts'

/**
 * Calls the functions that a user wrote: handlers, hooks, pipelines, the schema of the items. Either in this thread (`LocalCalls`) or in
 * one of their own. A call rejects with what the function throws, or with `TimeLimitExceeded`.
 */
export interface SpiderCalls {
  /** Fulfilled when there is room for one more page. Absent: there always is. */
  room?(): Promise<void>
  /** Opens the pipelines. */
  open(): Promise<void>
  /** Closes the pipelines; `onFailed` is called for each one that could not be closed. */
  close(onFailed: (error: unknown) => void): Promise<void>
  /** The request as the request hooks leave it, or why it is not made. */
  onRequest(request: CrawlRequest): Promise<CrawlRequest | Drop>
  /** The response hooks, then the handler and the link rules, then schema and pipelines for each item. */
  onPage(page: Page): Promise<CallResult | Drop | RetryLater>
  onError(error: RequestError): Promise<CallResult>
  onIdle(stats: SpiderStats): Promise<CallResult>
  onItem(item: unknown): Promise<void>
  onClose(stats: SpiderStats, ended: SpiderEnd): Promise<void>
}

/** What a call of a handler brings. Requests are not yet judged. */
export interface CallResult {
  readonly requests: readonly RequestOutput[]
  /** Number of requests that were left out because the frontier has them. */
  readonly repeats: number
  readonly items: readonly JsonObject[]
  /** Items that are stored when their files are downloaded. */
  readonly itemsWithFiles: readonly ItemWithFiles[]
  /** Files of items that were rejected or dropped. */
  readonly unwantedFiles: number
  readonly rejected: readonly RejectedItem[]
  /** The reasons for which pipelines dropped items. */
  readonly dropped: readonly string[]
  /** Links over the limit of a page. */
  readonly linksOverLimit: number
  /** Entries of a sitemap that are not URLs. */
  readonly invalidEntries: number
}

export const NO_RESULT: CallResult = Object.freeze({
  ...{ requests: [], items: [], itemsWithFiles: [], rejected: [], dropped: [] },
  ...{ repeats: 0, unwantedFiles: 0, linksOverLimit: 0, invalidEntries: 0 },
})
