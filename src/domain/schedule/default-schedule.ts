import { ConfigurationError } from '../../base/crawl-error.ts'
import type { ChangeState } from './change-state.ts'
import { DAY_SECONDS, type FetchSchedule, type PageTiming } from './fetch-schedule.ts'
import { fixedInterval } from './fixed-interval.ts'

/** Options of {@link createDefaultSchedule}, and of all other schedules. */
export interface DefaultScheduleOptions {
  /** Interval between two fetches of a page without its own interval. @default 2592000 (30 days) */
  readonly defaultIntervalSeconds?: number
  /** Longest interval of any page, also if its seed line sets a longer one. @default 7776000 (90 days) */
  readonly maxIntervalSeconds?: number
}

/**
 * Fetches every page at its own fixed interval, whether it changes or not.
 * @example
 * createDefaultSchedule({ defaultIntervalSeconds: 86_400 }).initialise(0).fetchInterval // → 86400
 */
export function createDefaultSchedule(options: DefaultScheduleOptions = {}): FetchSchedule {
  const limits = intervalLimits(options)
  return {
    maxIntervalSeconds: limits.maxIntervalSeconds,
    initialise: (now) => firstTiming(now, limits),
    onFetched(page, fetchedAt, change) {
      const fetchInterval = Math.min(
        fixedInterval(page) ?? (page.fetchInterval || limits.defaultIntervalSeconds),
        limits.maxIntervalSeconds,
      )
      return {
        fetchTime: fetchedAt + fetchInterval * 1000,
        fetchInterval,
        modifiedTime: modifiedTimeAfter(page, fetchedAt, change),
        retries: 0,
      }
    },
    onGone: (page, fetchedAt) => goneTiming(page, fetchedAt, limits),
    onRetry: (page, fetchedAt) => retryTiming(page, fetchedAt, limits),
  }
}

/** Applies the defaults; throws a `ConfigurationError` for invalid intervals. */
export function intervalLimits(options: DefaultScheduleOptions): IntervalLimits {
  const { defaultIntervalSeconds = 30 * DAY_SECONDS, maxIntervalSeconds = 90 * DAY_SECONDS } = options
  for (const [name, value] of Object.entries({ defaultIntervalSeconds, maxIntervalSeconds })) {
    if (!Number.isInteger(value) || value < 1) {
      throw new ConfigurationError('SETTING_INVALID', `${name} is ${value}; give whole seconds, at least 1`)
    }
  }
  return { defaultIntervalSeconds, maxIntervalSeconds }
}

/** Due at once; the interval starts at the first fetch. */
export function firstTiming(now: number, limits: IntervalLimits): PageTiming {
  return { fetchTime: now, fetchInterval: limits.defaultIntervalSeconds, modifiedTime: 0, retries: 0 }
}

/** Unchanged content keeps the time of the last change; the first fetch counts as a change. */
export function modifiedTimeAfter(
  page: Pick<PageTiming, 'modifiedTime'>,
  fetchedAt: number,
  change: ChangeState,
): number {
  if (change === 'modified') return fetchedAt
  return change === 'unknown' && page.modifiedTime <= 0 ? fetchedAt : page.modifiedTime
}

/** The intervals of every built-in schedule. */
export interface IntervalLimits {
  readonly defaultIntervalSeconds: number
  readonly maxIntervalSeconds: number
}

/**
 * A gone page is requested ever more rarely but never forgotten: half as long again each time, up to nine tenths of the maximum.
 */
export function goneTiming(page: PageTiming, fetchedAt: number, limits: IntervalLimits): PageTiming {
  const longer = (page.fetchInterval || limits.defaultIntervalSeconds) * 1.5
  const fetchInterval = Math.round(
    longer < limits.maxIntervalSeconds ? longer : limits.maxIntervalSeconds * 0.9,
  )
  return { ...timingOf(page), fetchInterval, fetchTime: fetchedAt + fetchInterval * 1000 }
}

/** A failed page is retried after a day, or after the longest interval if that is shorter. */
export function retryTiming(page: PageTiming, fetchedAt: number, limits: IntervalLimits): PageTiming {
  const wait = Math.min(DAY_SECONDS, limits.maxIntervalSeconds)
  return { ...timingOf(page), fetchTime: fetchedAt + wait * 1000, retries: page.retries + 1 }
}

/** Delay before a page that the server refused (HTTP 403) is retried: most firewall blocks are lifted soon. */
export function deniedRetryMs(retries: number): number {
  return (DENIED_RETRY_SECONDS[retries] ?? 7 * DAY_SECONDS) * 1000
}

const DENIED_RETRY_SECONDS = [3_600, DAY_SECONDS]

// Schedules get whole records, but must return only the timing.
function timingOf({ fetchTime, fetchInterval, modifiedTime, retries }: PageTiming): PageTiming {
  return { fetchTime, fetchInterval, modifiedTime, retries }
}
