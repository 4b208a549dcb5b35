import { expect, it } from 'vitest'
import { axisScale } from './axis-scale.ts'

it('ends at a round number that includes the maximum', () => {
  expect(axisScale(37)).toEqual({ end: 40, marks: [0, 10, 20, 30, 40] })
  expect(axisScale(40)).toEqual({ end: 40, marks: [0, 10, 20, 30, 40] })
  expect(axisScale(0.7)).toEqual({ end: 0.8, marks: [0, 0.2, 0.4, 0.6, 0.8] })
  expect(axisScale(1_234_567).end).toBe(1_500_000)
})

it('has at most four intervals, for every maximum', () => {
  for (let most = 0.001; most < 1e9; most *= 1.37) {
    const { end, marks } = axisScale(most)
    expect(end).toBeGreaterThanOrEqual(most * 0.999_99)
    expect(marks.length).toBeLessThanOrEqual(5)
    expect(marks.length).toBeGreaterThanOrEqual(2)
  }
})

it('has an axis without values', () => {
  expect(axisScale(0)).toEqual({ end: 1, marks: [0, 1] })
  expect(axisScale(Number.NaN)).toEqual({ end: 1, marks: [0, 1] })
})
