import { expect, it } from 'vitest'
import { divideParts } from './divide-parts.ts'

const LINKS: Readonly<Record<string, number>> = { a1: 3, a2: 4, a3: 5, b1: 20, c1: 0, c2: 10 }
const parts = Object.keys(LINKS).map((part) => ({ segment: part[0] ?? '', part }))

function divided(maxLinks: number, segments = ['a', 'b', 'c', 'd']): [string, string][] {
  const batches = divideParts(parts, segments, ({ part }) => LINKS[part] ?? 0, maxLinks)
  return batches.map((batch) => [
    batch.parts.map(({ part }) => part).join(' '),
    batch.segments.map(String).join(' '),
  ])
}

it('fills batches up to the limit, in order, and leaves a larger part alone', () => {
  expect(divided(10)).toEqual([
    ['a1 a2', ''],
    ['a3', 'a'],
    ['b1', 'b'],
    ['c1 c2', 'c d'],
  ])
})

it('returns one batch if all links are within the limit', () => {
  expect(divided(42)).toEqual([['a1 a2 a3 b1 c1 c2', 'a b c d']])
  expect(divideParts([], ['a'], () => 0, 1)).toEqual([{ parts: [], segments: ['a'] }])
})
