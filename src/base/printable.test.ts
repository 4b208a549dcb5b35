import fc from 'fast-check'
import { expect, it } from 'vitest'
import { printable } from './printable.ts'

const ANY_UNIT = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))

it('leaves ordinary text of any script alone', () => {
  expect(printable('Grüße, 世界 👋 שלום')).toBe('Grüße, 世界 👋 שלום')
})

it.each([
  ['a terminal escape', '\u001b[31mred\u001b[0m', '[31mred [0m'],
  ['an 8-bit escape', 'a\u009b2Jb', 'a 2Jb'],
  ['line breaks', 'one\r\ntwo\u2028three', 'one two three'],
  ['a bidirectional override', 'gnp.\u202eexe.\u2066x', 'gnp. exe. x'],
  ['NUL and DEL', 'a\0b\u007fc', 'a b c'],
])('takes the harm out of %s', (_, text, shown) => {
  expect(printable(text)).toBe(shown)
})

it('ends a text that is too long in an ellipsis', () => {
  expect(printable('abcdefgh', 5)).toBe('abcd…')
  expect(printable('x'.repeat(1_000_000), 10)).toBe('xxxxxxxxx…')
  expect(printable('abcde', 5)).toBe('abcde')
})

it('never lets a control character or half a character through', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_UNIT }), fc.integer({ min: 1, max: 20 }), (text, maxLength) => {
      const shown = printable(text, maxLength)
      expect(shown.length).toBeLessThanOrEqual(maxLength)
      expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
      expect(shown.isWellFormed()).toBe(true)
    }),
    { numRuns: 300 },
  )
})
