import { expect, it } from 'vitest'
import { createDepthScoring } from './depth-scoring.ts'
import type { InlinkSum, KeptLink, ScoredPage } from './scoring.ts'

const page = (score: number, metadata: Record<string, string> = {}): ScoredPage => ({
  url: 'http://a.test/',
  score,
  metadata,
})
const inside: KeptLink = { url: 'http://a.test/1', internal: true }
const outside: KeptLink = { url: 'http://b.test/', internal: false }
const depth = createDepthScoring({ maxDepth: 3 })

it('puts a seed at depth 1', () => {
  expect(depth.injected(page(1, { tag: 'x' }))).toEqual({ score: 1, metadata: { tag: 'x', _depth_: '1' } })
})

it.each([
  [{ _depth_: '1' }, { score: 0, depth: 2 }],
  [{ _depth_: '2' }, { score: 0, depth: 3 }],
  [{ _depth_: '3' }, undefined],
  [
    { _depth_: '3', _maxdepth_: '4' },
    { score: 0, depth: 4, maxDepth: 4 },
  ],
  [{ _depth_: '1', _maxdepth_: '1' }, undefined],
  // Known before depth was counted.
  [{}, { score: 0, depth: 2 }],
  [{ _maxdepth_: '1' }, undefined],
])('gives the links of a page with %o: %o', (metadata, expected) => {
  expect(depth.distribute(page(1, metadata), [inside, outside], 2)).toEqual([expected, expected])
})

it('takes the smallest depth, with the limit that came with it', () => {
  const update = (metadata: Record<string, string>, sum: Omit<InlinkSum, 'count' | 'scoreSum'>) =>
    depth.update(page(1, metadata), { scoreSum: 9, count: 1, ...sum }, 0)
  expect(update({ _depth_: '3' }, { minDepth: 2 })).toEqual({ score: 1, metadata: { _depth_: '2' } })
  expect(update({ _depth_: '2' }, { minDepth: 3, maxDepth: 9 }).metadata).toEqual({ _depth_: '2' })
  expect(update({}, { minDepth: 2, maxDepth: 9 }).metadata).toEqual({ _depth_: '2', _maxdepth_: '9' })
  expect(update({}, {}).metadata).toEqual({})
})

it('puts near pages first', () => {
  expect(['1', '2', '3'].map((_depth_) => depth.sortValue(page(1, { _depth_ }), 2))).toEqual([6, 4, 2])
  expect(depth.sortValue(page(1), 2)).toBe(6)
})

it('leaves a redirect target the depth of its source', () => {
  expect(depth.initial(page(1, { _depth_: '2' }), 'redirect').metadata).toEqual({ _depth_: '2' })
})

it('refuses a depth below 1', () => {
  expect(() => createDepthScoring({ maxDepth: 0 })).toThrow(/maxDepth is 0/)
})
