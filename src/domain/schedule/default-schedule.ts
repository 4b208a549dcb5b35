import { ConfigurationError } from '../../base/crawl-error.ts'
import { type ChangeState, DAY_SECONDS, type FetchSchedule, type PageTiming } from './fetch-schedule.ts'

export interface DefaultScheduleOptions {
  /** Between two fetches of a page that has no interval of its own. @default 2592000 (30 days) */
  readonly defaultIntervalSeconds?: number
  /** No page waits longer, whatever its seed line asked for. @default 7776000 (90 days) */
  readonly maxIntervalSeconds?: number
}

/** Fetches every page at its own fixed interval, whether it changes or not. */
export function createDefaultSchedule(options: DefaultScheduleOptions = {}): FetchSchedule {
  const limits = intervalLimits(options)
  return {
    maxIntervalSeconds: limits.maxIntervalSeconds,
    initialise: (now) => firstTiming(now, limits),
    onFetched(page, fetchedAt, change) {
      const fetchInterval = Math.min(
        page.fetchInterval || limits.defaultIntervalSeconds,
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

/** Fills in the defaults; throws a `ConfigurationError` for numbers no schedule can work with. */
export function intervalLimits(options: DefaultScheduleOptions): IntervalLimits {
  const { defaultIntervalSeconds = 30 * DAY_SECONDS, maxIntervalSeconds = 90 * DAY_SECONDS } = options
  for (const [name, value] of Object.entries({ defaultIntervalSeconds, maxIntervalSeconds })) {
    if (!Number.isInteger(value) || value < 1) {
      throw new ConfigurationError('SETTING_INVALID', `${name} is ${value}; give whole seconds, at least 1`)
    }
  }
  return { defaultIntervalSeconds, maxIntervalSeconds }
}

/** Due at once; the interval starts to count with the first fetch. */
export function firstTiming(now: number, limits: IntervalLimits): PageTiming {
  return { fetchTime: now, fetchInterval: limits.defaultIntervalSeconds, modifiedTime: 0, retries: 0 }
}

/** A fetch that saw the same content says nothing new about when it changed; a first sight of it is a change. */
export function modifiedTimeAfter(
  page: Pick<PageTiming, 'modifiedTime'>,
  fetchedAt: number,
  change: ChangeState,
): number {
  if (change === 'modified') return fetchedAt
  return change === 'unknown' && page.modifiedTime <= 0 ? fetchedAt : page.modifiedTime
}

/** The two numbers every built-in schedule needs. */
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

/** A failed page is tried again in a day, or sooner when no page may wait that long. */
export function retryTiming(page: PageTiming, fetchedAt: number, limits: IntervalLimits): PageTiming {
  const wait = Math.min(DAY_SECONDS, limits.maxIntervalSeconds)
  return { ...timingOf(page), fetchTime: fetchedAt + wait * 1000, retries: page.retries + 1 }
}

/** When a page that the server refused (HTTP 403) is tried again: firewalls lift most blocks soon. */
export function deniedRetryMs(retries: number): number {
  return (DENIED_RETRY_SECONDS[retries] ?? 7 * DAY_SECONDS) * 1000
}

const DENIED_RETRY_SECONDS = [3_600, DAY_SECONDS]

// A schedule is handed whole records; what it returns must hold nothing but timing.
function timingOf({ fetchTime, fetchInterval, modifiedTime, retries }: PageTiming): PageTiming {
  return { fetchTime, fetchInterval, modifiedTime, retries }
}
