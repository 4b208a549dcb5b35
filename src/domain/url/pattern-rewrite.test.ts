import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patternRewrite } from './pattern-rewrite.ts'

it.each([
  ['(?i)[&?]PRINT=1$', '', 'http://a.test/?x=1&print=1', 'http://a.test/?x=1'],
  ['/(\\d+)-(\\w+)', '/$2/$1', 'http://a.test/12-ab/3-c', 'http://a.test/ab/12/c/3'],
  ['\\?&', '\\?', 'http://a.test/?&a', 'http://a.test/?a'],
  ['a', '\\$1', 'http://x.test/a', 'http://x.test/$1'],
  ['(a)|(b)', '<$2>', 'ab', '<><b>'],
  ['(?<!:)/{2,}', '/', 'http://a.test//b///c', 'http://a.test/b/c'],
  ['(?<!:)/{2,}', '/', 'http:////a', 'http://a'],
])('replaces %s by %j', (pattern, replacement, url, expected) =>
  expect(patternRewrite({ pattern, replacement }, 'test')(url)).toBe(expected),
)

it('has the matches of JavaScript for a look-behind of one character', () => {
  const rewrite = patternRewrite({ pattern: '(?<!:)/{2,}', replacement: '/' }, 'test')
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('/', ':', 'a'), maxLength: 30 }), (text) => {
      expect(rewrite(text)).toBe(text.replace(/(?<!:)\/{2,}/g, '/'))
    }),
  )
})

describe('rejects', () => {
  it.each([
    ['(?=a)', '', /^rule 1: look-around/],
    ['(', '', /^rule 1: /],
    ['(a)', '$2', /^rule 1: \$2 is not a group/],
  ])('%s with %j', (pattern, replacement, message) =>
    expect(() => patternRewrite({ pattern, replacement }, 'rule 1')).toThrow(message),
  )
})
