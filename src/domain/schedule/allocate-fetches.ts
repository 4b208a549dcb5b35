import type { RateBelief } from './change-rate.ts'
import { type IntervalRange, intervalFor } from './freshness-gain.ts'

/** Pages about which the same is known. */
export interface RateBucket extends RateBelief {
  readonly pages: number
}

/**
 * The gain at which the pages of all buckets together need `fetchesPerDay`: the multiplier of the optimal allocation (Cho and
 * Garcia-Molina, "Effective page refresh policies", 2003). No fetch could be moved to another page and bring more freshness there.
 * `Infinity`: even the longest interval needs more fetches. 0: there are enough for the shortest interval of every page.
 */
export function gainForBudget(
  buckets: readonly RateBucket[],
  fetchesPerDay: number,
  range: IntervalRange,
): number {
  if (fetchesNeeded(buckets, Number.POSITIVE_INFINITY, range) >= fetchesPerDay)
    return Number.POSITIVE_INFINITY
  if (fetchesNeeded(buckets, 0, range) <= fetchesPerDay) return 0
  let low = LOWEST_LOG_GAIN
  let high = HIGHEST_LOG_GAIN
  while (high - low > 1e-9) {
    const middle = (low + high) / 2
    if (fetchesNeeded(buckets, Math.exp(middle), range) > fetchesPerDay) low = middle
    else high = middle
  }
  return Math.exp((low + high) / 2)
}

/** From a page that changes once in a million years to one that changes a million times per second. */
const LOWEST_LOG_GAIN = Math.log(1e-12)
const HIGHEST_LOG_GAIN = Math.log(1e9)

/** Fetches per day of all buckets at a gain. */
export function fetchesNeeded(buckets: readonly RateBucket[], gain: number, range: IntervalRange): number {
  return buckets.reduce((sum, bucket) => sum + bucket.pages / intervalFor(bucket, gain, range), 0)
}
