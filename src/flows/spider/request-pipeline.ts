import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { Fetcher, ResponseCache } from '../../domain/fetch/fetcher.ts'
import type { Fleet } from '../../domain/frontier/fleet.ts'
import type { Frontier } from '../../domain/frontier/frontier.ts'
import type { HostQueuesOptions } from '../../domain/politeness/host-queues.ts'
import type { PoliteFetcher } from '../../domain/politeness/polite-fetcher.ts'
import type { RobotsCache } from '../../domain/robots/robots-cache.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import { filterChain, type UrlFilter } from '../../domain/url/url-filter.ts'
import { Admission, KnownRequests } from './admission.ts'
import type { HandlerErrors } from './handler-errors.ts'
import { type ItemListener, ItemNotifier } from './item-notifier.ts'
import { handlerFault, LocalCalls } from './local-calls.ts'
import { OutcomeProcessor, type PageKeeper } from './outcome-processor.ts'
import { PageProcessor } from './page-processor.ts'
import { RequestProcessor } from './request-processor.ts'
import type { RetryPolicy } from './retry-policy.ts'
import type { SpiderCalls } from './spider-calls.ts'
import type { AnySpider } from './spider-definition.ts'
import type { SpiderScope } from './spider-scope.ts'
import type { StatsCounter } from './spider-stats.ts'
import type { StartSource } from './start-feeder.ts'
import { handlerMs, TimeLimit } from './time-limit.ts'

/** What an engine works with. */
export interface EngineParts {
  /** A steady one. */
  readonly clock: Clock
  readonly frontier: Frontier
  readonly fetcher: Fetcher
  readonly robots: RobotsCache
  readonly normalize: UrlNormalizer
  readonly scope: SpiderScope
  /** Of the settings, beside the scope. */
  readonly filter: UrlFilter
  readonly cache?: ResponseCache
  /** Start requests that come while the crawl goes on. */
  readonly startSource?: StartSource
  /** When the frontier is shared with other processes. */
  readonly fleet?: Fleet
  /** How the functions of the spider are called. @default in this thread */
  readonly calls?: SpiderCalls
  /** Where pages are kept. Absent: nowhere. */
  readonly keeper?: PageKeeper
}

/** The way of a request, put together: what the engine sends each one through. */
export interface RequestPipeline {
  readonly admission: Admission
  readonly pages: PageProcessor
  readonly requests: RequestProcessor
  readonly notifier: ItemNotifier
  readonly known: KnownRequests | undefined
}

/** Puts together what a spider says about itself and what the engine has. */
export function createRequestPipeline(
  parts: EngineParts,
  spider: AnySpider,
  options: EngineOptions,
  own: {
    readonly fetcher: PoliteFetcher
    readonly stats: StatsCounter
    readonly handlerErrors: HandlerErrors
  },
): RequestPipeline {
  const { clock, normalize, scope, filter, cache, keeper, fleet } = parts
  const { retry, maxRedirects } = options
  const { fetcher, stats, handlerErrors } = own
  const { limits = {}, handleStatuses, onError } = spider
  // What one process hands to a shared frontier can still be lost there, while another finds it.
  const known = fleet === undefined ? new KnownRequests() : undefined
  const admission = new Admission({
    normalize,
    filter: filterChain([scope, filter]),
    maxRedirects,
    ...withoutUndefined({ maxDepth: limits.depth, known }),
    handlerFault: (name) => handlerFault(spider, name),
  })
  const calls: SpiderCalls =
    parts.calls ?? new LocalCalls(spider, normalize, new TimeLimit(clock, handlerMs(limits)))
  const listeners: ItemListener[] = []
  if (spider.onItem !== undefined) listeners.push((item) => calls.onItem(item))
  if (options.onItem !== undefined) listeners.push(options.onItem)
  const notifier = new ItemNotifier(listeners, handlerErrors)
  const pages = new PageProcessor({ clock, calls, admission, stats })
  const outcomes = new OutcomeProcessor({
    ...{ clock, admission, pages, retry, stats, handlerErrors, normalize },
    handleStatuses: handleStatuses ?? [],
    ...withoutUndefined({ keeper }),
  })
  const requests = new RequestProcessor({
    ...{ clock, fetcher, outcomes, stats },
    calls: {
      onRequest: (request) => calls.onRequest(request),
      async room() {
        await notifier.room()
        await calls.room?.()
      },
    },
    handlerFault: (name) => handlerFault(spider, name),
    keepErrorBodies: handleStatuses !== undefined || onError !== undefined,
    ...withoutUndefined({ cache }),
  })
  return { admission, pages, requests, notifier, known }
}

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
