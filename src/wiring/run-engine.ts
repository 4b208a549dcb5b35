import { join } from 'node:path'
import type { Rules } from '../adapters/config/build-rules.ts'
import type { Settings } from '../adapters/config/config-schema.ts'
import { fetcherOptions } from '../adapters/config/fetcher-options.ts'
import { hostDelayMs } from '../adapters/config/host-queues-options.ts'
import { itemsToParquet } from '../adapters/duckdb/items-to-parquet.ts'
import type { FeedTarget } from '../adapters/feeds/feed-target.ts'
import { ItemFeeds } from '../adapters/feeds/item-feeds.ts'
import { streamOutput } from '../adapters/feeds/output-feed.ts'
import { CookieJar } from '../adapters/http/cookie-jar.ts'
import { FileResponseCache } from '../adapters/http/file-response-cache.ts'
import { HostCookieJar } from '../adapters/http/host-cookie-jar.ts'
import { HttpFetcher } from '../adapters/http/http-fetcher.ts'
import { keepCookies } from '../adapters/http/keep-cookies.ts'
import { privateNames } from '../adapters/http/private-names.ts'
import { openObjectStore } from '../adapters/object-store/open-object-store.ts'
import type { Clock } from '../base/clock.ts'
import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { packageVersion } from '../base/package-version.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { RenderMode } from '../domain/fetch/page-renderer.ts'
import type { Frontier } from '../domain/frontier/frontier.ts'
import type { SessionState } from '../domain/frontier/session-store.ts'
import { persistHostStates } from '../domain/politeness/persist-host-states.ts'
import { RobotsCache } from '../domain/robots/robots-cache.ts'
import { hostOf } from '../domain/url/host-of.ts'
import { isAddressOrLocalhost } from '../domain/url/local-host.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import { userStack } from '../flows/spider/handler-errors.ts'
import { KnownRequests } from '../flows/spider/known-requests.ts'
import type { RequestOutput } from '../flows/spider/output.ts'
import { retryPolicy } from '../flows/spider/retry-policy.ts'
import type { AnySpider } from '../flows/spider/spider-definition.ts'
import { SpiderEngine } from '../flows/spider/spider-engine.ts'
import { SpiderScope } from '../flows/spider/spider-scope.ts'
import type { Spider } from './define-spider.ts'
import { type LiveSpider, withLiveSpider } from './live-spider.ts'
import { openFiles } from './open-files.ts'
import { openRequestLog } from './open-request-log.ts'
import { openRendering } from './page-rendering.ts'
import { proxyNotices } from './proxy-notices.ts'
import type { EventReceivers } from './run-log.ts'
import type { RunSpiderOptions, SpiderResult } from './run-spider-options.ts'
import { allWatchers } from './settings-watchers.ts'
import { withSpiderEvents } from './spider-events.ts'
import type { SpiderStores } from './spider-stores.ts'
import { spiderCalls } from './spider-threads.ts'

/** The options of a run, the callback for stored items, and the log. */
export interface EngineRunOptions extends Omit<RunSpiderOptions, keyof EventReceivers> {
  readonly onItem: (item: unknown) => void | Promise<void>
  readonly log: EventLog
}

/** The result of a run, without its items: those go to `onItem`. */
export type EngineResult = Omit<SpiderResult, 'items'>

/** Connects an engine to its stores, the network and the exports, and runs it. */
export async function runEngine(
  spider: AnySpider & Pick<Spider, 'out'>,
  stores: SpiderStores,
  settings: Settings,
  rules: Rules,
  options: EngineRunOptions,
): Promise<EngineResult> {
  const name = stores.fleet === undefined ? spider.name : (settings.redis.job ?? spider.name)
  const watchers = await allWatchers(options.watchers, settings, options.log)
  const start = { name, resumed: stores.starts.length > 0 }
  const { maxPages } = spider.limits ?? {}
  return withLiveSpider(name, stores, { watchers, signal: options.signal, maxPages }, (live) =>
    withSpiderEvents(start, options.log, () => runWatched(spider, stores, settings, rules, options, live)),
  )
}

