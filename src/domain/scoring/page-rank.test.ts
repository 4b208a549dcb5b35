import fc from 'fast-check'
import { expect, it } from 'vitest'
import { exactPageRank } from '../../../testing/exact-page-rank.ts'
import { PageRank } from './page-rank.ts'

const graphs = fc.integer({ min: 1, max: 8 }).chain((nodes) => {
  const node = fc.nat({ max: nodes - 1 })
  return fc.record({ nodes: fc.constant(nodes), edges: fc.array(fc.tuple(node, node), { maxLength: 20 }) })
})

it('equals PageRank by its definition, whatever the size of the blocks', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, fc.integer({ min: 1, max: 5 }), async ({ nodes, edges }, blockLinks) => {
      async function* blocks() {
        for (let i = 0; i < edges.length; i += blockLinks)
          yield Uint32Array.from(edges.slice(i, i + blockLinks).flat())
      }
      const ranks = new PageRank(nodes)
      for (const [source, target] of edges) ranks.countLink(source, target)
      for (let i = 0; i < 200; i++) await ranks.iterate(0.85, blocks())
      const exact = exactPageRank(nodes, edges, 0.85)
      for (const [i, score] of ranks.scores.entries())
        expect(score * nodes).toBeCloseTo(exact[i] ?? Number.NaN, 9)
      expect(ranks.dangling).toBe(exact.filter((_, i) => edges.every(([source]) => source !== i)).length)
    }),
  )
})

it('returns the sum of the changes', async () => {
  const ranks = new PageRank(2)
  ranks.countLink(0, 1)
  async function* blocks() {
    yield Uint32Array.of(0, 1)
  }
  // 1/2 and 1/2 become 1/4 and 3/4: node 1 has no link and passes its rank on to both.
  expect(await ranks.iterate(1 - 1e-12, blocks())).toBeCloseTo(0.5, 9)
  expect([...ranks.inlinks]).toEqual([0, 1])
  expect([...ranks.outlinks]).toEqual([1, 0])
})
