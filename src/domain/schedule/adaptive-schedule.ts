import { ConfigurationError } from '../../base/crawl-error.ts'
import type { ChangeState } from './change-state.ts'
import {
  type DefaultScheduleOptions,
  firstTiming,
  goneTiming,
  intervalLimits,
  modifiedTimeAfter,
  retryTiming,
} from './default-schedule.ts'
import type { FetchSchedule } from './fetch-schedule.ts'
import { fixedInterval } from './fixed-interval.ts'

/** The shortest and longest interval. */
export interface IntervalBounds {
  readonly minSeconds: number
  readonly maxSeconds: number
}

/** Options of {@link createAdaptiveSchedule}. */
export interface AdaptiveScheduleOptions extends DefaultScheduleOptions {
  /** Shortest interval of any page. @default 60 */
  readonly minIntervalSeconds?: number
  /** Factor by which the interval grows if the page is unchanged. Above 0.4 the intervals oscillate. @default 0.4 */
  readonly increaseRate?: number
  /** Factor by which the interval shrinks if the page changed. @default 0.2 */
  readonly decreaseRate?: number
  /**
   * How far the next fetch moves towards the rhythm of the page: this part of the time since its last change is taken off the wait.
   * 0 turns it off, and then the age of the content does not stretch the interval either. @default 0.3
   */
  readonly syncRate?: number
  /** Bounds for single hosts (lower case, as in the URL), within the general ones. */
  readonly hosts?: Readonly<Record<string, Partial<IntervalBounds>>>
}

/**
 * Fetches a page more often when it changes and less often when it does not.
 * @example
 * const schedule: FetchSchedule = createAdaptiveSchedule({ minIntervalSeconds: 3_600 })
 */
export function createAdaptiveSchedule(options: AdaptiveScheduleOptions = {}): FetchSchedule {
  const limits = intervalLimits(options)
  const rates = checkedRates(options)
  const general = { minSeconds: options.minIntervalSeconds ?? 60, maxSeconds: limits.maxIntervalSeconds }
  checkBounds(general, general, 'minIntervalSeconds')
  const boundsOf = hostBounds(options.hosts ?? {}, general)

  return {
    maxIntervalSeconds: limits.maxIntervalSeconds,
    initialise: (now) => firstTiming(now, limits),
    onFetched(page, fetchedAt, change) {
      const modifiedTime = modifiedTimeAfter(page, fetchedAt, change)
      const fixed = fixedInterval(page)
      if (fixed !== undefined) {
        const fetchInterval = Math.min(fixed, limits.maxIntervalSeconds)
        return { fetchTime: fetchedAt + fetchInterval * 1000, fetchInterval, modifiedTime, retries: 0 }
      }
      const unchangedMs = modifiedTime > 0 ? Math.max(0, fetchedAt - modifiedTime) : 0
      const interval = page.fetchInterval || limits.defaultIntervalSeconds
      const next = adapt(interval, unchangedMs / 1000, change, rates, boundsOf(page.url))
      return {
        fetchTime: fetchedAt + Math.round(next.waitSeconds * 1000),
        fetchInterval: Math.round(next.intervalSeconds),
        modifiedTime,
        retries: 0,
      }
    },
    onGone: (page, fetchedAt) => goneTiming(page, fetchedAt, limits),
    onRetry: (page, fetchedAt) => retryTiming(page, fetchedAt, limits),
  }
}

interface Rates {
  readonly increaseRate: number
  readonly decreaseRate: number
  readonly syncRate: number
}

/** @param unchangedSeconds time since the last known change; 0 if it changed just now or no change is known */
function adapt(
  intervalSeconds: number,
  unchangedSeconds: number,
  change: ChangeState,
  { increaseRate, decreaseRate, syncRate }: Rates,
  { minSeconds, maxSeconds }: IntervalBounds,
): { intervalSeconds: number; waitSeconds: number } {
  let interval = intervalSeconds
  if (change === 'modified') interval *= 1 - decreaseRate
  if (change === 'not-modified') interval *= 1 + increaseRate
  if (syncRate > 0) interval = Math.max(interval, unchangedSeconds)
  interval = clamp(interval, minSeconds, maxSeconds)

  const shift = syncRate * Math.min(unchangedSeconds, maxSeconds)
  return { intervalSeconds: interval, waitSeconds: Math.max(minSeconds, interval - shift) }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}

function checkedRates(options: AdaptiveScheduleOptions): Rates {
  const { increaseRate = 0.4, decreaseRate = 0.2, syncRate = 0.3 } = options
  for (const [name, rate] of Object.entries({ increaseRate, decreaseRate, syncRate })) {
    if (!(rate >= 0 && rate < 1))
      throw new ConfigurationError('SETTING_INVALID', `${name} is ${rate}; give a number from 0 to below 1`)
  }
  return { increaseRate, decreaseRate, syncRate }
}

function hostBounds(
  hosts: Readonly<Record<string, Partial<IntervalBounds>>>,
  general: IntervalBounds,
): (url: string) => IntervalBounds {
  const table = new Map<string, IntervalBounds>()
  for (const [host, own] of Object.entries(hosts)) {
    const bounds = { ...general, ...own }
    checkBounds(bounds, general, `the interval of host ${host}`)
    table.set(host.toLowerCase(), bounds)
  }
  if (table.size === 0) return () => general
  return (url) => table.get(URL.parse(url)?.hostname ?? '') ?? general
}

function checkBounds(bounds: IntervalBounds, general: IntervalBounds, what: string): void {
  const { minSeconds, maxSeconds } = bounds
  const inside = minSeconds >= Math.max(1, general.minSeconds) && maxSeconds <= general.maxSeconds
  if (!inside || minSeconds > maxSeconds) {
    throw new ConfigurationError(
      'SETTING_INVALID',
      `${what}: ${minSeconds} to ${maxSeconds} s does not lie within ${general.minSeconds} to ${general.maxSeconds} s`,
    )
  }
}
