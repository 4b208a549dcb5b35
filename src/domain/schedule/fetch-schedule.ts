import type { PageTiming, ScheduledPage } from './page-timing.ts'

/**
 * What a visit said about the content since the visit before.
 * `unknown`: there was nothing to compare with (a first visit, a redirect, a page that was not parsed).
 */
export type ChangeState = 'modified' | 'not-modified' | 'unknown'

/**
 * Decides when a page is visited again. Replace it by any object of this shape.
 *
 * A schedule is a pure function of its arguments: it keeps no state and reads no clock, since the same update may be computed twice
 * after a crash. Every `fetchTime` it returns lies between `fetchedAt` and `fetchedAt` + `maxIntervalSeconds`.
 */
export interface FetchSchedule {
  /** No page waits longer than this. A due time further ahead than this is not believed: see `isDue`. */
  readonly maxIntervalSeconds: number

  /** The timing of a page nobody has visited; `now` in ms. Due at once. */
  initialise(now: number): PageTiming

  /** After a response with content, a redirect or a 304. Resets `retries`; `fetchedAt` in ms. */
  onFetched(page: ScheduledPage, fetchedAt: number, change: ChangeState): PageTiming

  /** After a response that will hardly change: not found, gone, denied, or too many failures. Leaves `retries`. */
  onGone(page: ScheduledPage, fetchedAt: number): PageTiming

  /** After a failure that may pass. Adds one to `retries`. */
  onRetry(page: ScheduledPage, fetchedAt: number): PageTiming
}
