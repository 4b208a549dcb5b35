import type { Clock } from '../../base/clock.ts'
import type { EventLog } from '../../base/event-log.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { Fetcher, ResponseCache } from '../../domain/fetch/fetcher.ts'
import type { RequestObserver } from '../../domain/fetch/request-observer.ts'
import type { FileStore } from '../../domain/files/file-store.ts'
import type { Fleet } from '../../domain/frontier/fleet.ts'
import type { Frontier, LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { PageBudget } from '../../domain/frontier/page-budget.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import type { CrawlWatch } from '../../domain/live/report-source.ts'
import type { HostQueuesOptions } from '../../domain/politeness/host-queues.ts'
import type { PoliteFetcher } from '../../domain/politeness/polite-fetcher.ts'
import { type PageRendering, RenderingFetcher } from '../../domain/politeness/rendering-fetcher.ts'
import type { RobotsCache } from '../../domain/robots/robots-cache.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import { filterChain, type UrlFilter } from '../../domain/url/url-filter.ts'
import { Admission } from './admission.ts'
import { DownloadProcessor } from './download-processor.ts'
import { type FileOptions, fileOptions } from './file-options.ts'
import type { HandlerErrors } from './handler-errors.ts'
import { FILE_HANDLER, ItemDownloads } from './item-downloads.ts'
import { type ItemListener, ItemNotifier } from './item-notifier.ts'
import { KnownRequests } from './known-requests.ts'
import { handlerFault, LocalCalls } from './local-calls.ts'
import { type FailedAttempt, OutcomeProcessor, type PageKeeper } from './outcome-processor.ts'
import type { PagePermits } from './page-permits.ts'
import { FilePlaceMissing, PageProcessor } from './page-processor.ts'
import { sendable } from './request-options.ts'
import type { SpiderSessions } from './request-preparer.ts'
import { RequestProcessor } from './request-processor.ts'
import type { RetryPolicy } from './retry-policy.ts'
import { SessionGuard } from './session-guard.ts'
import { type LoginFailed, SessionLogin } from './session-login.ts'
import { SessionPool, type SessionPoolParts } from './session-pool.ts'
import type { SpiderCalls } from './spider-calls.ts'
import type { AnySpider } from './spider-definition.ts'
import type { SpiderScope } from './spider-scope.ts'
import type { StatsCounter } from './spider-stats.ts'
import type { StartSource } from './start-feeder.ts'
import { handlerMs, TimeLimit } from './time-limit.ts'

/** The dependencies of an engine. */
export interface EngineParts {
  /** A steady clock. */
  readonly clock: Clock
  readonly frontier: Frontier
  readonly fetcher: Fetcher
  readonly robots: RobotsCache
  readonly normalize: UrlNormalizer
  readonly scope: SpiderScope
  /** The filters of the settings, in addition to the scope. */
  readonly filter: UrlFilter
  readonly cache?: ResponseCache
  /** Start requests that are pushed during the crawl. */
  readonly startSource?: StartSource
  /** When the frontier is shared with other processes. */
  readonly fleet?: Fleet
  /** The pages that `maxPages` allows; with a fleet, over all its workers. @default those of this run alone */
  readonly pageBudget?: PageBudget
  /** Calls the functions of the spider. @default in this thread */
  readonly calls?: SpiderCalls
  /** Shared with the threads of `calls`. @default its own */
  readonly known?: KnownRequests
  /** Stores pages. Absent: pages are not stored. */
  readonly keeper?: PageKeeper
  /** Stores the files of items. Absent: an item with files ends the run. */
  readonly files?: FileStore
  /** Watches the requests. @default none */
  readonly watch?: CrawlWatch
  /** Is told about every request. @default none */
  readonly requestLog?: RequestObserver
  /** Stores the sessions of the spider. Absent: it has none. */
  readonly sessions?: Pick<SessionPoolParts, 'store' | 'jarOf'>
  /** Renders pages. @default none are rendered */
  readonly rendering?: PageRendering
  /** Gets retries, dead letters and items. @default none */
  readonly log?: EventLog
}

/** The steps of a request, assembled. */
export interface RequestPipeline {
  readonly admission: Admission
  readonly pages: PageProcessor
  readonly requests: Pick<RequestProcessor, 'process'>
  readonly downloads: ItemDownloads
  readonly notifier: ItemNotifier
  readonly known: KnownRequests | undefined
  readonly sessions: SessionPool | undefined
}

/** Assembles the steps of a request from the spider and the dependencies of the engine. */
export function createRequestPipeline(
  parts: EngineParts,
  spider: AnySpider,
  options: EngineOptions,
  own: {
    readonly fetcher: PoliteFetcher
    readonly stats: StatsCounter
    readonly handlerErrors: HandlerErrors
    readonly permits: PagePermits | undefined
    readonly onLoginFailed: (error: LoginFailed) => void
  },
): RequestPipeline {
  const { clock, normalize, scope, filter, cache, keeper, fleet, rendering } = parts
  const { retry, maxRedirects } = options
  const { fetcher, stats, handlerErrors, permits } = own
  const { limits = {}, handleStatuses, onError } = spider
  // A shared frontier may still lose requests of this process that another process finds again.
  const known = fleet === undefined ? (parts.known ?? new KnownRequests()) : undefined
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
  // Files may be on any host, of any type and at any depth: the handler chose them.
  const fileAdmission = new Admission({ normalize, filter: filterChain([]), maxRedirects })
  const downloads = new ItemDownloads(
    (href, base) => fileAdmission.normalize(href, base),
    () => stats.skipped('file: not a URL'),
  )
  const pages = new PageProcessor({
    ...{ clock, calls, admission, stats },
    ...withoutUndefined({ log: parts.log, downloads: parts.files && downloads }),
  })
  const outcomes = new OutcomeProcessor({
    ...{ clock, admission, pages, retry, stats, handlerErrors, normalize },
    handleStatuses: handleStatuses ?? [],
    ...withoutUndefined({ keeper, permits, onFailure: options.onFailure }),
  })
  const sessions = spiderSessions(parts, spider, options, own)
  const requests = new RequestProcessor({
    ...{ clock, outcomes, stats },
    fetcher: new RenderingFetcher(clock, fetcher, rendering),
    renderMode: (url, handler) => rendering?.modeOf(url, handler) ?? 'never',
    calls: {
      onRequest: (request) => calls.onRequest(request),
      async room() {
        await notifier.room()
        await calls.room?.()
      },
    },
    handlerFault: (name) => handlerFault(spider, name),
    freesSlotsEarly: calls.room !== undefined,
    keepErrorBodies: handleStatuses !== undefined || onError !== undefined,
    ...withoutUndefined({ cache, permits, sessions, log: parts.log }),
  })
  const files =
    parts.files &&
    new DownloadProcessor({
      ...{ clock, fetcher, calls, outcomes, stats, downloads },
      ...{ store: parts.files, options: fileOptions(fileOptionsOf(spider)), admission: fileAdmission },
      ...withoutUndefined({ sessions, log: parts.log }),
    })
  const process = (leased: LeasedRequest) => {
    if (leased.request.handler !== FILE_HANDLER) return requests.process(leased)
    return files === undefined ? Promise.reject(new FilePlaceMissing()) : files.process(leased)
  }
  return { admission, pages, requests: { process }, downloads, notifier, known, sessions: sessions?.pool }
}

/** The options of a spider; a text is the store alone. */
export function fileOptionsOf({ files = {} }: Pick<AnySpider, 'files'>): FileOptions {
  return typeof files === 'string' ? { store: files } : files
}

function spiderSessions(
  { clock, normalize, sessions: stores }: EngineParts,
  { sessions, limits = {} }: AnySpider,
  { maxRedirects }: EngineOptions,
  { fetcher, stats, onLoginFailed }: Parameters<typeof createRequestPipeline>[3],
): SpiderSessions | undefined {
  if (sessions === undefined || stores === undefined) return undefined
  const onFetched = (outcome: FetchOutcome) => stats.fetched(outcome)
  const login =
    sessions.login && new SessionLogin({ fetcher, normalize, maxRedirects, onFetched }, sessions.login)
  const pool = new SessionPool({ clock, ...stores, onLoginFailed, ...withoutUndefined({ login }) }, sessions)
  const guard = new SessionGuard(sessions, pool, new TimeLimit(clock, handlerMs(limits)))
  return { pool, guard, headers: sendable(sessions.headers ?? {}) }
}

/** Options of an engine, in addition to those of the spider. */
export interface EngineOptions {
  /** Requests in flight over all hosts. */
  readonly threads: number
  readonly politeness: Omit<HostQueuesOptions, 'maxItems'>
  /** The queue of a URL: its host or domain. */
  readonly keyOf: (url: string) => string
  /** A request that takes longer is aborted. @default 300000 */
  readonly hungAfterMs?: number
  /** Time for requests in flight to finish when the crawl is stopped. @default 5000 */
  readonly graceMs?: number
  readonly retry: RetryPolicy
  readonly maxRedirects: number
  /** Maximum time before the results of a page are stored. @default 1000 */
  readonly settleEveryMs?: number
  /** Requests taken from the frontier in advance. @default 50 per thread */
  readonly queueDepth?: number
  /** Pages of each host in earlier runs, for `maxPagesPerHost`. @default none */
  readonly hostPages?: Iterable<readonly [host: string, pages: number]>
  /** With a `startSource`: how long to wait for more when the queue is empty; `Infinity`: no limit. @default 0 */
  readonly idleMs?: number
  /** Called for each handler, pipeline or `onError` that failed. */
  readonly onHandlerError?: (where: string, error: unknown) => void
  /** Called with each stored item, one at a time; a promise that is slow to settle slows the crawl down. */
  readonly onItem?: (item: unknown) => void | Promise<void>
  /** Called after each batch of results was stored. */
  readonly onSettled?: () => void
  /** Called with each stored batch. */
  readonly onStored?: (batch: readonly Settlement[]) => void
  /** Called for each request that failed, finally or with a retry. */
  readonly onFailure?: (failure: FailedAttempt) => void
}
