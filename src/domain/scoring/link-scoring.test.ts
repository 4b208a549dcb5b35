import { expect, it } from 'vitest'
import { createLinkScoring } from './link-scoring.ts'

const page = { url: 'http://a.test/', score: 4, metadata: { key: 'value' } }
const scoring = createLinkScoring()

it('leaves the score of a page as it is', () => {
  expect(scoring.update(page, { scoreSum: 0, count: 7 }, 0)).toEqual({ score: 4, metadata: { key: 'value' } })
})

it('passes nothing on along links, but the whole score along a redirect', () => {
  expect(scoring.distribute(page, [{ url: 'http://b.test/', internal: false }], 1)).toEqual([{ score: 0 }])
  expect(scoring.initial(page, 'link').score).toBe(0)
  expect(scoring.initial(page, 'redirect').score).toBe(4)
})

it('ranks and boosts pages by their score', () => {
  expect(scoring.sortValue(page, 2)).toBe(8)
  expect(scoring.indexBoost(page, 3)).toBe(6)
})
