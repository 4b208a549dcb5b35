import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, workerData } from 'node:worker_threads'
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
import { HttpFetcher } from '../adapters/http/http-fetcher.ts'
import { keepCookies } from '../adapters/http/keep-cookies.ts'
import { privateNames } from '../adapters/http/private-names.ts'
import type { Clock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { packageVersion } from '../base/package-version.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { Frontier } from '../domain/frontier/frontier.ts'
import { persistHostStates } from '../domain/politeness/persist-host-states.ts'
import { RobotsCache } from '../domain/robots/robots-cache.ts'
import { hostOf } from '../domain/url/host-of.ts'
import { isAddressOrLocalhost } from '../domain/url/local-host.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import { userStack } from '../flows/spider/handler-errors.ts'
import { LocalCalls } from '../flows/spider/local-calls.ts'
import type { RequestOutput } from '../flows/spider/output.ts'
import { retryPolicy } from '../flows/spider/retry-policy.ts'
import type { SpiderCalls } from '../flows/spider/spider-calls.ts'
import type { AnySpider } from '../flows/spider/spider-definition.ts'
import { SpiderEngine } from '../flows/spider/spider-engine.ts'
import { SpiderScope } from '../flows/spider/spider-scope.ts'
import { handlerMs, TimeLimit } from '../flows/spider/time-limit.ts'
import type { ThreadData } from './call-messages.ts'
import type { Spider } from './define-spider.ts'
import { IsolatedCalls } from './isolated-calls.ts'
import type { RunSpiderOptions, SpiderResult } from './run-spider-options.ts'
import type { SpiderStores } from './spider-stores.ts'

/** The options of a run, and the callback for stored items. */
export interface EngineRunOptions extends RunSpiderOptions {
  readonly onItem: (item: unknown) => void | Promise<void>
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
  const { onMessage = () => {}, signal = new AbortController().signal } = options
  const { clock } = stores
  const feeds = await openFeeds(spider, stores, options)
  let feedsClosed = false
  const scope = new SpiderScope(spider.allow)
  for (const url of stores.starts) scope.startsAt(url)
  const jar = settings.http.cookies ? new CookieJar(clock) : undefined
  const named = [...new Set([...stores.starts.map(hostOf), ...startHosts(spider)])]
  const fetcher = httpFetcher(settings, scope, await stores.privateHosts(named, privateNames), jar, onMessage)
  const calls = spiderCalls(spider, clock, settings, rules, options)
  try {
    await calls.open()
    return await withCookies(jar, stores, async (saveCookies) => {
      const frontier = savingFirst(stores.frontier, async () => {
        await saveCookies()
        await stores.pages?.flush()
      })
      const robots = new RobotsCache(clock, [settings.agent.name], {
        ...settings.robots,
        ...withoutUndefined({ store: stores.robots }),
      })
      const engine = new SpiderEngine(
        {
          ...{ clock, frontier, fetcher, scope, calls, normalize: rules.normalize, filter: rules.filter },
          ...withoutUndefined({ fleet: stores.fleet, keeper: stores.pages, startSource: stores.startSource }),
          robots,
          ...(options.cache !== undefined && { cache: responseCache(options.cache, jar) }),
        },
        spider,
        {
          threads: settings.politeness.threads,
          politeness: rules.hosts,
          keyOf: (url) => queueKey(url, settings.politeness.queueMode),
          retry: retryPolicy(spider.retry),
          maxRedirects: settings.limits.redirectMax,
          hostPages: stores.hostPages,
          idleMs: options.wait === true ? Number.POSITIVE_INFINITY : settings.redis.idleSeconds * 1000,
          onItem: options.onItem,
          onHandlerError: (where, error) => onMessage(`${where}: ${userStack(error) ?? String(error)}`),
          onSettled: () => void feeds.follow().catch((error: unknown) => onMessage(String(error))),
        },
      )
      stores.reportOf?.(() => engine.stats())
      const progressTimer = setInterval(() => options.onProgress?.(engine.progress()), 1_000).unref()
      const delayMs = hostDelayMs(settings.politeness)
      try {
        const ended = await persistHostStates(engine, stores.hosts, clock, delayMs, () => engine.run(signal))
        const stats = engine.stats()
        // The exports are still to be completed: a failure here must not prevent that.
        await calls.onClose(stats, ended).catch((error: unknown) => onMessage(`onClose: ${stackOf(error)}`))
        const pending = await frontier.pending(clock.now())
        feedsClosed = true
        return { ended, stats, pending, robotsForbidden: robots.forbidden, feeds: await feeds.close() }
      } finally {
        clearInterval(progressTimer)
      }
    })
  } finally {
    await calls.close((error) => onMessage(`a pipeline could not be closed: ${stackOf(error)}`))
    // After a failure, the items found so far are written; after a normal end all are written already.
    if (!feedsClosed) await feeds.close().catch(() => {})
    await fetcher.close()
    await stores.frontier.close()
    await stores.pages?.close()
  }
}

function openFeeds(
  spider: AnySpider & Pick<Spider, 'out'>,
  { clock, items, feeds }: SpiderStores,
  { out, dir, output, overwrite, onMessage }: RunSpiderOptions,
): Promise<ItemFeeds> {
  const rejected: FeedTarget[] =
    dir === undefined ? [] : [{ path: join(dir, 'items.rejected.jsonl'), from: 'rejected' }]
  return ItemFeeds.open(items, [...listOf(spider.out), ...listOf(out), ...rejected], {
    clock,
    directory: feeds,
    ...withoutUndefined({ overwrite }),
    output: output ?? streamOutput(process.stdout),
    writeTable: itemsToParquet,
    schemaFields: schemaFields(spider.item),
    onNotice: ({ message }) => onMessage?.(message),
  })
}

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

/** Hosts of the start URLs that are known before the spider runs. Those of a generator are not: of them, names need `--allow-host`. */
function startHosts({ start, sitemap }: AnySpider): string[] {
  const listed = typeof start === 'string' ? [start] : Array.isArray(start) ? start : []
  const urls = listed.map((item: string | RequestOutput) => (typeof item === 'string' ? item : item.href))
  return [...urls, ...(sitemap?.urls ?? [])].flatMap((url) => URL.parse(url)?.hostname ?? [])
}

/** @param privateNames of start URLs */
function httpFetcher(
  settings: Settings,
  scope: SpiderScope,
  privateNames: readonly string[],
  jar: CookieJar | undefined,
  onWarning: (message: string) => void,
): HttpFetcher {
  const options = fetcherOptions(settings, packageVersion(), [], privateNames)
  return new HttpFetcher({
    ...options,
    cookies: jar ?? false,
    allowPrivateHosts: (host) =>
      (isAddressOrLocalhost(host) && scope.isNamed(host)) || options.allowPrivateHosts(host),
    onWarning: (message) => onWarning(`warning: ${message} (settings.agent, or --contact and --email)`),
    onRefusedHost: (reason) => onWarning(`warning: ${reason} (or settings.http.allowPrivateHosts)`),
  })
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
  return {
    add: (requests, starts) => frontier.add(requests, starts),
    lease: (wish) => frontier.lease(wish),
    pending: (now) => frontier.pending(now),
    close: () => frontier.close(),
    async settle(settlements, throttles) {
      await save()
      return frontier.settle(settlements, throttles)
    },
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Calls the functions of a spider in this thread, or in a separate one. */
export function spiderCalls(
  spider: AnySpider,
  clock: Clock,
  settings: Settings,
  { normalize }: Pick<Rules, 'normalize'>,
  options: RunSpiderOptions,
): SpiderCalls {
  const { limits = {} } = spider
  const { module, args = {} } = options
  const limitMs = handlerMs(limits)
  if (!isIsolated(spider, options) || module === undefined)
    return new LocalCalls(spider, normalize, new TimeLimit(clock, limitMs))
  return new IsolatedCalls(clock, spider, {
    ...{ args, limitMs, normalizer: settings.normalizer, memoryMb: limits.handlerMemoryMb ?? 512 },
    file: String(module).startsWith('file:') ? fileURLToPath(module) : String(module),
  })
}

/**
 * Checks that an isolated spider can be loaded in another thread.
 * @throws ConfigurationError if not
 */
export function checkIsolation(spider: AnySpider, options: RunSpiderOptions): void {
  if (isIsolated(spider, options) && options.module === undefined)
    throw new ConfigurationError(
      'SPIDER_INVALID',
      `spider ${spider.name}: an isolated spider is loaded again, in a thread: put it into a file of its own as the default export, and name that file with module, as in runSpider(spider, { isolated: true, module: new URL('./my-spider.ts', import.meta.url) })`,
    )
  // A module that starts a crawl when it is loaded would start another one in each thread, without end.
  if (!isMainThread && isThreadData(workerData))
    throw new ConfigurationError(
      'SPIDER_INVALID',
      'runSpider() is called by the file that the functions of an isolated spider are loaded from: put the spider into a file of its own, and call runSpider() in another one',
    )
}

function isIsolated(spider: AnySpider, { isolated = spider.isolated ?? false }: RunSpiderOptions): boolean {
  return isolated
}

function isThreadData(data: unknown): data is ThreadData {
  return typeof data === 'object' && data !== null && 'marks' in data && 'normalizer' in data
}
