import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { Page } from './handler-page.ts'
import { sendable } from './request-options.ts'
import type { CallLimit } from './time-limit.ts'

/**
 * What is done around every request: Scrapy's middlewares. All hooks see a request in their order, and its page in the reverse one.
 * One that throws fails the request, as a handler that throws does.
 */
export interface SpiderHook<Item = unknown, Names extends string = string> {
  readonly name?: string
  /** Just before it is asked: nothing, a changed request, or `drop('why')`. The URL and what identifies it stay as they are. */
  request?(request: CrawlRequest): RequestVerdict | Promise<RequestVerdict>
  /** Before the handler gets it: nothing, `drop('why')`, or `retryLater('why')`. */
  response?(page: Page<Item, Names>): ResponseVerdict | Promise<ResponseVerdict>
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks returns nothing
export type RequestVerdict = void | Pick<CrawlRequest, 'headers' | 'meta'> | Drop

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks returns nothing
export type ResponseVerdict = void | Drop | RetryLater

export class RetryLater {
  readonly reason: string
  readonly afterSeconds: number | undefined

  constructor(reason: string, afterSeconds?: number) {
    this.reason = reason
    this.afterSeconds = afterSeconds
  }
}

/** From a response hook: this response is not the page; ask again, as after a server error, while attempts are left. */
export function retryLater(reason: string, afterSeconds?: number): RetryLater {
  return new RetryLater(reason, afterSeconds)
}

/** A decision not to go on with an item or a request, with its reason; it is counted. Returned by pipelines and hooks. */
export class Drop {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** From a pipeline: this item is not kept. From a hook: this request is not asked, this page is not handled. */
export function drop(reason: string): Drop {
  return new Drop(reason)
}

/** Shows requests to the hooks in their order, and pages in the reverse one. */
export class HookRunner {
  readonly #hooks: readonly SpiderHook[]
  readonly #limit: CallLimit

  constructor(hooks: readonly SpiderHook[], limit: CallLimit) {
    this.#hooks = hooks
    this.#limit = limit
  }

  /** The request as it is to be made, or why it is not. */
  async onRequest(request: CrawlRequest): Promise<CrawlRequest | Drop> {
    let current = request
    for (const hook of this.#hooks) {
      if (hook.request === undefined) continue
      const shown = current
      const verdict = await this.#limit.run(() => hook.request?.(shown))
      if (verdict instanceof Drop) return verdict
      if (verdict !== undefined) {
        const { headers = current.headers, meta = current.meta } = verdict
        current = { ...current, ...(headers && { headers: sendable(headers) }), ...(meta && { meta }) }
      }
    }
    return current
  }

  /** `undefined`: the handler may have it. */
  async onResponse(page: Page): Promise<Drop | RetryLater | undefined> {
    for (const hook of this.#hooks.toReversed()) {
      if (hook.response === undefined) continue
      const verdict = await this.#limit.run(() => hook.response?.(page))
      if (verdict instanceof Drop || verdict instanceof RetryLater) return verdict
    }
    return undefined
  }
}
