import fc from 'fast-check'
import { expect, it } from 'vitest'
import { comparablePath } from './path-octets.ts'
import { PathPattern } from './path-pattern.ts'

const matches = (pattern: string, path: string) => new PathPattern(pattern).matches(comparablePath(path))

it.each([
  ['/', '/anything', true],
  ['/fish', '/fish', true],
  ['/fish', '/fish.html', true],
  ['/fish', '/fishheads/yummy.html', true],
  ['/fish', '/Fish', false],
  ['/fish', '/catfish', false],
  ['/fish*', '/fish?id=1', true],
  ['/fish/', '/fish', false],
  ['/*.php', '/folder/any.php.file/', true],
  ['/*.php', '/', false],
  ['/*.php', '/windows.PHP', false],
  ['/*.php$', '/folder/file.php', true],
  ['/*.php$', '/file.php?x=1', false],
  ['/*.php$', '/file.php5', false],
  ['/*.php$', '/a.php.php', true],
  ['/fish*.php', '/fishheads/catfish.php?x', true],
  ['*.gif$', '/a.gif', true],
  ['/a$', '/a', true],
  ['/a$', '/a/', false],
  ['/a*$', '/a/b', true],
  ['/a*b$', '/ab', true],
  ['/a*ab$', '/ab', false],
  ['/a*b*b$', '/ab', false],
  ['/*ab*b$', '/xab', false],
  ['/*ab*b$', '/xabb', true],
  ['/$a', '/$a', true],
  ['/a$b', '/a', false],
  ['/%2A', '/*', true],
  ['/%24', '/$', true],
  ['/*', '/', true],
  ['**', '/', true],
])('tells whether %s matches %s: %s', (pattern, path, expected) => {
  expect(matches(pattern, path)).toBe(expected)
})

it('counts octets, including stars and the dollar', () => {
  expect(new PathPattern('/a*$').octets).toBe(4)
  expect(new PathPattern('/\xC3\xA9').octets).toBe('/%C3%A9'.length)
})

it('agrees with a naive implementation', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'a', 'b', 'b', '/', '%', '6'), maxLength: 14 })
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '*', '/', '%', '6'), maxLength: 10 })
  fc.assert(
    fc.property(pattern, fc.boolean(), text, (body, anchored, path) => {
      const written = `/${body}${anchored ? '$' : ''}`
      const expected = globMatches(
        comparablePath(`/${body}`).replaceAll('%2A', '*'),
        anchored,
        comparablePath(`/${path}`),
      )
      expect(matches(written, `/${path}`)).toBe(expected)
    }),
    { numRuns: 2_000 },
  )
})

it.each([
  ['only stars', '*'.repeat(10_000)],
  ['stars between letters', '/*a'.repeat(10_000)],
  ['stars, and no end', `${'a*'.repeat(10_000)}b`],
  ['stars, and an end that is not there', `/${'*a'.repeat(10_000)}b$`],
  ['a long self-similar piece', `/*${'a'.repeat(20_000)}b${'a'.repeat(20_000)}`],
])('is fast with 10,000 %s', (_, pattern) => {
  const compiled = new PathPattern(`/${pattern}`)
  const path = `/${'a'.repeat(100_000)}`
  for (let i = 0; i < 20; i++) compiled.matches(path)
  expect(compiled.matches(path)).toBe(pattern.startsWith('**'))
})

/** The naive implementation: which prefixes of `path` each prefix of `pattern` matches. */
function globMatches(pattern: string, anchored: boolean, path: string): boolean {
  let reachable = new Set([0])
  for (const symbol of pattern) {
    const next = new Set<number>()
    for (const at of reachable) {
      if (symbol === '*') for (let end = at; end <= path.length; end++) next.add(end)
      else if (path[at] === symbol) next.add(at + 1)
    }
    reachable = next
  }
  return anchored ? reachable.has(path.length) : reachable.size > 0
}
