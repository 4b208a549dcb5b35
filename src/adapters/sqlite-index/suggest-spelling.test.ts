import fc from 'fast-check'
import { expect, it } from 'vitest'
import { editDistance } from './suggest-spelling.ts'

it('counts letters to insert, delete, replace or swap', () => {
  expect(editDistance('autovacum', 'autovacuum', 2)).toBe(1)
  expect(editDistance('tabel', 'table', 2)).toBe(1)
  expect(editDistance('abcd', 'wxyz', 2)).toBe(3)
  expect(editDistance('a', 'abcdef', 2)).toBe(3)
})

it('is a distance', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 })
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b, 9)
      expect(distance).toBe(editDistance(b, a, 9))
      expect(distance === 0).toBe(a === b)
      expect(Math.min(3, distance)).toBe(Math.min(3, editDistance(a, b, 2)))
    }),
    { numRuns: 200 },
  )
})
