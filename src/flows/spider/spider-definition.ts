import type { FrontierOrder } from '../../domain/frontier/frontier.ts'
import type { ErrorHandler, Handler, HandlerResult } from './handler.ts'
import type { SpiderHook } from './hooks.ts'
import type { LinkRule } from './link-rule.ts'
import type { RequestOutput } from './output.ts'
import type { Pipeline } from './pipeline.ts'
import type { RetryOptions } from './retry-policy.ts'
import type { SitemapStart } from './sitemap-start.ts'
import type { SpiderEnd } from './spider-end.ts'
import type { SpiderStats } from './spider-stats.ts'
import type { StandardSchema } from './standard-schema.ts'

/**
 * A spider: where it starts, how far it goes, and what becomes of its pages.
 * @typeParam Input what `page.item` takes: the schema's input
 * @typeParam Output what pipelines get: the schema's output
 * @typeParam Names of the handlers, beside `parse`
 */
export interface SpiderDefinition<Input, Output, Names extends string> {
  /** Letters, digits, `-` and `_`. */
  readonly name: string
  /** Where to begin. A generator is asked for more only as there is room. @default nothing: sitemaps, or a queue that others fill */
  readonly start?: Start<NoInfer<Names> | 'parse'>
  /** Sitemaps to begin with. */
  readonly sitemap?: SitemapStart<NoInfer<Names> | 'parse'>
  /** Hosts that may be requested, each with its subdomains; `'*'` or `['*']`: any host. @default the hosts of the start requests */
  readonly allow?: readonly string[] | '*'
  /** What an item looks like; any Standard Schema. @default any object */
  readonly item?: StandardSchema<Input, Output>
  /** Gets each page that is not meant for another handler. */
  readonly parse?: Handler<Input, NoInfer<Names> | 'parse'>
  readonly handlers?: { readonly [Name in Names]: Handler<Input, NoInfer<Names> | 'parse'> }
  /** Links to follow without writing a handler for it: Scrapy's CrawlSpider. */
  readonly rules?: readonly LinkRule<NoInfer<Names> | 'parse'>[]
  readonly pipelines?: readonly Pipeline<Output>[]
  readonly hooks?: readonly SpiderHook<Input, NoInfer<Names> | 'parse'>[]
  /** Hears of each request that failed for good; what it hands back counts. */
  readonly onError?: ErrorHandler<Input, NoInfer<Names> | 'parse'>
  /** Nothing is left to do. Requests it hands back make the crawl go on. */
  readonly onIdle?: (stats: SpiderStats) => HandlerResult<Input, NoInfer<Names> | 'parse'>
  /** Hears of each item when it has taken effect: it is in the crawl for good, and on its way to the exports. */
  readonly onItem?: (item: Output) => void | Promise<void>
  readonly onClose?: (stats: SpiderStats, ended: SpiderEnd) => void | Promise<void>
  readonly limits?: SpiderLimits
  /**
   * Run handlers, hooks and pipelines in a thread of their own: one that blocks it or runs out of memory fails its page, and not the process.
   * The file of the spider is loaded there, too. @default false
   */
  readonly isolated?: boolean
  /** What is asked first. @default 'hosts' */
  readonly order?: FrontierOrder
  /** Statuses beside 2xx whose pages go to their handler: `[404]`, or `'all'`. @default none */
  readonly handleStatuses?: readonly number[] | 'all'
  /** How often, and after how long, what failed is tried again, by class of failure. */
  readonly retry?: RetryOptions
}

export interface SpiderLimits {
  /** Links from a start request. @default no limit */
  readonly depth?: number
  /** Pages that go to a handler. @default no limit */
  readonly maxPages?: number
  /** The same for each host. @default no limit */
  readonly maxPagesPerHost?: number
  /** @default no limit */
  readonly maxItems?: number
  /** Stop after this many seconds. @default no limit */
  readonly maxTimeSeconds?: number
  /** A handler, hook or pipeline that takes longer has failed. 0: no limit. @default 30 */
  readonly handlerSeconds?: number
  /** With `isolated`: heap of the thread, in megabytes. @default 512 */
  readonly handlerMemoryMb?: number
  /** Handlers that fail in a row until the crawl stops; 0: it never does. @default 20 */
  readonly maxHandlerErrorsInRow?: number
}

export type Start<Names extends string> = StartList<Names> | (() => StartList<Names>)

type StartList<Names extends string> =
  | string
  | Iterable<string | RequestOutput<Names>>
  | AsyncIterable<string | RequestOutput<Names>>

/** A spider of any item and handlers, as the engine sees it. */
export type AnySpider = SpiderDefinition<unknown, unknown, string>
