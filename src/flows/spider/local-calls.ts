import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { Page } from './handler-page.ts'
import { type Drop, HookRunner, type RetryLater } from './hooks.ts'
import { FILE_HANDLER } from './item-downloads.ts'
import { LinkRules } from './link-rule.ts'
import { ProcessedOutputs } from './process-item.ts'
import { RULES_HANDLER } from './rule-names.ts'
import { type HandlerOutputs, runHandler } from './run-handler.ts'
import { readSitemap, SITEMAP_HANDLER } from './sitemap-start.ts'
import { type CallResult, NO_RESULT, type SpiderCalls } from './spider-calls.ts'
import type { AnySpider, Handler, HandlerResult, RequestError, SpiderEnd } from './spider-definition.ts'
import type { SpiderStats } from './spider-stats.ts'
import type { MetaSchemas } from './standard-schema.ts'
import type { CallLimit } from './time-limit.ts'

/** Calls the functions of a spider in this thread. */
export class LocalCalls implements SpiderCalls {
  readonly #spider: AnySpider
  readonly #normalize: UrlNormalizer
  readonly #limit: CallLimit
  readonly #hooks: HookRunner
  readonly #rules: LinkRules

  constructor(
    spider: AnySpider,
    normalize: UrlNormalizer,
    limit: CallLimit,
    rules = new LinkRules(spider.rules ?? []),
  ) {
    this.#spider = spider
    this.#normalize = normalize
    this.#limit = limit
    this.#hooks = new HookRunner(spider.hooks ?? [], limit)
    this.#rules = rules
  }

  /** The same spider, within another limit. */
  within(limit: CallLimit): LocalCalls {
    return new LocalCalls(this.#spider, this.#normalize, limit, this.#rules)
  }

  async open(): Promise<void> {
    for (const pipeline of this.#spider.pipelines ?? []) await this.#limit.run(() => pipeline.open?.())
  }

  async close(onFailed: (error: unknown) => void): Promise<void> {
    for (const pipeline of this.#spider.pipelines ?? [])
      await this.#limit.run(() => pipeline.close?.()).catch(onFailed)
  }

  onRequest(request: CrawlRequest): Promise<CrawlRequest | Drop> {
    return this.#hooks.onRequest(request)
  }

  async onPage(page: Page): Promise<CallResult | Drop | RetryLater> {
    this.#expectMeta(page)
    const verdict = await this.#hooks.onResponse(page)
    if (verdict !== undefined) return verdict
    let invalidEntries = 0
    const skipEntry = () => {
      invalidEntries++
    }
    const found = await runHandler(
      () => this.#callHandler(page, skipEntry),
      this.#limit,
      (outputs) => this.#process(outputs, page, invalidEntries),
    )
    return this.#complete(found)
  }

  async onError(error: RequestError): Promise<CallResult> {
    const { onError } = this.#spider
    if (onError === undefined) return NO_RESULT
    const { page } = error
    this.#expectMeta(page)
    return this.#complete(
      await runHandler(
        () => onError(error),
        this.#limit,
        (outputs) => new ProcessedOutputs(this.#spider, outputs, page),
      ),
    )
  }

  async onIdle(stats: SpiderStats): Promise<CallResult> {
    const { onIdle } = this.#spider
    if (onIdle === undefined) return NO_RESULT
    return this.#complete(
      await runHandler(
        () => onIdle(stats),
        this.#limit,
        (outputs) => new ProcessedOutputs(this.#spider, outputs),
      ),
    )
  }

  async onItem(item: unknown): Promise<void> {
    await this.#limit.run(() => this.#spider.onItem?.(item))
  }

  async onClose(stats: SpiderStats, ended: SpiderEnd): Promise<void> {
    await this.#limit.run(() => this.#spider.onClose?.(stats, ended))
  }

  #expectMeta(page: Page): void {
    const schemas = this.#spider.meta as MetaSchemas | undefined
    const { handler } = page.request
    if (schemas !== undefined && Object.hasOwn(schemas, handler)) page.checkMetaWith(schemas[handler])
  }

  #callHandler(page: Page, skipEntry: () => void): HandlerResult<unknown, string> {
    const spider = this.#spider
    const { handler } = page.request
    if (handler === RULES_HANDLER) return undefined
    if (handler === SITEMAP_HANDLER)
      return spider.sitemap === undefined
        ? undefined
        : readSitemap(page, spider.sitemap, this.#normalize, skipEntry)
    const fault = handlerFault(spider, handler)
    if (fault !== undefined) throw new Error(fault)
    // Without a handler, the page is a start page of a spider with rules alone.
    return findHandler(spider, handler)?.(page)
  }

  #process(outputs: HandlerOutputs, page: Page, invalidEntries: number): ProcessedOutputs {
    const followed = this.#rules.apply(page) ? [...outputs, ...this.#rules.follow(page)] : outputs
    return new ProcessedOutputs(this.#spider, followed, page, invalidEntries)
  }

  async #complete(found: ProcessedOutputs): Promise<CallResult> {
    for (let waiting = found.waiting; waiting !== undefined; waiting = found.waiting) {
      const processed = await this.#limit.wait(waiting)
      await this.#limit.call(() => found.proceed(processed))
    }
    return found
  }
}

/** The handler that the spider itself defines under this name. Requests come from outside, so inherited names such as `constructor` do not count. */
export function findHandler(
  { parse, handlers = {} }: AnySpider,
  name: string,
): Handler<unknown, string> | undefined {
  if (name === 'parse') return parse
  return Object.hasOwn(handlers, name) ? handlers[name] : undefined
}

/** Why no page can go to the handler `name`, for people; `undefined` if one can. */
export function handlerFault(spider: AnySpider, name: string): string | undefined {
  const { name: spiderName, parse, handlers = {}, rules, sitemap } = spider
  const isOurs =
    name === RULES_HANDLER || name === FILE_HANDLER || (name === SITEMAP_HANDLER && sitemap !== undefined)
  // A spider with rules needs no handler for its start pages.
  const isStart = name === 'parse' && rules !== undefined
  if (isOurs || isStart || findHandler(spider, name) !== undefined) return undefined
  const names = [...(parse === undefined ? [] : ['parse']), ...Object.keys(handlers)]
  const has = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
  return `the spider ${spiderName} has no handler ${JSON.stringify(name)} (${has})`
}
