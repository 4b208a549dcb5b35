import type { ChangeState } from './change-state.ts'
import type { FreshnessPlan, RateFigures } from './freshness-plan.ts'

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
  onFetched(
    page: ScheduledPage,
    fetchedAt: number,
    change: ChangeState,
    evidence?: ChangeEvidence,
  ): ScheduledTiming

  /** After a permanent failure: not found, gone, denied, or too many failures. Does not change `retries`. */
  onGone(page: ScheduledPage, fetchedAt: number): PageTiming

  /** After a transient failure. Adds one to `retries`. */
  onRetry(page: ScheduledPage, fetchedAt: number): PageTiming

  /**
   * When a page is due of which a sitemap or feed says that it changed after its last fetch (ms); it never delays the fetch.
   * Absent: at once.
   */
  onListed?(page: ScheduledPage, lastFetchTime: number, now: number): number

  /** For a schedule that weighs pages against each other. Absent: it looks at one page at a time. */
  readonly planning?: SchedulePlanning

  /** Why the page is due when it is, in lines for `explain`: the evidence and the decision. */
  explain?(page: ScheduledPage): readonly string[]
}

/** What a response says about changes of its content. */
export interface ChangeEvidence {
  /** Last-Modified, or the date that a sitemap or feed states (ms since the epoch). It may be wrong. */
  readonly changedAt?: number
  /** Media type of the content. */
  readonly contentType?: string
  /** Seconds for which the server calls the response fresh: Cache-Control max-age, or Expires. */
  readonly maxAgeSeconds?: number
}

/** A timing, and metadata that the schedule wants to find in the record at the next fetch. */
export interface ScheduledTiming extends PageTiming {
  readonly metadata?: Readonly<Record<string, string>>
}

/**
 * The part of a schedule that looks at all pages. An update of the CrawlDb makes a plan from the figures of all records, if the stored one is
 * older than ten minutes, and updates pages with the schedule for that plan.
 */
export interface SchedulePlanning {
  /** Makes the plan of a round from the change rates of all pages. */
  makePlan(figures: RateFigures): FreshnessPlan
  /** The schedule that follows this plan. */
  withPlan(plan: FreshnessPlan): FetchSchedule
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
