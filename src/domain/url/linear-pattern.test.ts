import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileLinear, linearMatcher } from './linear-pattern.ts'

describe('comes back from patterns made to hang: it', () => {
  it.each([
    '(a+)+$',
    '/(a|a)*$',
    '(a|aa)+$',
    '([a-z]+)*\\d',
    '(.*a){12}$',
    '(a?){30}a{30}$',
    'a?a?a?a?a?a?a?a?a?a?a?a?b',
  ])('responses %s', (source) =>
    expect(compileLinear(source, 'here').test(`http://h.example/${'a'.repeat(8_000)}!`)).toBe(false),
  )
  it.each([
    '(a+)+$',
    '(a|b)(a|b)',
    'a?a?a?a?',
    'a*',
    'a{2}',
    '((a))',
    '[[:alpha:]]',
    '\\d',
    '(?s).',
    'é',
    '^?a',
  ])('gives %s to the linear engine', (source) =>
    expect(compileLinear(source, 'here')).toBeInstanceOf(linearMatcher()),
  )
})

it.each(['/login', '^https?://h\\.example/', '(?i)\\.(?:gif|jpe?g)$', '[?&](sort|dir)=', '[^/]a', '.'])(
  'gives %s, which cannot hang, to the fast engine',
  (source) => expect(compileLinear(source, 'here')).not.toBeInstanceOf(linearMatcher()),
)

it('means the same in both engines', () => {
  const literal = fc.constantFrom('a', 'B', '/', ':', '=', '-', '\\.', '\\?', '\\$', '\\[', '\\]', '%', '_')
  const set = fc.constantFrom('[ab]', '[^/]', '[a-c]', '[A-b]', '[?&]', '[^a.]', '[*+$]', '[-a]', '[a-]')
  const piece = fc
    .tuple(fc.oneof(literal, set), fc.constantFrom('', '', '', '?'))
    .map((parts) => parts.join(''))
  const pieces = fc.array(fc.oneof({ weight: 5, arbitrary: piece }, fc.constantFrom('.', '^', '$')), {
    maxLength: 4,
  })
  const sequence = pieces.map((parts) => parts.join(''))
  const pattern = fc
    .tuple(fc.constantFrom('', '(?i)'), sequence, fc.array(sequence, { maxLength: 3 }), sequence)
    .map(
      ([flag, before, choices, after]) =>
        flag + before + (choices.length > 0 ? `(?:${choices.join('|')})` : '') + after,
    )
  const text = fc
    .array(fc.constantFrom(...'aAbBcC/:=-.?$[]%_*+&'), { maxLength: 12 })
    .map((letters) => letters.join(''))

  let native = 0
  fc.assert(
    fc.property(pattern, text, (source, text) => {
      const compiled = compileLinear(source, 'here')
      if (!(compiled instanceof linearMatcher())) native++
      expect(compiled.test(text)).toBe(linearMatcher().compile(source).test(text))
    }),
    { numRuns: 3_000 },
  )
  expect(native).toBeGreaterThan(1_000)
})
