import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dateLabels, labelsBetween } from './date-labels.ts'

it('names years and months that are whole, and single days', () => {
  expect(labelsBetween(Date.UTC(2024, 11, 30), Date.UTC(2026, 1, 2))).toEqual([
    ...['date2024m12d30', 'date2024m12d31', 'date2025', 'date2026m1', 'date2026m2d1'],
  ])
  expect(labelsBetween(undefined, Date.UTC(1971, 0))).toEqual(['date1970'])
  expect(labelsBetween(Date.UTC(2026, 0), Date.UTC(2025, 0))).toEqual([])
})

it('has a label of each day in the range, and of no other', () => {
  const day = fc.integer({ min: -10, max: 48_000 }).map((days) => days * 86_400_000)
  fc.assert(
    fc.property(day, day, day, (from, before, at) => {
      const labels = new Set(labelsBetween(from, before))
      const date = Math.max(0, at)
      const isInside = date >= Math.max(0, from) && date < before && date < Date.UTC(2100, 0)
      if (date < Date.UTC(2100, 0)) expect(dateLabels(at).some((label) => labels.has(label))).toBe(isInside)
    }),
    { numRuns: 300 },
  )
})
