import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import type { FeedTarget } from '../adapters/feeds/feed-target.ts'
import type { FeedResult } from '../adapters/feeds/item-feeds.ts'
import type { FeedOutput } from '../adapters/feeds/output-feed.ts'
import type { FleetCounts } from '../domain/frontier/fleet.ts'
import type { Pending } from '../domain/frontier/frontier.ts'
import type { RenderCounts } from '../domain/politeness/rendering-fetcher.ts'
import type { RobotsFailure } from '../domain/robots/robots-cache.ts'
import type { SpiderEnd, SpiderLimits } from '../flows/spider/spider-definition.ts'
import type { SpiderProgress } from '../flows/spider/spider-progress.ts'
import type { SpiderStats } from '../flows/spider/spider-stats.ts'
import type { SpiderArguments } from './load-spider-file.ts'
import type { EventReceivers } from './run-log.ts'
import type { RunWatcher } from './run-watcher.ts'

/**
 * The options of one run of a spider. Limits replace those of the spider.
 * @example
 * ```ts
 * await runSpider(quotes, { dir: 'quotes-crawl', out: 'quotes.jsonl', maxPages: 500, settings: { agent: { email: 'me@example.org' } } })
 * ```
 */
export interface RunSpiderOptions extends SpiderLimits, EventReceivers {
  /** Crawl directory; an interrupted crawl resumes there. @default a temporary one, removed at the end */
  readonly dir?: string
  /**
   * Redis server, as `redis://host/0`, `rediss://…`, `redis+cluster://a,b` or `redis+sentinel://a,b/master`; `true`: the server of the
   * settings. All processes that run the spider with it share one crawl, and items go to its list `<name>:items`. @default not shared
   */
  readonly redis?: string | true
  /** Folder or `s3://bucket/prefix` for the files of `page.download`. @default `files.store` of the spider, or `files/` in `dir` */
  readonly files?: string
  /** With `dir`: also store pages, as segments that can be indexed, searched and exported. @default false: only items are stored */
  readonly keepPages?: boolean
  /** With `redis`: when the queue is empty, wait for start URLs that other programs push. @default only for `redis.idleSeconds` */
  readonly wait?: boolean
  /** Feed exports, in addition to those of the spider. */
  readonly out?: FeedTarget | readonly FeedTarget[]
  /**
   * Whether `items` of the result has the items of this run. They are held in memory: for a large crawl, read `run.items` or give `out`.
   * @default true; false with `redis`, with exports (`out`) or `onItem`, and while `run.items` is read
   */
  readonly collect?: boolean
  /** Replace existing files that this crawl did not write. @default true without `dir`, else false */
  readonly overwrite?: boolean
  /** Settings; they replace those of the spider, the environment and the configuration file. */
  readonly settings?: OrbweaverConfig
  /** Configuration file. @default orbweaver.config.json in or above the crawl directory, or orbweaver.config.* in the current one */
  readonly config?: string
  /** Run the functions of the spider in a thread of their own. Needs `module`. @default as the spider says */
  readonly isolated?: boolean
  /** Run the functions of the spider in this many threads of their own, as with `isolated`. @default as the spider says */
  readonly handlerThreads?: number
  /** With `isolated`: the file whose default export is the spider, or a function that returns it. The thread loads it. */
  readonly module?: string | URL
  /** With `isolated`: the arguments of that function. @default none */
  readonly args?: SpiderArguments
  /** Folder of stored responses, for developing a spider: a request whose response is stored is not sent. @default no cache */
  readonly cache?: string
  /** Override the lock held by another process. @default false */
  readonly force?: boolean
  /** Stops the crawl: requests in flight are finished, and the next run resumes. */
  readonly signal?: AbortSignal
  /** Receives the items of the target `-`. @default the standard output */
  readonly output?: FeedOutput
  /** With `dir`: called when the crawl directory is open and locked, before the first request. */
  readonly onOpened?: () => Promise<void>
  /** With `dir`: called at the end, while the crawl directory is still locked. */
  readonly onEnded?: (result: Omit<SpiderResult, 'items'>) => Promise<void>
  /** Called every second. */
  readonly onProgress?: (progress: SpiderProgress) => void
  /** Watch the run: each is told about its start, its end and every request, and can read its figures and control it. @default none */
  readonly watchers?: readonly RunWatcher[]
}

/** The result of one run of a spider. */
export interface SpiderResult<Item = unknown> {
  /** The items of this run, in the order they were stored; empty where they are not collected (see `collect`). */
  readonly items: readonly StoredItem<Item>[]
  /** Why the run ended. */
  readonly ended: SpiderEnd
  /** With `redis`: the name of the crawl. */
  readonly crawl?: string
  /** With `redis`, when the crawl is finished: the counts of all workers. */
  readonly fleet?: FleetCounts
  readonly stats: SpiderStats
  /** Requests left for the next run. */
  readonly pending: Pending
  /** Number of sites whose robots.txt returned 401 or 403: crawling is allowed, unless the setting `robots.denyOnForbidden` is true. */
  readonly robotsForbidden: number
  /** Pages rendered in a browser, and pages that look as if they need it. */
  readonly rendering?: RenderCounts
  /** Sites whose robots.txt could not be fetched: they are not crawled before `retryAt`. */
  readonly robotsFailures: readonly RobotsFailure[]
  /** One result per feed export. */
  readonly feeds: readonly FeedResult[]
}

/** An item as it is stored: as JSON has it, so that a date is text. */
export type StoredItem<Item> = Item extends { toJSON(): infer Stored }
  ? Stored
  : Item extends bigint
    ? string
    : Item extends object
      ? { readonly [Field in keyof Item]: StoredItem<Item[Field]> }
      : Item

/**
 * A run of a spider: a promise of its result, and its items as they are found.
 * @example
 * ```ts
 * const { items, stats } = await runSpider(quotes, { maxPages: 50 })
 *
 * for await (const quote of runSpider(quotes).items) console.log(quote.text)
 * ```
 */
export interface SpiderRun<Item> extends Promise<SpiderResult<Item>> {
  /**
   * The items as they are stored. They can be read once. Unread items slow the crawl down instead of filling the memory; leaving the loop
   * stops the crawl. When the run fails, the loop throws its error.
   */
  readonly items: AsyncIterable<StoredItem<Item>>
}
