import type { RateBelief } from './change-rate.ts'

/*
 * A copy is fresh until the page changes. For a page with changes at the rate r that is fetched every I days, the copy is fresh for the part
 * (1 − e^(−rI)) / rI of the time. The gain is the derivative of that by the number of fetches per day: what one more fetch per day
 * brings, (1 − (1 + rI) e^(−rI)) / r, in fresh days. Both are averaged here over the belief about r.
 */

/** Expected part of the time for which a copy that is fetched every `intervalDays` is fresh; 0 to 1. */
export function expectedFreshness({ shape, days }: RateBelief, intervalDays: number): number {
  return freshDays(shape, days, intervalDays) / intervalDays
}

/** What one more fetch per day would bring for a page that is fetched every `intervalDays`, in fresh days. It grows with the interval. */
export function freshnessGain({ shape, days }: RateBelief, intervalDays: number): number {
  const unchanged = Math.exp(-shape * Math.log1p(intervalDays / days))
  return freshDays(shape, days, intervalDays) - intervalDays * unchanged
}

/** Expected fresh days in an interval. */
function freshDays(shape: number, days: number, intervalDays: number): number {
  const log = Math.log1p(intervalDays / days)
  const order = shape - 1
  // The limit for a shape of 1.
  if (Math.abs(order * log) < 1e-9) return days * log
  return (days * -Math.expm1(-order * log)) / order
}

/** Shortest and longest interval, in days. */
export interface IntervalRange {
  readonly min: number
  readonly max: number
}

/**
 * The interval at which one more fetch per day brings `gain`: longer ones if fetches are scarce. A page that changes so often
 * that no interval brings the gain has the longest interval.
 */
export function intervalFor(belief: RateBelief, gain: number, { min, max }: IntervalRange): number {
  if (!(freshnessGain(belief, max) > gain)) return max
  if (freshnessGain(belief, min) >= gain) return min
  let low = Math.log(min)
  let high = Math.log(max)
  while (high - low > 1e-5) {
    const middle = (low + high) / 2
    if (freshnessGain(belief, Math.exp(middle)) < gain) low = middle
    else high = middle
  }
  return Math.exp((low + high) / 2)
}