async function runWatched(
  spider: AnySpider & Pick<Spider, 'out'>,
  stores: SpiderStores,
  settings: Settings,
  rules: Rules,
  options: EngineRunOptions,
  live: LiveSpider,
): Promise<EngineResult> {
  const { log } = options
  const { clock } = stores
  const { maxPages } = spider.limits ?? {}
  const feeds = await openFeeds(spider, stores, settings, options)
  let feedsClosed = false
  const scope = new SpiderScope(spider.allow)
  for (const url of stores.starts) scope.startsAt(url)
  const jar = settings.http.cookies ? new CookieJar(clock) : undefined
  const keyOf = (url: string) => queueKey(url, settings.politeness.queueMode)
  if (jar !== undefined) stores.carryCookies?.(new HostCookieJar(jar, (host) => keyOf(`http://${host}/`)))
  const named = [...new Set([...stores.starts.map(hostOf), ...startUrlsOf(spider).map(hostOf)])]
  const fetcher = httpFetcher(settings, scope, await stores.privateHosts(named, privateNames), jar, log)
  const rendering = await openRendering(settings, clock, log, handlerModes(spider))
  const files = await openFiles(spider, options, settings, log)
  const known = stores.fleet === undefined ? new KnownRequests() : undefined
  const calls = spiderCalls(spider, clock, settings, rules, options, known)
  // A crawl in Redis has no directory, and one without --dir keeps none.
  const requestLog = options.dir === undefined ? undefined : openRequestLog(options.dir, settings, clock, log)
  try {
    await calls.open()
    return await withCookies(jar, stores, async (saveCookies) => {
      const frontier = savingFirst(stores.frontier, async () => {
        await saveCookies()
        await stores.pages?.flush()
      })
      const robots = new RobotsCache(clock, [settings.agent.name], {
        ...settings.robots,
        log,
        ...withoutUndefined({ store: stores.robots }),
      })
      const engine = new SpiderEngine(
        {
          ...{ clock, frontier, fetcher, scope, calls, normalize: rules.normalize, filter: rules.filter },
          ...withoutUndefined({
            ...{ fleet: stores.fleet, known },
            pageBudget: maxPages === undefined ? undefined : stores.pageBudget?.(maxPages),
            keeper: stores.pages,
            sessions: spider.sessions && {
              store: stores.sessions,
              jarOf: (cookies) => jarOf(cookies, clock),
            },
            startSource: stores.startSource,
            requestLog,
            files,
          }),
          ...{ robots, log, watch: live.run, rendering },
          ...(options.cache !== undefined && { cache: responseCache(options.cache, jar) }),
        },
        spider,
        {
          threads: settings.politeness.threads,
          politeness: rules.hosts,
          keyOf,
          retry: retryPolicy(spider.retry),
          maxRedirects: settings.limits.redirectMax,
          hostPages: stores.hostPages,
          idleMs: options.wait === true ? Number.POSITIVE_INFINITY : settings.redis.idleSeconds * 1000,
          onItem: options.onItem,
          onHandlerError: (where, error) =>
            logEvent(log, 'HANDLER_FAILED', `${where}: ${userStack(error) ?? String(error)}`),
          onSettled: () =>
            void feeds.follow().catch((error: unknown) => logEvent(log, 'FEED_FAILED', String(error))),
          onStored: live.onStored,
          onFailure: live.onFailure,
        },
      )
      live.offerRetries(() => engine.requestsAdded())
      stores.reportOf?.(() => engine.stats())
      const progressTimer = setInterval(
        () => options.onProgress?.({ ...engine.progress(), robotsFailures: robots.failures() }),
        1_000,
      ).unref()
      const delayMs = hostDelayMs(settings.politeness)
      try {
        const ended = await persistHostStates(engine, stores.hosts, clock, delayMs, () =>
          engine.run(live.run.signal),
        )
        const stats = engine.stats()
        // The exports are still to be completed: a failure here must not prevent that.
        await calls
          .onClose(stats, ended)
          .catch((error: unknown) => logEvent(log, 'CLOSE_FAILED', `onClose: ${stackOf(error)}`))
        const pending = await frontier.pending(clock.now())
        feedsClosed = true
        return {
          ...{ ended, stats, pending },
          ...{ robotsForbidden: robots.forbidden, robotsFailures: robots.failures() },
          rendering: { ...rendering.counts },
          feeds: await feeds.close(),
        }
      } finally {
        clearInterval(progressTimer)
      }
    })
  } finally {
    await calls.close((error) =>
      logEvent(log, 'CLOSE_FAILED', `a pipeline could not be closed: ${stackOf(error)}`),
    )
    // After a failure, the items found so far are written; after a normal end all are written already.
    if (!feedsClosed) await feeds.close().catch(() => {})
    await rendering.renderer.close()
    await fetcher.close()
    await files?.close()
    await requestLog?.close()
    await stores.frontier.close()
    await stores.pages?.close()
  }
}

/** The modes that a spider sets by handler. One for all pages is among its settings. */
function handlerModes({ render = {} }: AnySpider): Readonly<Record<string, RenderMode>> {
  return typeof render === 'string' ? {} : (render as Readonly<Record<string, RenderMode>>)
}

