import { expect, it } from 'vitest'
import { escapeCharacters } from './ascii-chunks.ts'

it.each([`'a…b 😀'`, '`…\u2028`', `/^[à-ÿ😀]+$/u.exec('é😀')[0]`])('keeps the value of %s', (code) => {
  const escaped = escapeCharacters(code)
  expect(escaped).toMatch(/^[\0-\x7f]+$/)
  // biome-ignore lint/security/noGlobalEval: the literals above
  expect(eval(escaped)).toBe(eval(code))
})

it('rejects a character after a backslash, whose escape would be another string', () => {
  expect(() => escapeCharacters(`'\\é'`)).toThrow('a backslash before')
})
