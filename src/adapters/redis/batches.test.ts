import fc from 'fast-check'
import { expect, it } from 'vitest'
import { batches } from './batches.ts'

it('keeps all lists in their order, in batches that are neither empty nor too large', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.string(), { maxLength: 4 })),
      fc.integer({ min: 1, max: 5 }),
      (lists, max) => {
        const all = batches(lists, max)
        expect(all.flat()).toEqual(lists)
        for (const batch of all) expect(batch.length > 0 && batch.length <= max).toBe(true)
      },
    ),
    { numRuns: 200 },
  )
})

it('does not put much text in one batch, but a list that is long alone', () => {
  const long = ['x'.repeat(600_000)]
  expect(batches([long, long, ['y']], 10)).toEqual([[long], [long, ['y']]])
  expect(batches([['x'.repeat(5_000_000)]], 10)).toHaveLength(1)
  expect(batches([Array(6_000).fill('x'), ['y']], 10)).toHaveLength(2)
})
