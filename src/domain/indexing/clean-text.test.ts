import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cleanText } from './clean-text.ts'

it.each([
  ['plain, ünïcode, 中文 and \u{1f578}', 'plain, ünïcode, 中文 and \u{1f578}'],
  ['a\tb\nc\r\nd', 'a\tb\nc\r\nd'],
  ['one\ftwo\u0000three\u0085four', 'one two three four'],
  ['lone \ud800 and \udc00 halves', 'lone  and  halves'],
  ['\ufffe\uffff\ufdd0\u{1ffff}x\u{10fffe}', 'x'],
])('makes %j clean', (text, clean) => {
  expect(cleanText(text)).toBe(clean)
})

it('leaves text that is well formed, and the same when it is cleaned again', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '\ud800', '\uffff', '\u0000'),
      (text, bad) => {
        const clean = cleanText(text + bad + text)
        expect(clean.isWellFormed()).toBe(true)
        expect(cleanText(clean)).toBe(clean)
      },
    ),
    { numRuns: 50 },
  )
})
