import type { JsonObject } from '../../base/json.ts'
import type { RenderMode } from '../../domain/fetch/page-renderer.ts'
import type { FrontierOrder } from '../../domain/frontier/frontier.ts'
import type { FileOptions } from './file-options.ts'
import type { Page } from './handler-page.ts'
import type { Drop, SpiderHook } from './hooks.ts'
import type { LinkRule } from './link-rule.ts'
import type { Output, RequestOutput } from './output.ts'
import type { RetryOptions } from './retry-policy.ts'
import type { SessionsOptions } from './session-options.ts'
import type { SitemapStart } from './sitemap-start.ts'
import type { SpiderStats } from './spider-stats.ts'
import type { MetaOf, MetaSchemas, NoMetas, StandardSchema } from './standard-schema.ts'

/**
 * The definition of a spider: start URLs, scope, handlers and item schema.
 * @typeParam Input the argument of `page.item`: the input of the schema
 * @typeParam Output the items that pipelines receive: the output of the schema
 * @typeParam Names the names of the handlers, without `parse`
 * @typeParam Metas the meta schemas, by handler
 */
export interface SpiderDefinition<Input, Output, Names extends string, Metas extends MetaSchemas = NoMetas> {
  /** Letters, digits, `-` and `_`. */
  readonly name: string
  /** Start requests. A generator is read only as fast as requests are needed. @default none: sitemaps, or a queue that other programs fill */
  readonly start?: Start<NoInfer<Names> | 'parse'>
  /** Sitemaps to start from. */
  readonly sitemap?: SitemapStart<NoInfer<Names> | 'parse'>
  /** Hosts that may be requested, each with its subdomains; `'*'` or `['*']`: any host. @default the hosts of the start requests */
  readonly allow?: readonly string[] | '*'
  /** Schema of an item; any Standard Schema. @default any object */
  readonly item?: StandardSchema<Input, Output>
  /** Default handler: receives each page whose request names no other handler. */
  readonly parse?: Handler<Input, NoInfer<Names> | 'parse', NoInfer<Metas>, MetaOf<NoInfer<Metas>, 'parse'>>
  /** Other handlers, by name. */
  readonly handlers?: {
    readonly [Name in Names]: Handler<
      Input,
      NoInfer<Names> | 'parse',
      NoInfer<Metas>,
      MetaOf<NoInfer<Metas>, Name>
    >
  }
  /** Schemas of `page.meta`, by handler: they set its type, and it is checked when a handler reads it. @default any JSON object */
  readonly meta?: Metas
  /** Rules that follow links without a handler: Scrapy's CrawlSpider. */
  readonly rules?: readonly LinkRule<NoInfer<Names> | 'parse'>[]
  /** Item pipelines, in their order. */
  readonly pipelines?: readonly Pipeline<Output>[]
  /** Hooks around every request. */
  readonly hooks?: readonly SpiderHook<Input, NoInfer<Names> | 'parse'>[]
  /** Called for each request that finally failed; may return items and requests. */
  readonly onError?: ErrorHandler<Input, NoInfer<Names> | 'parse'>
  /** Called when the queue is empty. Requests that it returns continue the crawl. */
  readonly onIdle?: (stats: SpiderStats) => HandlerResult<Input, NoInfer<Names> | 'parse'>
  /** Called with each item after it was stored. */
  readonly onItem?: (item: Output) => void | Promise<void>
  /** Called once, at the end of a run. */
  readonly onClose?: (stats: SpiderStats, ended: SpiderEnd) => void | Promise<void>
  readonly limits?: SpiderLimits
  /**
   * Run handlers, hooks and pipelines in a thread of their own: a handler that blocks or runs out of memory fails its page, not the process.
   * The thread loads the file of the spider, too. @default false
   */
  readonly isolated?: boolean
  /** Number of such threads; implies `isolated`. Each has its own module state and pipelines. @default 1 */
  readonly handlerThreads?: number
  /**
   * Which pages are rendered in a browser: `'never'`, `'auto'` (pages that look like JavaScript apps) or `'always'`; or one of these by
   * handler, as in `{ parse: 'never', product: 'always' }`. URL patterns are in `settings.render`. @default 'never'
   */
  readonly render?: RenderMode | Readonly<Partial<Record<NoInfer<Names> | 'parse', RenderMode>>>
  /** Order of requests. @default 'hosts' */
  readonly order?: FrontierOrder
  /** Statuses outside 2xx whose pages go to their handler: `[404]`, or `'all'`. @default none */
  readonly handleStatuses?: readonly number[] | 'all'
  /** Number and delay of retries, by failure class. */
  readonly retry?: RetryOptions
  /** Where the files of `page.download` are stored, and which; a text is the `store`. @default `files/` in the crawl directory, all types */
  readonly files?: FileOptions | string
  /** Sessions with their own cookies, headers and login. @default none: all requests share `settings.http.cookies` */
  readonly sessions?: SessionsOptions
}

