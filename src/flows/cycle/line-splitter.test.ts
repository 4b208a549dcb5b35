import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

function split(pieces: readonly string[]): string[] {
  const splitter = new LineSplitter()
  const lines = pieces.flatMap((piece) => splitter.push(piece))
  return [...lines, ...splitter.end()]
}

it('takes every kind of line end', () => {
  expect(split(['a\nb\r\nc\rd'])).toEqual(['a', 'b', 'c', 'd'])
})

it('gives the same lines however the text is cut into pieces', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r'), maxLength: 30 })
  fc.assert(
    fc.property(text, fc.nat(30), fc.nat(30), (all, i, j) => {
      const [from, to] = [Math.min(i, j), Math.max(i, j)]
      expect(split([all.slice(0, from), all.slice(from, to), all.slice(to)])).toEqual(split([all]))
    }),
  )
})

it('does not keep the whole of an endless line', () => {
  const splitter = new LineSplitter(10)
  for (let i = 0; i < 100; i++) expect(splitter.push('x'.repeat(100))).toEqual([])
  expect(splitter.end()[0]).toHaveLength(10)
})
