import { join } from 'node:path'
import { steadyClock } from '../base/clock.ts'
import { packageVersion } from '../base/package-version.ts'
import { buildRules } from '../config/build-rules.ts'
import type { Settings } from '../config/config-schema.ts'
import { fetcherOptions } from '../config/fetcher-options.ts'
import { HostMemoryFile } from '../duckdb/host-memory-file.ts'
import { itemsToParquet } from '../duckdb/items-to-parquet.ts'
import type { CrawlDirectory } from '../duckdb/open-crawl-directory.ts'
import { ItemFeeds } from '../feeds/item-feeds.ts'
import { streamOutput } from '../feeds/output-feed.ts'
import { FileResponseCache } from '../http/file-response-cache.ts'
import { HttpFetcher } from '../http/http-fetcher.ts'
import { keepHosts } from '../politeness/keep-hosts.ts'
import { RobotsCache } from '../robots/robots-cache.ts'
import { retryPolicy } from '../spider/retry-policy.ts'
import type { AnySpider } from '../spider/spider-definition.ts'
import { SpiderEngine } from '../spider/spider-engine.ts'
import { SpiderScope } from '../spider/spider-scope.ts'
import { queueKey } from '../url/queue-key.ts'
import type { CrawlSpiderOptions, CrawlSpiderResult } from './crawl-options.ts'
import { everySecond } from './every-second.ts'
import type { Spider } from './spider.ts'

interface RunOptions extends CrawlSpiderOptions {
  /** Whether the crawl directory stays. */
  readonly keep: boolean
}

/** Wires an engine to a crawl directory, the web and the exports, and runs it to its end. */
export async function runSpider(
  directory: CrawlDirectory,
  spider: AnySpider & Pick<Spider, 'out'>,
  settings: Settings,
  options: RunOptions,
): Promise<CrawlSpiderResult> {
  const clock = steadyClock
  const { onMessage = () => {}, signal = new AbortController().signal } = options
  const rules = buildRules(settings, { clock })
  const keyOf = (url: string) => queueKey(url, settings.politeness.queueMode)
  const frontier = directory.frontier({
    keyOf,
    rules: { schedule: rules.schedule, scoring: rules.scoring, retryMax: settings.limits.retryMax },
    ...(spider.order !== undefined && { order: spider.order }),
  })
  const scope = new SpiderScope(spider.allow)
  for (const url of await directory.db.seeds()) scope.startsAt(url)
  const feeds = await ItemFeeds.open(directory.items, targetsOf(spider, options), {
    clock,
    directory: options.keep ? directory.path : undefined,
    output: options.output ?? streamOutput(process.stdout),
    writeTable: itemsToParquet,
    schemaFields: schemaFields(spider.item),
    onNotice: ({ message }) => onMessage(message),
  })
  const fetcher = httpFetcher(settings, scope, onMessage)
  const engine = new SpiderEngine(
    {
      ...{ clock, frontier, fetcher, scope, normalize: rules.normalize, filter: rules.filter },
      robots: new RobotsCache(clock, [settings.agent.name]),
      ...(options.cache !== undefined && { cache: new FileResponseCache({ directory: options.cache }) }),
    },
    spider,
    {
      threads: settings.politeness.threads,
      politeness: rules.hosts,
      keyOf,
      retry: retryPolicy(spider.retry),
      maxRedirects: settings.limits.redirectMax,
      hostPages: await hostPages(directory, spider),
      onHandlerError: (where, error) => onMessage(`${where}: ${stackOf(error)}`),
      onSettled: () => void feeds.follow().catch((error: unknown) => onMessage(String(error))),
    },
  )
  const stopProgress = everySecond(() => options.onProgress?.(engine.progress()))
  try {
    await openPipelines(spider)
    const ended = await keepHosts(
      engine,
      new HostMemoryFile(directory.path),
      clock,
      settings.politeness.delaySeconds * 1000,
      () => engine.run(signal),
    )
    const stats = engine.stats()
    await spider.onClose?.(stats)
    return { ended, stats, pending: await frontier.pending(clock.now()), feeds: await feeds.close() }
  } finally {
    stopProgress()
    await closePipelines(spider, onMessage)
    // Again after a failure; after a clean end there is nothing left to do.
    await feeds.follow().catch(() => {})
    await fetcher.close()
    await frontier.close()
  }
}

function targetsOf(spider: Pick<Spider, 'out'>, { out, dir }: RunOptions) {
  const rejected =
    dir === undefined
      ? []
      : [{ path: join(dir, 'items.rejected.jsonl'), format: 'jsonl', from: 'rejected' } as const]
  return [...listOf(spider.out), ...listOf(out), ...rejected]
}

function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return []
  return Array.isArray(value) ? (value as readonly T[]) : [value as T]
}

function httpFetcher(settings: Settings, scope: SpiderScope, onWarning: (message: string) => void) {
  const options = fetcherOptions(settings, packageVersion(), [])
  return new HttpFetcher({
    ...options,
    allowPrivateHosts: (host) => scope.isNamed(host) || options.allowPrivateHosts(host),
    onWarning: (message) => onWarning(`warning: ${message} (settings.agent)`),
  })
}

/** The fields of a schema that lists them, as zod's do: the order of columns. */
function schemaFields(schema: unknown): readonly string[] {
  const shape: unknown =
    typeof schema === 'object' && schema !== null && 'shape' in schema ? schema.shape : {}
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : []
}

/** Pages that earlier runs had of each host, where it matters. */
async function hostPages(
  { reader }: CrawlDirectory,
  { limits }: AnySpider,
): Promise<ReadonlyArray<readonly [string, number]>> {
  if (limits?.maxPagesPerHost === undefined) return []
  const { rows } = await reader.sql(
    `SELECT host, count(*)::INTEGER FROM crawldb WHERE status IN ('db_fetched', 'db_notmodified') GROUP BY host`,
  )
  return rows.map(([host, pages]) => [String(host), Number(pages)] as const)
}

async function openPipelines({ pipelines = [] }: AnySpider): Promise<void> {
  for (const pipeline of pipelines) await pipeline.open?.()
}

async function closePipelines(
  { pipelines = [] }: AnySpider,
  onMessage: (message: string) => void,
): Promise<void> {
  for (const pipeline of pipelines) {
    try {
      await pipeline.close?.()
    } catch (error) {
      onMessage(`a pipeline could not be closed: ${stackOf(error)}`)
    }
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
