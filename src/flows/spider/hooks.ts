import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { Page } from './handler-page.ts'
import { sendable } from './request-options.ts'
import type { CallLimit } from './time-limit.ts'

/**
 * Code that runs before and after every request, like Scrapy's downloader middlewares. Requests pass the hooks in their order, pages in
 * reverse order. A hook that throws fails the request.
 * @example
 * ```ts
 * hooks: [
 *   {
 *     request: ({ headers }) => ({ headers: { ...headers, authorization: 'Bearer abc' } }),
 *     response: (page) => (page.status === 202 ? retryLater('not ready', 5) : undefined),
 *   },
 * ],
 * ```
 */
export interface SpiderHook<Item = unknown, Names extends string = string> {
  readonly name?: string
  /** Runs before the request is sent. Returns nothing, changed headers and meta, or `drop('reason')`. URL, method and body stay the same. */
  request?(request: CrawlRequest): RequestVerdict | Promise<RequestVerdict>
  /** Runs before the handler. Returns nothing, `drop('reason')` or `retryLater('reason')`. */
  response?(page: Page<Item, Names>): ResponseVerdict | Promise<ResponseVerdict>
}

/** What a request hook may return: nothing, changed headers and meta, or `drop('reason')`. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type RequestVerdict = void | Pick<CrawlRequest, 'headers' | 'meta'> | Drop

/** What a response hook may return: nothing, `drop('reason')`, or `retryLater('reason')`. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ResponseVerdict = void | Drop | RetryLater

/** The decision of a hook to retry a request: the result of {@link retryLater}. */
export class RetryLater {
  readonly reason: string
  readonly afterSeconds: number | undefined

  constructor(reason: string, afterSeconds?: number) {
    this.reason = reason
    this.afterSeconds = afterSeconds
  }
}

/**
 * From a response hook: retry the request, as after a server error, while retries are left.
 * @param afterSeconds minimum delay. @default that of `retry`
 * @example
 * ```ts
 * hooks: [{ response: (page) => (page.status === 202 ? retryLater('not ready', 5) : undefined) }],
 * ```
 */
export function retryLater(reason: string, afterSeconds?: number): RetryLater {
  return new RetryLater(reason, afterSeconds)
}

/** The decision of a pipeline or hook to discard an item, a request or a page; counted by reason. */
export class Drop {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/**
 * From a pipeline: discard the item. From a hook: do not send the request, or do not pass the page to its handler.
 * @example
 * ```ts
 * item: z.object({ title: z.string(), price: z.number() }),
 * pipelines: [{ process: (item) => (item.price > 0 ? item : drop('free')) }],
 * ```
 */
export function drop(reason: string): Drop {
  return new Drop(reason)
}

/** Runs the request hooks in their order, and the response hooks in reverse order. */
export class HookRunner {
  readonly #hooks: readonly SpiderHook[]
  readonly #limit: CallLimit

  constructor(hooks: readonly SpiderHook[], limit: CallLimit) {
    this.#hooks = hooks
    this.#limit = limit
  }

  /** The request to send, or the reason to drop it. */
  async onRequest(request: CrawlRequest): Promise<CrawlRequest | Drop> {
    let current = request
    for (const hook of this.#hooks) {
      if (hook.request === undefined) continue
      const given = current
      const verdict = await this.#limit.run(() => hook.request?.(given))
      if (verdict instanceof Drop) return verdict
      if (verdict !== undefined) {
        const { headers = current.headers, meta = current.meta } = verdict
        current = { ...current, ...(headers && { headers: sendable(headers) }), ...(meta && { meta }) }
      }
    }
    return current
  }

  /** `undefined`: the page goes to its handler. */
  async onResponse(page: Page): Promise<Drop | RetryLater | undefined> {
    for (const hook of this.#hooks.toReversed()) {
      if (hook.response === undefined) continue
      const verdict = await this.#limit.run(() => hook.response?.(page))
      if (verdict instanceof Drop || verdict instanceof RetryLater) return verdict
    }
    return undefined
  }
}
