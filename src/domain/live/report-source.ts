import type { RequestObserver } from '../fetch/request-observer.ts'
import type { PoliteFetcher } from '../politeness/polite-fetcher.ts'
import type { RobotsCache } from '../robots/robots-cache.ts'

/** The part of a crawl that sends requests: its state is read for reports, so that it need not push it. */
export interface ReportSource {
  readonly fetcher: PoliteFetcher
  readonly robots: RobotsCache
  /** Counts since it began. */
  readonly pages: number
  readonly retries: number
  readonly items?: number
  readonly rejectedItems?: number
  /** URLs of the fetch list of a segment that have a result. `undefined`: it is not being fetched. */
  fetchedOf?(segment: string): number | undefined
}

/** The connection between a crawl and what watches it. */
export interface CrawlWatch {
  /** Is told about every request. */
  readonly observer: RequestObserver
  /** Called before the first request of `source`. A crawl may have several sources, one after another. */
  attach(source: ReportSource): void
}
