import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inRequests } from './in-requests.ts'

const PARTS = fc.array(fc.record({ id: fc.string(), text: fc.string({ unit: 'grapheme', maxLength: 30 }) }))

it('sends every part once, in order, and no request is larger than allowed unless it is one part', () => {
  fc.assert(
    fc.property(
      PARTS,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 60 }),
      (parts, maxParts, maxBytes) => {
        const requests = [...inRequests(parts, { maxParts, maxBytes })]
        expect(requests.flat()).toEqual(parts)
        for (const request of requests) {
          const bytes = Buffer.byteLength(request.map(({ text }) => text).join(''))
          expect(request.length).toBeGreaterThan(0)
          expect(request.length).toBeLessThanOrEqual(maxParts)
          expect(request.length === 1 || bytes <= maxBytes).toBe(true)
        }
      },
    ),
    { numRuns: 200 },
  )
})

it('fills requests up', () => {
  const parts = Array.from({ length: 7 }, (_, i) => ({ id: `${i}`, text: 'ää' }))
  const sizes = (maxParts: number, maxBytes: number) =>
    [...inRequests(parts, { maxParts, maxBytes })].map(({ length }) => length)
  expect(sizes(3, 100)).toEqual([3, 3, 1])
  expect(sizes(100, 8)).toEqual([2, 2, 2, 1])
})
