/**
 * What a fetch said about the content since the fetch before.
 * `unknown`: there was nothing to compare with (a first fetch, a redirect, a page that was not parsed).
 */
export type ChangeState = 'modified' | 'not-modified' | 'unknown'

/**
 * Decides when a page is fetched again. Replace it by any object of this shape.
 *
 * A schedule is a pure function of its arguments: it keeps no state and reads no clock, since the same update may be computed twice
 * after a crash. Every `fetchTime` it returns lies between `fetchedAt` and `fetchedAt` + `maxIntervalSeconds`.
 */
export interface FetchSchedule {
  /**
   * The longest time until the next fetch of a page. A record with a later fetch time was written with a wrong clock or a longer maximum; it is due
   * at once.
   */
  readonly maxIntervalSeconds: number

  /** The timing of a page nobody has fetched; `now` in ms. Due at once. */
  initialise(now: number): PageTiming

  /** After a response with content, a redirect or a 304. Resets `retries`; `fetchedAt` in ms. */
  onFetched(page: ScheduledPage, fetchedAt: number, change: ChangeState): PageTiming

  /** After a response that will hardly change: not found, gone, denied, or too many failures. Leaves `retries`. */
  onGone(page: ScheduledPage, fetchedAt: number): PageTiming

  /** After a failure that may pass. Adds one to `retries`. */
  onRetry(page: ScheduledPage, fetchedAt: number): PageTiming
}

/** What a record knows about time. The names and units are Nutch's, and are columns of the CrawlDb. */
export interface PageTiming {
  /** When the page is next due (ms since the epoch). */
  readonly fetchTime: number
  /** From one fetch to the next (whole seconds). 0: not set; the schedule's default holds. */
  readonly fetchInterval: number
  /** When we last saw its content change (ms since the epoch). 0: never seen. Not the Last-Modified header. */
  readonly modifiedTime: number
  /** Transient failures since the last definite response. */
  readonly retries: number
}

/** A page as a schedule sees it. */
export interface ScheduledPage extends PageTiming {
  readonly url: string
  readonly metadata: Readonly<Record<string, string>>
}

export const DAY_SECONDS = 86_400