function openFeeds(
  spider: AnySpider & Pick<Spider, 'out'>,
  { clock, items, feeds }: SpiderStores,
  { objectStore }: Settings,
  { out, dir, output, overwrite, log }: EngineRunOptions,
): Promise<ItemFeeds> {
  const rejected: FeedTarget[] =
    dir === undefined ? [] : [{ path: join(dir, 'items.rejected.jsonl'), from: 'rejected' }]
  return ItemFeeds.open(items, [...listOf(spider.out), ...listOf(out), ...rejected], {
    clock,
    directory: feeds,
    ...withoutUndefined({ overwrite }),
    output: output ?? streamOutput(process.stdout),
    writeTable: itemsToParquet,
    openStore: (url) => openObjectStore(url, objectStore, { log }),
    schemaFields: schemaFields(spider.item),
    onNotice: ({ target, kind, message }) => logEvent(log, FEED_CODES[kind], message, { data: { target } }),
  })
}

const FEED_CODES = {
  failed: 'FEED_FAILED',
  recovered: 'FEED_RECOVERED',
  'written-anew': 'FEED_REWRITTEN',
  'fields-left-out': 'FEED_FIELDS_LEFT_OUT',
} as const

function listOf(targets: RunSpiderOptions['out']): readonly FeedTarget[] {
  if (targets === undefined) return []
  return isList(targets) ? targets : [targets]
}

function isList(targets: FeedTarget | readonly FeedTarget[]): targets is readonly FeedTarget[] {
  return Array.isArray(targets)
}

/** The fields of a schema that lists them, as zod's do: the order of columns. */
function schemaFields(schema: unknown): readonly string[] {
  const shape: unknown =
    typeof schema === 'object' && schema !== null && 'shape' in schema ? schema.shape : {}
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : []
}

/** Start URLs that are known before the spider runs. Those of a generator are not: hosts with private addresses among them need `--allow-host`. */
export function startUrlsOf({ start, sitemap }: Pick<AnySpider, 'start' | 'sitemap'>): string[] {
  const listed = typeof start === 'string' ? [start] : Array.isArray(start) ? start : []
  const urls = listed.map((item: string | RequestOutput) => (typeof item === 'string' ? item : item.href))
  return [...urls, ...(sitemap?.urls ?? [])].filter((url) => URL.canParse(url))
}

/** @param privateNames of start URLs */
function httpFetcher(
  settings: Settings,
  scope: SpiderScope,
  privateNames: readonly string[],
  jar: CookieJar | undefined,
  log: EventLog,
): HttpFetcher {
  const options = fetcherOptions(settings, packageVersion(), [], privateNames)
  return new HttpFetcher({
    ...options,
    cookies: jar ?? false,
    allowPrivateHosts: (host) =>
      (settings.http.allowPrivateSeeds && isAddressOrLocalhost(host) && scope.isNamed(host)) ||
      options.allowPrivateHosts(host),
    onWarning: (message) =>
      logEvent(log, 'AGENT_CONTACT_MISSING', `${message} (settings.agent, or --contact and --email)`),
    onRefusedHost: (reason) =>
      logEvent(log, 'PRIVATE_ADDRESS_REFUSED', `${reason} (or settings.http.allowPrivateHosts)`),
    onProxyEvent: proxyNotices(log),
  })
}

function jarOf(cookies: SessionState['cookies'], clock: Clock): CookieJar {
  const jar = new CookieJar(clock)
  jar.restore(cookies)
  return jar
}

function responseCache(directory: string, jar: CookieJar | undefined): FileResponseCache {
  return new FileResponseCache({ directory, ...withoutUndefined({ cookies: jar }) })
}

function withCookies<T>(
  jar: CookieJar | undefined,
  { clock, cookies }: SpiderStores,
  work: (save: () => Promise<void>) => Promise<T>,
): Promise<T> {
  return jar === undefined ? work(() => Promise.resolve()) : keepCookies(jar, cookies, clock, work)
}

/** Stores pages and cookies before their requests are settled: a settled request, such as a login, is not sent again. */
function savingFirst(frontier: Frontier, save: () => Promise<void>): Frontier {
  const leaseUnstored = frontier.leaseUnstored?.bind(frontier)
  return {
    add: (requests, starts) => frontier.add(requests, starts),
    lease: (wish) => frontier.lease(wish),
    pending: (now) => frontier.pending(now),
    close: () => frontier.close(),
    ...(leaseUnstored !== undefined && { leaseUnstored }),
    async settle(settlements, throttles) {
      await save()
      return frontier.settle(settlements, throttles)
    },
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
