import type { ChangeHistory } from './change-history.ts'

/**
 * What is known about the rate of changes of a page (changes per day), as a gamma distribution: the mean is `shape / days`.
 * The shape is the number of changes that the knowledge is worth; it is small for a page with few fetches.
 */
export interface RateBelief {
  readonly shape: number
  readonly days: number
}

export function meanRate({ shape, days }: RateBelief): number {
  return shape / days
}

/**
 * The estimate of Cho and Garcia-Molina from the page alone, for irregular fetches and with their correction of the bias
 * ("Estimating frequency of change", 2003); `undefined` if there is no fetch to compare. Changes per day.
 *
 * For regular fetches without dates it is log((n + 0.5) / (n − x + 0.5)) / interval, and for dated changes x / unchanged time.
 */
export function ownRate(history: ChangeHistory): number | undefined {
  const { fetches, datedChanges, undatedChanges, changedDays, unchangedDays } = history
  if (fetches === 0) return undefined
  const meanInterval = (changedDays + unchangedDays) / fetches
  const unchanged = unchangedDays + 0.5 * meanInterval
  if (undatedChanges === 0) return datedChanges / unchanged
  const undatedRate = (undatedChanges / changedDays) * Math.log1p(changedDays / unchanged)
  return datedChanges === 0 ? undatedRate : undatedRate + datedChanges / (unchanged + changedDays / 2)
}

const MAX_STEPS = 40

/**
 * The belief about a page after its fetches, from the belief about pages of its kind. With few fetches it stays near that, with many it
 * is the maximum-likelihood estimate.
 *
 * A change without a date counts as one at its expected time within the interval, given the rate; hence the iteration. The longer the
 * interval compared with the rate, the less the change tells, and the less it is worth.
 */
export function updatedBelief(prior: RateBelief, history: ChangeHistory): RateBelief {
  const { datedChanges, undatedChanges, changedDays, unchangedDays } = history
  const shape = prior.shape + datedChanges
  const days = prior.days + unchangedDays
  if (undatedChanges === 0) return { shape, days }
  const interval = changedDays / undatedChanges
  let rate = (shape + undatedChanges) / (days + changedDays / 2)
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = (shape + undatedChanges) / (days + undatedChanges * daysToChange(rate, interval))
    const isDone = Math.abs(next - rate) < 1e-6 * rate
    rate = next
    if (isDone) break
  }
  const worth = shape + undatedChanges * informationOf(rate * interval)
  return { shape: worth, days: worth / rate }
}

/** Expected time until the first change, given that there is one within `interval`. */
function daysToChange(rate: number, interval: number): number {
  const x = rate * interval
  return x < 1e-4 ? interval / 2 : (1 / rate) * (1 - x / Math.expm1(x))
}

/** The part of the information of a dated change that an undated one has; `x` is the expected number of changes in its interval. */
function informationOf(x: number): number {
  if (x < 1e-4) return 1
  if (x > 500) return 0
  return (x * x * Math.exp(x)) / Math.expm1(x) ** 2
}
