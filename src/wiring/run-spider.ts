import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildRules } from '../adapters/config/build-rules.ts'
import { openCrawlDirectory } from '../adapters/duckdb/open-crawl-directory.ts'
import { steadyClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { logEvent } from '../base/event-codes.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { AnySpider } from '../flows/spider/spider-definition.ts'
import type { MetaSchemas } from '../flows/spider/standard-schema.ts'
import { openCrawlSegments } from './crawl-segments.ts'
import { limitsAmong, type Spider } from './define-spider.ts'
import { ItemStream } from './item-stream.ts'
import { type EngineResult, type EngineRunOptions, runEngine } from './run-engine.ts'
import { type EventReceivers, openRunLog } from './run-log.ts'
import type { RunSpiderOptions, SpiderRun, StoredItem } from './run-spider-options.ts'
import { showLive } from './show-live.ts'
import { spiderSettings } from './spider-settings.ts'
import { embeddedStores } from './spider-stores.ts'
import { checkIsolation } from './spider-threads.ts'

/**
 * Runs a spider. Any number of spiders may run at once in one process; each run has its own queues, cookies and statistics.
 * @example
 * ```ts
 * const { items, stats } = await runSpider(quotes, { maxPages: 50 })
 * console.log(`${items.length} items from ${stats.pages} pages`)
 *
 * for await (const quote of runSpider(quotes).items) console.log(quote.text)
 * ```
 * @throws ConfigurationError, TooManyHandlerErrors, CrawlDirectoryLocked; never because of a response or a handler that fails
 */
export function runSpider<Input, Output, Names extends string, Metas extends MetaSchemas>(
  spider: Spider<Input, Output, Names, Metas>,
  options: RunSpiderOptions = {},
): SpiderRun<Output> {
  // The engine calls each handler with the page it was written for; the types of its items and handlers end here.
  const any = spider as unknown as AnyRunnable
  const { out, redis, signal } = options
  const {
    collect = out === undefined && any.out === undefined && any.onItem === undefined && redis === undefined,
  } = options
  const stop = new AbortController()
  const items = new ItemStream<StoredItem<Output>>({
    isCollecting: () => collect,
    // An error of the run is thrown to the reader.
    onRead: () => void result.catch(() => {}),
    onStop: () => stop.abort(),
  })
  const own = {
    ...options,
    signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
    onItem: (item: unknown) => items.push(item as StoredItem<Output>),
  }
  const result = crawlWith(any, own).then(
    (rest) => {
      items.close()
      return { ...rest, items: items.takeAll() }
    },
    (error: unknown) => {
      items.close({ error })
      throw error
    },
  )
  return Object.assign(result, { items })
}

type RunnerOptions = Omit<EngineRunOptions, 'log'> & EventReceivers

async function crawlWith(spider: AnyRunnable, options: RunnerOptions): Promise<EngineResult> {
  const limited = { ...spider, limits: { ...spider.limits, ...limitsAmong(options) } }
  checkIsolation(spider, options)
  if (options.keepPages === true && (options.dir === undefined || options.redis !== undefined))
    throw new ConfigurationError(
      'OPTION_INVALID',
      'pages are stored in a crawl directory: give dir (--dir), and leave out redis',
    )
  if (options.redis !== undefined) return crawlInRedis(options.redis, limited, options)
  if (options.dir !== undefined) return crawlInDirectory(options.dir, limited, options)
  const temporary = await mkdtemp(join(tmpdir(), 'orbweaver-'))
  try {
    return await crawlInDirectory(temporary, limited, options)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

type AnyRunnable = AnySpider & Pick<Spider, 'out' | 'settings'>

async function crawlInDirectory(
  dir: string,
  spider: AnyRunnable,
  options: RunnerOptions,
): Promise<EngineResult> {
  const settings = await settingsOf(spider, dir, options)
  const rules = buildRules(settings, { clock: steadyClock })
  using log = openRunLog(settings.log, options)
  // A user who runs this on ten machines expects them to share the work.
  if (settings.redis.url !== undefined && options.dir === undefined)
    logEvent(
      log,
      'REDIS_NOT_USED',
      'a Redis is configured (redis.url or ORBWEAVER_REDIS_URL), but this run does not use it: it is a crawl of its own, ' +
        'and other machines crawl the same pages again. To share the crawl, add --redis',
    )
  const place = await openCrawlSegments(dir, settings, options.dir === undefined ? 'read' : 'own', {
    log,
  })
  const directory = await openCrawlDirectory(dir, {
    command: `run ${spider.name}`,
    force: options.force ?? false,
    memoryMb: settings.memoryMb ?? SPIDER_MEMORY_MB,
    clock: steadyClock,
    log,
    segmentFolder: place.folder,
  }).catch(async (error: unknown) => {
    await place.close()
    throw error
  })
  try {
    const keep = { directory: options.dir !== undefined, pages: options.keepPages === true }
    const stores = await embeddedStores(directory, spider, settings, rules, keep)
    if (keep.directory) await options.onOpened?.()
    const watchers = [...(options.watchers ?? []), showLive(directory)]
    const result = await runEngine(spider, stores, settings, rules, { ...options, log, watchers })
    if (keep.directory) await options.onEnded?.(result)
    return result
  } finally {
    await directory.close()
    await place.close()
  }
}

async function crawlInRedis(
  address: string | true,
  spider: AnyRunnable,
  options: RunnerOptions,
): Promise<EngineResult> {
  if (options.dir !== undefined)
    throw new ConfigurationError(
      'OPTION_INVALID',
      'a crawl is either in a directory or in Redis: leave out dir, or redis',
    )
  if (options.out !== undefined || spider.out !== undefined)
    throw new ConfigurationError(
      'OPTION_INVALID',
      `the items of a crawl in Redis go to its list ${spider.name}:items: leave out the exports, and take them from there with orbweaver items ${spider.name} --redis`,
    )
  const settings = await settingsOf(spider, process.cwd(), options)
  const rules = buildRules(settings, { clock: steadyClock })
  const { redisStores } = await import('./redis-stores.ts')
  const crawl = settings.redis.job ?? spider.name
  const { signal = new AbortController().signal } = options
  using log = openRunLog(settings.log, options)
  const stores = await redisStores(address, crawl, spider, settings, log, signal)
  let isFinished = false
  try {
    const result = await runEngine(spider, stores, settings, rules, { ...options, log })
    isFinished = result.ended === 'finished'
    const fleet = isFinished ? await stores.fleet.counts() : undefined
    return { ...result, crawl, ...withoutUndefined({ fleet }) }
  } finally {
    await stores.close(isFinished)
  }
}

function settingsOf(
  { settings: own, render }: AnyRunnable,
  dir: string,
  { settings, config }: RunnerOptions,
) {
  const mode = typeof render === 'string' ? render : undefined
  const all = mode === undefined ? own : { ...own, render: { mode, ...own?.render } }
  return spiderSettings({ settings, own: all, dir, config })
}

/** What the database needs for millions of requests. */
const SPIDER_MEMORY_MB = 128
