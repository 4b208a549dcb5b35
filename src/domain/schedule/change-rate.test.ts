import { expect, it } from 'vitest'
import { type ChangeHistory, NO_HISTORY } from './change-history.ts'
import { meanRate, ownRate, updatedBelief } from './change-rate.ts'

/** Regular fetches without dates. */
function regular(fetches: number, changes: number, intervalDays: number): ChangeHistory {
  return {
    ...NO_HISTORY,
    fetches,
    undatedChanges: changes,
    changedDays: changes * intervalDays,
    unchangedDays: (fetches - changes) * intervalDays,
  }
}

it.each([
  [10, 6, 1],
  [10, 0, 7],
  [10, 10, 7],
  [3, 1, 30],
])(
  'is the corrected estimate of Cho and Garcia-Molina: %i fetches, %i changes, every %i days',
  (n, x, days) => {
    const expected = -Math.log((n - x + 0.5) / (n + 0.5)) / days
    expect(ownRate(regular(n, x, days))).toBeCloseTo(expected, 10)
  },
)

it('divides dated changes by the time without a change', () => {
  const history = { ...NO_HISTORY, fetches: 4, datedChanges: 3, unchangedDays: 28 }
  expect(ownRate(history)).toBeCloseTo(3 / (28 + 3.5), 10)
  expect(ownRate(NO_HISTORY)).toBeUndefined()
})

const PRIOR = { shape: 0.5, days: 15 }

it('believes the prior without fetches, and the page after many', () => {
  expect(updatedBelief(PRIOR, NO_HISTORY)).toEqual(PRIOR)
  const many = updatedBelief(PRIOR, regular(1_000, 500, 1))
  expect(meanRate(many)).toBeCloseTo(Math.log(2), 1)
  // Each change is worth less than one with a date.
  expect(many.shape).toBeGreaterThan(400)
  expect(many.shape).toBeLessThan(500)
})

it('moves from the prior towards the page with each fetch', () => {
  const rates = [0, 1, 2, 4, 8, 16].map((n) => meanRate(updatedBelief(PRIOR, regular(n, n, 7))))
  expect(rates).toEqual(rates.toSorted((a, b) => a - b))
  const quiet = [0, 1, 2, 4, 8, 16].map((n) => meanRate(updatedBelief(PRIOR, regular(n, 0, 7))))
  expect(quiet).toEqual(quiet.toSorted((a, b) => b - a))
})

it('knows little about a page that had changed at every fetch', () => {
  const often = updatedBelief(PRIOR, regular(5, 5, 90))
  expect(meanRate(often)).toBeGreaterThan(1 / 30)
  expect(often.shape).toBeLessThan(3)
})

it('solves the likelihood equation', () => {
  const history = { ...regular(20, 12, 3), datedChanges: 4 }
  const { shape, days } = PRIOR
  const rate = meanRate(updatedBelief(PRIOR, history))
  const slope = (shape + 4) / rate - (days + history.unchangedDays) + (12 * 3) / Math.expm1(rate * 3)
  expect(slope).toBeCloseTo(0, 3)
})
