import { DAY_SECONDS, type PageTiming } from './page-timing.ts'

/** The two numbers every built-in schedule needs. */
export interface IntervalLimits {
  readonly defaultIntervalSeconds: number
  readonly maxIntervalSeconds: number
}

/**
 * A gone page is asked for ever more rarely but never forgotten: half as long again each time, up to nine tenths of the maximum.
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
