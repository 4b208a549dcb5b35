import type { CrawlRequest } from '../domain/frontier/crawl-request.ts'
import type { Page } from '../flows/spider/handler-page.ts'
import type { Drop, RetryLater } from '../flows/spider/hooks.ts'
import type { CallResult, SpiderCalls } from '../flows/spider/spider-calls.ts'
import type { RequestError, SpiderEnd } from '../flows/spider/spider-definition.ts'
import type { SpiderStats } from '../flows/spider/spider-stats.ts'

/** The calls of one handler thread. */
export interface ThreadCalls extends SpiderCalls {
  room(): Promise<void>
  /** Number of calls without a reply. */
  readonly pending: number
}

/**
 * Calls the functions of a spider in several threads: pages go to the thread with the fewest calls, all other calls to the first one. Each
 * thread loads the spider and opens its pipelines.
 */
export class ThreadedCalls implements SpiderCalls {
  readonly #first: ThreadCalls
  readonly #all: readonly ThreadCalls[]

  constructor(first: ThreadCalls, ...others: readonly ThreadCalls[]) {
    this.#first = first
    this.#all = [first, ...others]
  }

  /** Opens all threads, or none. */
  async open(): Promise<void> {
    const results = await Promise.allSettled(this.#all.map((thread) => thread.open()))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed === undefined) return
    await this.close(() => undefined)
    throw failed.reason
  }

  async close(onFailed: (error: unknown) => void): Promise<void> {
    await Promise.all(this.#all.map((thread) => thread.close(onFailed)))
  }

  /** Fulfilled when one of the threads has room: the next page goes to the one with the fewest calls. */
  room(): Promise<void> {
    return Promise.race(this.#all.map((thread) => thread.room()))
  }

  onPage(page: Page): Promise<CallResult | Drop | RetryLater> {
    let least = this.#first
    for (const thread of this.#all) if (thread.pending < least.pending) least = thread
    return least.onPage(page)
  }

  onRequest(request: CrawlRequest): Promise<CrawlRequest | Drop> {
    return this.#first.onRequest(request)
  }

  onError(error: RequestError): Promise<CallResult> {
    return this.#first.onError(error)
  }

  onIdle(stats: SpiderStats): Promise<CallResult> {
    return this.#first.onIdle(stats)
  }

  onItem(item: unknown): Promise<void> {
    return this.#first.onItem(item)
  }

  onClose(stats: SpiderStats, ended: SpiderEnd): Promise<void> {
    return this.#first.onClose(stats, ended)
  }
}
