/** What a record knows about time. The names and units are Nutch's, and are columns of the CrawlDb. */
export interface PageTiming {
  /** When the page is next due (ms since the epoch). */
  readonly fetchTime: number
  /** From one visit to the next (whole seconds). 0: not set; the schedule's default holds. */
  readonly fetchInterval: number
  /** When we last saw its content change (ms since the epoch). 0: never seen. Not the Last-Modified header. */
  readonly modifiedTime: number
  /** Transient failures since the last response that settled something. */
  readonly retries: number
}

/** A page as a schedule sees it. */
export interface ScheduledPage extends PageTiming {
  readonly url: string
  readonly metadata: Readonly<Record<string, string>>
}

export const DAY_SECONDS = 86_400
