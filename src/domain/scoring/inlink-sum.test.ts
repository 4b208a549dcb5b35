import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addInlink, type LinkContribution, NO_INLINKS } from './inlink-sum.ts'

it('does not depend on the order of the links', () => {
  const link: fc.Arbitrary<LinkContribution> = fc.oneof(
    fc.record({ score: fc.double({ min: 0, max: 10, noNaN: true }) }),
    fc.record({ score: fc.double({ min: 0, max: 10, noNaN: true }), depth: fc.nat(3) }),
    fc.record({
      score: fc.double({ min: 0, max: 10, noNaN: true }),
      depth: fc.nat(3),
      maxDepth: fc.nat(3),
    }),
  )
  const shuffled = fc
    .array(link, { maxLength: 20 })
    .chain((links) =>
      fc.tuple(
        fc.constant(links),
        fc.shuffledSubarray(links, { minLength: links.length, maxLength: links.length }),
      ),
    )
  fc.assert(
    fc.property(shuffled, ([links, others]) => {
      const a = links.reduce(addInlink, NO_INLINKS)
      const b = others.reduce(addInlink, NO_INLINKS)
      expect({ ...a, scoreSum: 0 }).toEqual({ ...b, scoreSum: 0 })
      expect(a.scoreSum).toBeCloseTo(b.scoreSum, 9)
      expect(a.count).toBe(links.length)
    }),
  )
})

it('keeps the smallest depth and the limit that belongs to it', () => {
  const links: LinkContribution[] = [
    { score: 1, depth: 3, maxDepth: 9 },
    { score: 1, depth: 2 },
    { score: 1, depth: 2, maxDepth: 5 },
    { score: 1 },
  ]
  expect(links.reduce(addInlink, NO_INLINKS)).toEqual({ scoreSum: 4, count: 4, minDepth: 2, maxDepth: 5 })
})
