import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fetchesNeeded, gainForBudget, type RateBucket } from './allocate-fetches.ts'
import { expectedFreshness, freshnessGain, intervalFor } from './freshness-gain.ts'

const RANGE = { min: 1 / 24, max: 90 }

const bucket: fc.Arbitrary<RateBucket> = fc
  .record({
    pages: fc.integer({ min: 1, max: 100_000 }),
    logRate: fc.double({ min: -12, max: 5, noNaN: true }),
    logShape: fc.double({ min: -2, max: 12, noNaN: true }),
  })
  .map(({ pages, logRate, logShape }) => {
    const shape = Math.exp(logShape)
    return { pages, shape, days: shape / Math.exp(logRate) }
  })
const buckets = fc.array(bucket, { minLength: 1, maxLength: 30 })
const meanInterval = fc.double({ min: 0.1, max: 80, noNaN: true })

it('spends the budget, and brings the same gain for every page within the bounds', () => {
  fc.assert(
    fc.property(buckets, meanInterval, (all, days) => {
      const pages = all.reduce((sum, one) => sum + one.pages, 0)
      const budget = pages / days
      const gain = gainForBudget(all, budget, RANGE)
      // With a gain of 0 there is more than all pages can use. Pages that change often need very different numbers of fetches for almost
      // the same gain.
      if (gain > 0 && Number.isFinite(gain)) {
        expect(fetchesNeeded(all, gain * (1 + 1e-6), RANGE)).toBeLessThanOrEqual(budget * (1 + 1e-4))
        expect(fetchesNeeded(all, gain * (1 - 1e-6), RANGE)).toBeGreaterThanOrEqual(budget * (1 - 1e-4))
      }
      for (const one of all) {
        const interval = intervalFor(one, gain, RANGE)
        const own = freshnessGain(one, interval)
        if (interval >= RANGE.max) expect(own).toBeLessThanOrEqual(gain * (1 + 1e-6))
        else if (interval <= RANGE.min) expect(own).toBeGreaterThanOrEqual(gain)
        else expect(Math.abs(own - gain)).toBeLessThanOrEqual(1e-3 * gain + 1e-9)
      }
    }),
  )
})

it('brings more freshness than the same number of fetches for every page', () => {
  fc.assert(
    fc.property(buckets, meanInterval, (all, days) => {
      const pages = all.reduce((sum, one) => sum + one.pages, 0)
      const gain = gainForBudget(all, pages / days, RANGE)
      const freshness = (intervalOf: (one: RateBucket) => number) =>
        all.reduce((sum, one) => sum + one.pages * expectedFreshness(one, intervalOf(one)), 0) / pages
      const planned = freshness((one) => intervalFor(one, gain, RANGE))
      expect(planned).toBeGreaterThan(freshness(() => days) - 0.01)
    }),
  )
})

it('gives pages that change too often no more than the longest interval', () => {
  const certain = (rate: number, pages: number) => ({ shape: 1e6, days: 1e6 / rate, pages })
  const often = certain(50, 1_000)
  const slow = certain(0.05, 1_000)
  const gain = gainForBudget([often, slow], 500, RANGE)
  expect(intervalFor(often, gain, RANGE)).toBe(90)
  expect(intervalFor(slow, gain, RANGE)).toBeCloseTo(1_000 / (500 - 1_000 / 90), 1)
})

it('explores a page of which nothing is known, whatever its kind', () => {
  const unknown = { shape: 0.5, days: 0.5 / 50, pages: 1_000 }
  const gain = gainForBudget([unknown, { shape: 100, days: 2_000, pages: 1_000 }], 400, RANGE)
  expect(intervalFor(unknown, gain, RANGE)).toBeLessThan(90)
})
