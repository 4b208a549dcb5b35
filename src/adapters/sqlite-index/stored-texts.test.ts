import { DatabaseSync } from 'node:sqlite'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { StoredTexts } from './stored-texts.ts'

function stored(text: string): StoredTexts {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE texts (row INTEGER PRIMARY KEY, content BLOB)')
  db.prepare('INSERT INTO texts VALUES (1, ?)').run(deflateRawSync(text, { level: 2 }))
  return new StoredTexts(db)
}

it('has the same beginning as the whole text, in whole characters', () => {
  const piece = fc.constantFrom('word ', 'né ', '北京', '\u{1f578}', '\n', 'x'.repeat(99))
  // Random letters, because repeated pieces take next to no space when they are deflated.
  const letters = fc.string({ unit: 'grapheme', minLength: 50, maxLength: 300 })
  const parts = fc.array(fc.oneof(piece, letters), { maxLength: 40 })
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 400 }), (list, times) => {
      const text = list.join('').repeat(times).toWellFormed()
      const texts = stored(text)
      const { text: beginning, isWhole } = texts.beginning(1)
      expect(text.startsWith(beginning)).toBe(true)
      expect(beginning.isWellFormed()).toBe(true)
      expect(isWhole).toBe(beginning.length === text.length)
      expect(texts.whole(1)).toBe(text)
      if (!isWhole) expect(beginning.length).toBeGreaterThan(5_000)
    }),
    { numRuns: 60 },
  )
})

it('reads a part of a text that does not get smaller', () => {
  const text = Array.from({ length: 30_000 }, (_, i) =>
    String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000)),
  ).join('')
  const { text: beginning, isWhole } = stored(text).beginning(1)
  expect(isWhole).toBe(false)
  expect(beginning.length).toBeGreaterThan(5_000)
  expect(text.startsWith(beginning)).toBe(true)
})

it('reads more than the first line of a text whose second line is very long', () => {
  const { text } = stored(`Title\n${'word '.repeat(30_000)}`).beginning(1)
  expect(text.length).toBeGreaterThan(50_000)
  expect(text.endsWith('word')).toBe(true)
})

it('has nothing of a page that is not there', () => {
  expect(stored('').beginning(2)).toEqual({ text: '', isWhole: true })
  expect(stored('').beginning(1)).toEqual({ text: '', isWhole: true })
})
