import type { Clock } from '../../base/clock.ts'
import { DropCounter, dropReason } from '../../base/drop-counts.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { type Admission, type Origin, REPEAT } from './admission.ts'
import type { Page } from './handler-page.ts'
import type { Drop, RetryLater } from './hooks.ts'
import { SITEMAP_HANDLER } from './sitemap-start.ts'
import type { CallResult, SpiderCalls } from './spider-calls.ts'
import type { RequestError } from './spider-definition.ts'
import type { SpiderStats, StatsCounter } from './spider-stats.ts'

/** What a page brings to its settlement. */
export type PageOutput = Pick<Settlement, 'requests' | 'items' | 'rejected' | 'dropped'>

export const NO_OUTPUT: PageOutput = Object.freeze({ requests: [], items: [], rejected: [] })

/** What links over the limit of `page.links()`, or of a sitemap, are counted by. */
const LINKS_PER_PAGE = 'links per page'

export interface PageProcessorParts {
  readonly clock: Clock
  readonly calls: SpiderCalls
  readonly admission: Admission
  readonly stats: StatsCounter
}

/** Step 7 for spiders: the functions of the spider get the page, and the requests that they return go through the filters. */
export class PageProcessor {
  readonly #parts: PageProcessorParts

  constructor(parts: PageProcessorParts) {
    this.#parts = parts
  }

  /** What the page brings, or the verdict of a response hook. @throws what the handler or a pipeline throws, `TimeLimitExceeded` */
  async handle(page: Page): Promise<PageOutput | Drop | RetryLater> {
    const result = await this.#parts.calls.onPage(page)
    return 'requests' in result ? this.#admit(result, page) : result
  }

  /** What the spider's `onError` makes of a failure. */
  async handleError(error: RequestError): Promise<PageOutput> {
    return this.#admit(await this.#parts.calls.onError(error), error.page)
  }

  /** What `onIdle` hands back: as if it came from a start page. */
  async idle(stats: SpiderStats): Promise<PageOutput> {
    return this.#admit(await this.#parts.calls.onIdle(stats))
  }

  #admit(result: CallResult, page?: Page): PageOutput {
    const { admission, stats, clock } = this.#parts
    const { items, rejected, linksOverLimit } = result
    const requests: CrawlRequest[] = []
    const drops = new DropCounter()
    const origin = page && originOf(page)
    const now = clock.now()
    for (const output of result.requests) {
      const admitted = admission.admit(output, now, origin)
      if (admitted.ok) requests.push(admitted.request)
      else if (admitted.rule === REPEAT) stats.duplicates++
      else {
        stats.skipped(admitted.rule)
        drops.add(dropReason(admitted.rule))
      }
    }
    for (const reason of result.dropped) stats.dropped(reason)
    if (result.invalidEntries > 0) stats.skipped('sitemap: not a URL', result.invalidEntries)
    if (linksOverLimit > 0) {
      stats.skipped(LINKS_PER_PAGE, linksOverLimit)
      drops.add(LINKS_PER_PAGE, linksOverLimit)
    }
    return { requests, items, rejected, dropped: drops.counts() }
  }
}

/** What a sitemap lists is no further from the start than the sitemap. */
function originOf({ request, url, depth }: Page): Origin {
  return { url, depth: request.handler === SITEMAP_HANDLER ? depth - 1 : depth }
}
