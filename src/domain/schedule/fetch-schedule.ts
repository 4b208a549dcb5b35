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

  /** The timing of a page that was never fetched; `now` in ms. Due at once. */
  initialise(now: number): PageTiming

  /** After a response with content, a redirect or a 304. Resets `retries`; `fetchedAt` in ms. */
  onFetched(page: ScheduledPage, fetchedAt: number, change: ChangeState): PageTiming

  /** After a permanent failure: not found, gone, denied, or too many failures. Does not change `retries`. */
  onGone(page: ScheduledPage, fetchedAt: number): PageTiming

  /** After a transient failure. Adds one to `retries`. */
  onRetry(page: ScheduledPage, fetchedAt: number): PageTiming
}

/** The timing of a record. Names and units are Nutch's, and columns of the CrawlDb. */
export interface PageTiming {
  /** When the page is next due (ms since the epoch). */
  readonly fetchTime: number
  /** Interval between two fetches (whole seconds). 0: the default of the schedule. */
  readonly fetchInterval: number
  /** When a fetch last found changed content (ms since the epoch); 0: never. Not the Last-Modified header. */
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
