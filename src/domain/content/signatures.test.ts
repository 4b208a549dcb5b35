import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { md5Signature, textProfileSignature } from './signatures.ts'

it.each([
  ['a token must be longer than two characters', 'ab ab abc abc', 'abc 2'],
  [
    'counts are rounded down to the quantum and rare tokens dropped',
    'the cat the cat the dog',
    'cat 2\nthe 2',
  ],
  ['without repetition every token counts once', 'Zebra, apple; mango!', 'apple 1\nmango 1\nzebra 1'],
  ['the commonest come first', `${'one '.repeat(4)}${'two '.repeat(6)}`, 'two 6\none 4'],
  [
    'the quantum is a hundredth of the highest count',
    `${'big '.repeat(350)}${'mid '.repeat(11)}few few few`,
    'big 348\nmid 8',
  ],
  ['letters and digits of every script are in tokens', 'Straße x2y Ελλάδα', 'straße 1\nx2y 1\nελλάδα 1'],
  ['characters outside the basic plane break tokens', 'abc😀def𝐀', 'abc 1\ndef 1'],
])('%s', (_, text, profile) => {
  expect(textProfileSignature(text)).toBe(hash('md5', profile))
})

it('has nothing to say about a text without words', () => {
  expect(textProfileSignature('')).toBeUndefined()
  expect(textProfileSignature(' a, b – c')).toBeUndefined()
})

it('does not change with order, case or punctuation', () => {
  const words = fc.array(fc.constantFrom('alpha', 'beta', 'gamma', 'delta'), { minLength: 1 })
  fc.assert(
    fc.property(words, (list) => {
      const other = list.toReversed().join('; ').toUpperCase()
      expect(textProfileSignature(other)).toBe(textProfileSignature(list.join(' ')))
    }),
  )
})

it('is the MD5 of the content', () => {
  expect(md5Signature(Buffer.from('abc'), 'http://a.test/')).toBe('900150983cd24fb0d6963f7d28e17f72')
})

it('is the MD5 of the URL for empty content', () => {
  expect(md5Signature(new Uint8Array(), 'abc')).toBe('900150983cd24fb0d6963f7d28e17f72')
})
