import fc from 'fast-check'
import { expect, it } from 'vitest'
import { expectedFreshness, freshnessGain, intervalFor } from './freshness-gain.ts'

const belief = fc
  .record({
    shape: fc.double({ min: 0.05, max: 1e4, noNaN: true }),
    rate: fc.double({ min: 1e-5, max: 100, noNaN: true }),
  })
  .map(({ shape, rate }) => ({ shape, days: shape / rate }))
const interval = fc.double({ min: 0.05, max: 365, noNaN: true })

it.each([0.01, 0.2, 3])('is the formula for a known rate of %f changes per day', (rate) => {
  const known = { shape: 1e9, days: 1e9 / rate }
  for (const days of [0.5, 7, 90]) {
    const x = rate * days
    expect(expectedFreshness(known, days)).toBeCloseTo((1 - Math.exp(-x)) / x, 5)
    expect(freshnessGain(known, days)).toBeCloseTo((1 - (1 + x) * Math.exp(-x)) / rate, 4)
  }
})

it('is a part of the time, and the gain grows with the interval', () => {
  fc.assert(
    fc.property(belief, interval, (one, days) => {
      const fresh = expectedFreshness(one, days)
      expect(fresh).toBeGreaterThan(0)
      expect(fresh).toBeLessThanOrEqual(1 + 1e-9)
      expect(freshnessGain(one, days * 1.1)).toBeGreaterThanOrEqual(freshnessGain(one, days) - 1e-9)
    }),
  )
})

it('is continuous where the shape is 1', () => {
  const at = (shape: number) => expectedFreshness({ shape, days: 10 }, 7)
  expect(at(1)).toBeCloseTo(at(1 + 1e-7), 6)
  expect(at(1)).toBeCloseTo(at(1 - 1e-7), 6)
})

it('finds the interval of a gain', () => {
  fc.assert(
    fc.property(belief, interval, (one, days) => {
      const range = { min: 0.01, max: 1_000 }
      const found = intervalFor(one, freshnessGain(one, days), range)
      // Beyond some interval the gain is flat.
      if (freshnessGain(one, days * 1.02) > freshnessGain(one, days) * 1.001)
        expect(found / days).toBeCloseTo(1, 1)
    }),
  )
})
