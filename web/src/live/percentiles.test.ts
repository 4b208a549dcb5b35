import { expect, it } from 'vitest'
import { percentile, responseCount } from './percentiles.ts'

const BOUNDS = [10, 100, 1_000]

it('interpolates within the interval of the percentile', () => {
  const histogram = { boundsMs: BOUNDS, counts: [10, 10, 0, 0], sumMs: 0 }
  expect(percentile(histogram, 0.5)).toEqual({ ms: 10, isLowerBound: false })
  expect(percentile(histogram, 0.75)).toEqual({ ms: 55, isLowerBound: false })
  expect(percentile(histogram, 1)).toEqual({ ms: 100, isLowerBound: false })
  expect(responseCount(histogram)).toBe(20)
})

it('skips empty intervals', () => {
  expect(percentile({ boundsMs: BOUNDS, counts: [0, 0, 4, 0], sumMs: 0 }, 0)).toEqual({
    ms: 100,
    isLowerBound: false,
  })
})

it('gives a lower bound for the interval without an upper bound', () => {
  expect(percentile({ boundsMs: BOUNDS, counts: [1, 0, 0, 9], sumMs: 0 }, 0.95)).toEqual({
    ms: 1_000,
    isLowerBound: true,
  })
})

it('is undefined without responses', () => {
  expect(percentile({ boundsMs: BOUNDS, counts: [0, 0, 0, 0], sumMs: 0 }, 0.5)).toBeUndefined()
})
