import { expect, it } from 'vitest'
import { combineScorings } from './combined-scoring.ts'
import { createDepthScoring } from './depth-scoring.ts'
import { createOpicScoring } from './opic-scoring.ts'
import type { KeptLink, ScoredPage } from './scoring.ts'

const page = (score: number, metadata: Record<string, string> = {}): ScoredPage => ({
  url: 'http://a.test/',
  score,
  metadata,
})
const inside: KeptLink = { url: 'http://a.test/1', internal: true }
const outside: KeptLink = { url: 'http://b.test/', internal: false }
const both = combineScorings(createOpicScoring(), createDepthScoring({ maxDepth: 2 }))

it('carries score and depth together', () => {
  const seed = page(1, { _depth_: '1' })
  expect(both.injected(page(1))).toEqual({ score: 1, metadata: { _depth_: '1' } })
  expect(both.distribute(seed, [inside, outside], 2)).toEqual(Array(2).fill({ score: 0.5, depth: 2 }))
  expect(both.update(page(0), { scoreSum: 0.5, count: 1, minDepth: 2 }, 0)).toEqual({
    score: 0.5,
    metadata: { _depth_: '2' },
  })
  expect(both.sortValue(seed, 1)).toBe(2)
  expect(both.indexBoost(page(4), 1)).toBe(2)
})

it('drops a link that any rule drops', () => {
  expect(both.distribute(page(1, { _depth_: '2' }), [inside], 1)).toEqual([undefined])
})

it('does not promise to be plain, but is the rule itself when there is only one', () => {
  const opic = createOpicScoring()
  expect(both.plain).toBeUndefined()
  expect(combineScorings(opic)).toBe(opic)
})
