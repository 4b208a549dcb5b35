import type { HostQueuesOptions } from '../../domain/politeness/host-queues.ts'
import type { RetryPolicy } from './retry-policy.ts'

/** How an engine works; what the spider says about itself comes on top. */
export interface EngineOptions {
  /** Requests in flight over all hosts. */
  readonly threads: number
  readonly politeness: Omit<HostQueuesOptions, 'maxItems'>
  /** The queue of a URL: its host or domain. */
  readonly keyOf: (url: string) => string
  /** A request that has not ended after this is broken off. @default 300000 */
  readonly hungAfterMs?: number
  /** What is being asked when the crawl is stopped may take this long to end. @default 5000 */
  readonly graceMs?: number
  readonly retry: RetryPolicy
  readonly maxRedirects: number
  /** What a page brought takes effect at the latest after this. @default 1000 */
  readonly settleEveryMs?: number
  /** Requests taken from the frontier ahead of their turn. @default 50 for each thread */
  readonly queueDepth?: number
  /** Pages of each host in earlier runs, for `maxPagesPerHost`. @default none */
  readonly hostPages?: Iterable<readonly [host: string, pages: number]>
  /** With a `startSource`: how long to wait for more when all is done, by any process; `Infinity`: for ever. @default 0 */
  readonly idleMs?: number
  /** Told of each handler, pipeline or `onError` that failed. */
  readonly onHandlerError?: (where: string, error: unknown) => void
  /** Called with each stored item, one at a time; a promise that is slow to settle slows the crawl down. */
  readonly onItem?: (item: unknown) => void | Promise<void>
  /** Called after each batch of results was stored. */
  readonly onSettled?: () => void
}