/**
 * Limits of a run.
 * @example
 * ```ts
 * limits: { depth: 3, maxPages: 1_000, maxPagesPerHost: 100, maxTimeSeconds: 3_600 },
 * ```
 */
export interface SpiderLimits {
  /** Maximum number of links between a start request and a page. @default no limit */
  readonly depth?: number
  /** Maximum number of pages passed to handlers in one run; in a fleet, by all its workers. @default no limit */
  readonly maxPages?: number
  /** Maximum number of pages per host in all runs of the crawl; in a fleet, by all its workers. @default no limit */
  readonly maxPagesPerHost?: number
  /** Stop when this many items are stored. @default no limit */
  readonly maxItems?: number
  /** Stop after this many seconds. @default no limit */
  readonly maxTimeSeconds?: number
  /** Maximum time of one call of a handler, hook or pipeline; 0: no limit. @default 30 */
  readonly handlerSeconds?: number
  /** With `isolated`: maximum heap of the handler thread, in megabytes. @default 512 */
  readonly handlerMemoryMb?: number
  /** Stop after this many handler failures in a row; 0: never. @default 20 */
  readonly maxHandlerErrorsInRow?: number
}

/**
 * Start requests: a URL, a list, or a generator function.
 * @example
 * ```ts
 * async *start() {
 *   for (let page = 1; page <= 3; page++) yield `https://quotes.example/page/${page}/`
 * },
 * ```
 */
export type Start<Names extends string> = StartList<Names> | (() => StartList<Names>)

/** URLs and requests that a spider starts with. */
export type StartList<Names extends string> =
  | string
  | Iterable<string | RequestOutput<Names>>
  | AsyncIterable<string | RequestOutput<Names>>

/** A spider with any items and handlers, as the engine uses it. */
export type AnySpider = SpiderDefinition<unknown, unknown, string>

/**
 * Receives a page and returns or yields items and requests, synchronously or asynchronously.
 * @example
 * ```ts
 * *parse(page) {
 *   yield page.item({ title: page.text('h1') })
 *   yield* page.followAll('.next a')
 * },
 * ```
 */
export type Handler<Item, Names extends string, Metas = NoMetas, Meta = JsonObject> = (
  page: Page<Item, Names, Metas, Meta>,
) => HandlerResult<Item, Names>

/** The items and requests of a handler: one, several or none. */
export type HandlerResult<Item, Names extends string> =
  | Outputs<Item, Names>
  | AsyncIterable<Output<Item, Names>>
  | Promise<Outputs<Item, Names>>
  | HandlerOutput

/**
 * Only for messages of the compiler, which compares the generator of a handler that yields anything else with this type, because it has the
 * same methods. No value has it.
 */
export interface HandlerOutput {
  readonly 'yield page.item(…), page.follow(…), page.download(…) or nothing': never
  readonly next: unknown
  readonly return: unknown
  readonly throw: unknown
  readonly [Symbol.iterator]?: unknown
  readonly [Symbol.asyncIterator]?: unknown
}

/** What a handler returns: nothing, one output, or many. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is typed so
export type Outputs<Item, Names extends string> = void | Output<Item, Names> | Iterable<Output<Item, Names>>

/**
 * A request that finally failed.
 * @example
 * ```ts
 * onError({ code, url, page }) {
 *   return page.item({ failed: url, code })
 * },
 * ```
 */
export interface RequestError<Item = unknown, Names extends string = string> {
  /** Stable: `http-404`, `network-failure`, `handler-threw`, … */
  readonly code: string
  /** A message for people. */
  readonly reason: string
  readonly url: string
  readonly attempts: number
  /** The error, when one was thrown. */
  readonly cause?: unknown
  /** To follow another link, or to make an item of the failure. Its body is empty without a response. */
  readonly page: Page<Item, Names>
}

/** Called for each request that finally failed. */
export type ErrorHandler<Item, Names extends string> = (
  error: RequestError<Item, Names>,
) => HandlerResult<Item, Names>

/**
 * A step that each valid item passes before it is exported.
 * @example
 * ```ts
 * item: z.object({ title: z.string(), price: z.number() }),
 * pipelines: [{ process: (item) => (item.price > 0 ? item : drop('free')) }],
 * ```
 */
export interface Pipeline<Item> {
  /** For messages and counts. @default its position in the list */
  readonly name?: string
  /** Called before the first item. */
  open?(): void | Promise<void>
  /** Returns the item, changed or not, or `drop('reason')`. */
  process(item: Item, page: ItemSource): Item | Drop | Promise<Item | Drop>
  /** Called after the last item, also when the crawl was interrupted. */
  close?(): void | Promise<void>
}

/** The page of an item. */
export interface ItemSource {
  readonly url: string
  readonly depth: number
}

/** A limit that stops a crawl. */
export type SpiderLimit = 'pages' | 'items' | 'time'

/** Why a run ended. `drained`: an operator drained the crawl of a fleet. */
export type SpiderEnd = 'finished' | 'interrupted' | 'drained' | SpiderLimit
