import type { JsonObject } from '../../base/json.ts'
import type { FrontierOrder } from '../../domain/frontier/frontier.ts'
import type { Page } from './handler-page.ts'
import type { Drop, SpiderHook } from './hooks.ts'
import type { LinkRule } from './link-rule.ts'
import type { Output, RequestOutput } from './output.ts'
import type { RetryOptions } from './retry-policy.ts'
import type { SitemapStart } from './sitemap-start.ts'
import type { SpiderStats } from './spider-stats.ts'
import type { MetaOf, MetaSchemas, NoMetas, StandardSchema } from './standard-schema.ts'

/**
 * A spider: where it starts, how far it goes, and what becomes of its pages.
 * @typeParam Input what `page.item` takes: the schema's input
 * @typeParam Output what pipelines get: the schema's output
 * @typeParam Names of the handlers, beside `parse`
 */
export interface SpiderDefinition<Input, Output, Names extends string, Metas extends MetaSchemas = NoMetas> {
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
  readonly parse?: Handler<Input, NoInfer<Names> | 'parse', NoInfer<Metas>, MetaOf<NoInfer<Metas>, 'parse'>>
  readonly handlers?: {
    readonly [Name in Names]: Handler<
      Input,
      NoInfer<Names> | 'parse',
      NoInfer<Metas>,
      MetaOf<NoInfer<Metas>, Name>
    >
  }
  /** Schemas of `page.meta`, by handler: they give its type, and it is checked when a handler reads it. @default any JSON object */
  readonly meta?: Metas
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

/** Gets a page and hands back what it found: one output, many, or none; at once or in time. */
export type Handler<Item, Names extends string, Metas = NoMetas, Meta = JsonObject> = (
  page: Page<Item, Names, Metas, Meta>,
) => HandlerResult<Item, Names>

export type HandlerResult<Item, Names extends string> =
  | Outputs<Item, Names>
  | AsyncIterable<Output<Item, Names>>
  | Promise<Outputs<Item, Names>>

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is typed so
type Outputs<Item, Names extends string> = void | Output<Item, Names> | Iterable<Output<Item, Names>>

/** A request that came to nothing. */
export interface RequestError<Item = unknown, Names extends string = string> {
  /** Stable: `http-404`, `network-failure`, `handler-threw`, … */
  readonly code: string
  /** For people. */
  readonly reason: string
  readonly url: string
  readonly attempts: number
  /** What was thrown, when something was. */
  readonly cause?: unknown
  /** To follow another link, or to make an item of the failure. Its body is empty without a response. */
  readonly page: Page<Item, Names>
}

export type ErrorHandler<Item, Names extends string> = (
  error: RequestError<Item, Names>,
) => HandlerResult<Item, Names>

/** What items pass through on their way to the exports, one after the other. */
export interface Pipeline<Item> {
  /** For messages and counts. @default its place in the list */
  readonly name?: string
  open?(): void | Promise<void>
  /** The item, changed or not, for the next one; or `drop('why')`. */
  process(item: Item, page: ItemSource): Item | Drop | Promise<Item | Drop>
  close?(): void | Promise<void>
}

/** The page an item came from. */
export interface ItemSource {
  readonly url: string
  readonly depth: number
}

/** A limit that ends a crawl. */
export type SpiderLimit = 'pages' | 'items' | 'time'

/** Why a crawl came to its end. `drained`: an operator asked all processes that work on it to end. */
export type SpiderEnd = 'finished' | 'interrupted' | 'drained' | SpiderLimit
