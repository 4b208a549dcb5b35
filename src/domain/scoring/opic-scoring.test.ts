import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createOpicScoring } from './opic-scoring.ts'
import { type InlinkSum, type KeptLink, NO_INLINKS, type ScoredPage } from './scoring.ts'

const page = (score: number, metadata: Record<string, string> = {}): ScoredPage => ({
  url: 'http://a.test/',
  score,
  metadata,
})
const inside: KeptLink = { url: 'http://a.test/1', internal: true }
const outside: KeptLink = { url: 'http://b.test/', internal: false }
const opic = createOpicScoring()

it('leaves a seed its score, starts a linked page at 0, and lets a redirect target inherit', () => {
  expect(opic.injected(page(3)).score).toBe(3)
  expect(opic.initial(page(3), 'link').score).toBe(0)
  expect(opic.initial(page(3, { a: 'b' }), 'redirect')).toEqual({ score: 3, metadata: { a: 'b' } })
})

it('shares the score among the kept links', () => {
  expect(opic.distribute(page(2), [inside, outside, inside, outside], 10)).toEqual(
    Array(4).fill({ score: 0.5 }),
  )
  expect(opic.distribute(page(2), [], 10)).toEqual([])
})

it('shares it among all links found if configured', () => {
  const shares = createOpicScoring({ countFiltered: true }).distribute(page(2), [inside, outside], 10)
  expect(shares).toEqual([{ score: 0.2 }, { score: 0.2 }])
})

it('weighs links within and out of the host', () => {
  const scoring = createOpicScoring({ internalFactor: 0.5, externalFactor: 2 })
  expect(scoring.distribute(page(1), [inside, outside], 2)).toEqual([{ score: 0.25 }, { score: 1 }])
})

it('adds what links bring and keeps what was given', () => {
  expect(opic.update(page(1.5), { scoreSum: 0.25, count: 3 }, 1.5).score).toBe(1.75)
})

it('sorts by score and boosts by its power', () => {
  expect(opic.sortValue(page(4), 2)).toBe(8)
  expect(opic.indexBoost(page(9), 2)).toBe(6)
  expect(createOpicScoring({ indexPower: 1 }).indexBoost(page(9), 2)).toBe(18)
})

it('keeps its promise to be plain', () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.nat(1e6), fc.nat(99), (score, scoreSum, count) => {
      for (const scoring of [opic, createOpicScoring({ conserving: true })]) {
        expect(scoring.plain).toBe(true)
        expect(scoring.sortValue(page(score), 1)).toBe(score)
        const metadata = { a: 'b' }
        const updated = scoring.update(page(score, metadata), { scoreSum, count, minDepth: 1 }, 0)
        expect(updated).toEqual({ score: score + scoreSum, metadata })
      }
    }),
  )
})

it('refuses factors it cannot work with', () => {
  expect(() => createOpicScoring({ internalFactor: -1 })).toThrow(/internalFactor is -1/)
  expect(() => createOpicScoring({ conserving: true, externalFactor: 2 })).toThrow(/conserving/)
})

it('conserves the sum of all scores if configured', () => {
  const graph = fc.array(fc.array(fc.record({ to: fc.nat(4), internal: fc.boolean() }), { maxLength: 5 }), {
    minLength: 5,
    maxLength: 5,
  })
  fc.assert(
    fc.property(graph, fc.double({ min: 0, max: 1, noNaN: true }), (links, externalFactor) => {
      const scoring = createOpicScoring({ conserving: true, externalFactor })
      let scores = [1, 0, 0, 2, 0]
      for (let round = 0; round < 10; round++) {
        const received: InlinkSum[] = scores.map(() => NO_INLINKS)
        const given = links.map((own, from) => {
          const shares = scoring.distribute(
            page(scores[from] ?? 0),
            own.map(({ internal }) => ({ url: '', internal })),
            own.length,
          )
          let sum = 0
          for (const [i, share] of shares.entries()) {
            const to = own[i]?.to ?? 0
            const { scoreSum, count } = received[to] ?? NO_INLINKS
            received[to] = { scoreSum: scoreSum + (share?.score ?? 0), count: count + 1 }
            sum += share?.score ?? 0
          }
          return sum
        })
        scores = scores.map(
          (score, i) => scoring.update(page(score), received[i] ?? NO_INLINKS, given[i] ?? 0).score,
        )
        expect(scores.every((score) => score >= -1e-12)).toBe(true)
      }
      expect(scores.reduce((a, b) => a + b)).toBeCloseTo(3, 9)
    }),
  )
})
