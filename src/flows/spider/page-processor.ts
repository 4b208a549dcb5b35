import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { DropCounter, dropReason } from '../../base/drop-counts.ts'
import type { EventLog } from '../../base/event-log.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { type Admission, type Origin, REPEAT } from './admission.ts'
import type { Page } from './handler-page.ts'
import type { Drop, RetryLater } from './hooks.ts'
import type { ItemDownloads } from './item-downloads.ts'
import { logDroppedItem } from './settlement-events.ts'
import { SITEMAP_HANDLER } from './sitemap-start.ts'
import type { CallResult, SpiderCalls } from './spider-calls.ts'
import type { RequestError } from './spider-definition.ts'
import type { SpiderStats, StatsCounter } from './spider-stats.ts'

/** The part of a settlement that comes from a page. */
export type PageOutput = Pick<Settlement, 'requests' | 'items' | 'rejected' | 'dropped'>

export const NO_OUTPUT: PageOutput = Object.freeze({ requests: [], items: [], rejected: [] })

/** The reason under which links over the limit of a page or sitemap are counted. */
const LINKS_PER_PAGE = 'links per page'

export interface PageProcessorParts {
  readonly clock: Clock
  readonly calls: SpiderCalls
  readonly admission: Admission
  readonly stats: StatsCounter
  /** Requests the files of items. Absent: there is no place for files. */
  readonly downloads?: ItemDownloads
  /** Gets dropped items. @default none */
  readonly log?: EventLog
}

/** Step 7 for spiders: passes the page to the functions of the spider, and the requests that they return through the filters. */
export class PageProcessor {
  readonly #parts: PageProcessorParts

  constructor(parts: PageProcessorParts) {
    this.#parts = parts
  }

  /** The output of the page, or the verdict of a response hook. @throws errors of the handler or a pipeline, `TimeLimitExceeded` */
  async handle(page: Page): Promise<PageOutput | Drop | RetryLater> {
    const result = await this.#parts.calls.onPage(page)
    return 'requests' in result ? this.#admit(result, page) : result
  }

  /** The output of `onError` for a failure. */
  async handleError(error: RequestError): Promise<PageOutput> {
    return this.#admit(await this.#parts.calls.onError(error), error.page)
  }

  /** The output of `onIdle`, with the depth of start requests. */
  async idle(stats: SpiderStats): Promise<PageOutput> {
    return this.#admit(await this.#parts.calls.onIdle(stats))
  }

  #admit(result: CallResult, page?: Page): PageOutput {
    const { admission, stats, clock, log } = this.#parts
    const { rejected, linksOverLimit, unwantedFiles } = result
    const items = [...result.items]
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
    stats.duplicates += result.repeats
    for (const item of result.itemsWithFiles) {
      const next = this.#downloads().start(item, page?.url ?? '', page?.depth ?? 0)
      if ('request' in next) requests.push(next.request)
      else items.push(next.item)
    }
    if (unwantedFiles > 0) stats.skipped('file: its item was rejected or dropped', unwantedFiles)
    for (const reason of result.dropped) {
      stats.dropped(reason)
      if (log !== undefined) logDroppedItem(log, page?.url, reason)
    }
    if (result.invalidEntries > 0) stats.skipped('sitemap: not a URL', result.invalidEntries)
    if (linksOverLimit > 0) {
      stats.skipped(LINKS_PER_PAGE, linksOverLimit)
      drops.add(LINKS_PER_PAGE, linksOverLimit)
    }
    return { requests, items, rejected, dropped: drops.counts() }
  }

  #downloads(): ItemDownloads {
    const { downloads } = this.#parts
    if (downloads === undefined) throw new FilePlaceMissing()
    return downloads
  }
}

/** A spider has files, and the run has no place for them: nothing that it finds could be stored. */
export class FilePlaceMissing extends ConfigurationError {
  constructor() {
    super(
      'OPTION_INVALID',
      'the spider downloads files, and this run has no place for them: give --dir (files are stored in <dir>/files), or --files with a folder or s3://bucket/prefix',
    )
  }
}

/** URLs of a sitemap have the depth of the sitemap. */
function originOf({ request, url, depth }: Page): Origin {
  const { handler, session } = request
  return { url, depth: handler === SITEMAP_HANDLER ? depth - 1 : depth, ...withoutUndefined({ session }) }
}
