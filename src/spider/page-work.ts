import type { Clock } from '../base/clock.ts'
import { DropCounter, dropReason } from '../base/drop-counts.ts'
import type { JsonObject } from '../base/json.ts'
import type { CrawlRequest } from '../frontier/crawl-request.ts'
import type { RejectedItem, Settlement } from '../frontier/settlement.ts'
import type { UrlNormalizer } from '../url/normalize-url.ts'
import { type Admission, type Origin, REPEAT } from './admission.ts'
import { findHandler } from './find-handler.ts'
import type { HandlerResult, RequestError } from './handler.ts'
import { type LinkRules, RULES_HANDLER } from './link-rule.ts'
import { ItemOutput } from './output.ts'
import type { Page } from './page.ts'
import { processItem } from './process-item.ts'
import { type HandlerOutputs, runHandler } from './run-handler.ts'
import { readSitemap, SITEMAP_HANDLER } from './sitemap-start.ts'
import type { AnySpider } from './spider-definition.ts'
import type { StatsCounter } from './spider-stats.ts'
import type { TimeLimit } from './time-limit.ts'

/** What a page brings to its settlement. */
export type PageYield = Pick<Settlement, 'requests' | 'items' | 'rejected' | 'dropped'>

export const NO_YIELD: PageYield = Object.freeze({ requests: [], items: [], rejected: [] })

/** What links over the limit of `page.links()`, or of a sitemap, are counted by. */
const LINKS_PER_PAGE = 'links per page'

export interface PageWorkParts {
  readonly clock: Clock
  readonly spider: AnySpider
  readonly rules: LinkRules
  readonly admission: Admission
  readonly normalize: UrlNormalizer
  readonly limit: TimeLimit
  readonly stats: StatsCounter
}

/** Step 7 for spiders: a page goes to its handler and the link rules; items through schema and pipelines, requests through the filters. */
export class PageWork {
  readonly #parts: PageWorkParts

  constructor(parts: PageWorkParts) {
    this.#parts = parts
  }

  /** @throws what the handler or a pipeline throws, `TimeLimitExceeded` */
  async handle(page: Page): Promise<PageYield> {
    const { rules, limit } = this.#parts
    const outputs = await runHandler(() => this.#callHandler(page), limit)
    const followed = rules.apply(page) ? await runHandler(() => rules.follow(page), limit) : []
    return this.#gather([...outputs, ...followed], page)
  }

  /** What the spider's `onError` makes of a failure. */
  async handleError(error: RequestError): Promise<PageYield> {
    const { spider, limit } = this.#parts
    const { onError } = spider
    if (onError === undefined) return NO_YIELD
    return this.#gather(await runHandler(() => onError(error), limit), error.page)
  }

  /** What `onIdle` hands back: as if it came from a start page. */
  async idle(call: () => HandlerResult<unknown, string>): Promise<PageYield> {
    return this.#gather(await runHandler(call, this.#parts.limit))
  }

  #callHandler(page: Page): HandlerResult<unknown, string> {
    const { spider, normalize, stats } = this.#parts
    const { handler } = page.asked
    if (handler === RULES_HANDLER) return undefined
    if (handler === SITEMAP_HANDLER) {
      const skipEntry = () => stats.skipped('sitemap: not a URL')
      return spider.sitemap === undefined
        ? undefined
        : readSitemap(page, spider.sitemap, normalize, skipEntry)
    }
    // Requests for handlers that do not exist are not fetched; without one here, the page is a start page of a spider with rules alone.
    return findHandler(spider, handler)?.(page)
  }

  async #gather(outputs: HandlerOutputs, page?: Page): Promise<PageYield> {
    const requests: CrawlRequest[] = []
    const items: JsonObject[] = []
    const rejected: RejectedItem[] = []
    const drops = new DropCounter()
    const origin = page && originOf(page)
    const now = this.#parts.clock.now()
    for (const output of outputs) {
      if (output instanceof ItemOutput) {
        const processed = await this.#process(output.item, page)
        if (processed.kind === 'kept') items.push(processed.item)
        else if (processed.kind === 'rejected')
          rejected.push({ item: processed.item, reason: processed.reason })
        else this.#parts.stats.dropped(processed.reason)
      } else {
        const admitted = this.#parts.admission.admit(output, now, origin)
        if (admitted.ok) requests.push(admitted.request)
        else if (admitted.rule === REPEAT) this.#parts.stats.duplicates++
        else {
          this.#parts.stats.skipped(admitted.rule)
          drops.add(dropReason(admitted.rule))
        }
      }
    }
    const { linksOverLimit = 0 } = page ?? {}
    if (linksOverLimit > 0) {
      this.#parts.stats.skipped(LINKS_PER_PAGE, linksOverLimit)
      drops.add(LINKS_PER_PAGE, linksOverLimit)
    }
    return { requests, items, rejected, dropped: drops.counts() }
  }

  #process(item: unknown, page: Page | undefined) {
    const { spider, limit } = this.#parts
    const source = { url: page?.url ?? '', depth: page?.depth ?? 0 }
    return limit.wait(processItem(item, source, spider.item, spider.pipelines ?? []))
  }
}

/** What a sitemap lists is no further from the start than the sitemap. */
function originOf({ asked, url, depth }: Page): Origin {
  return { url, depth: asked.handler === SITEMAP_HANDLER ? depth - 1 : depth }
}
