import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { Drop } from './drop.ts'
import type { Page } from './handler-page.ts'

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
