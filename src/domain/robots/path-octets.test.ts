import fc from 'fast-check'
import { expect, it } from 'vitest'
import { comparablePath, comparablePattern, octetsOf } from './path-octets.ts'

/** Half a surrogate pair too. */
const anyUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code))

it.each([
  ['https://a.test', '/'],
  ['https://a.test?q=/x', '/?q=/x'],
  ['https://a.test#/x', '/'],
  ['https://a.test/#?x', '/'],
  ['https://a.test:8080/a/b?c=d#e', '/a/b?c=d'],
  ['http://user:pw@a.test/a', '/a'],
  ['/a?b#c', '/a?b'],
  ['/a?u=http://b.test/c', '/a?u=http://b.test/c'],
])('takes path and query of %s', (url, path) => {
  expect(comparablePath(url)).toBe(path)
})

it.each([
  ['octets outside ASCII are encoded', '/foo/bar/ツ', '/foo/bar/%E3%83%84'],
  ['hex digits are upper case', '/%e3%83%84', '/%E3%83%84'],
  ['unreserved characters are not encoded', '/foo/bar/%62%61%7A%2d%7e', '/foo/bar/baz-~'],
  ['reserved characters stay encoded', '/a%2fb%3F', '/a%2Fb%3F'],
  ['reserved characters stay as they are', "/a?b=[c]&d=(e);f,'g'+!@:", "/a?b=[c]&d=(e);f,'g'+!@:"],
  ['an escaped percent sign is not decoded twice', '/%2562', '/%2562'],
  ['a percent sign that escapes nothing stays', '/100%/%zz%4', '/100%/%zz%4'],
  ['other characters are encoded', '/a b"|^`{}', '/a%20b%22%7C%5E%60%7B%7D'],
])('spells a path in one way: %s', (_, path, comparable) => {
  expect(comparablePath(path)).toBe(comparable)
  expect(comparablePattern(octetsOf(path))).toBe(comparable)
})

it('encodes the special characters of rules in a URL', () => {
  expect(comparablePath('/a*b$')).toBe('/a%2Ab%24')
  expect(comparablePattern('/a*b%2A$c$')).toBe('/a*b%2A%24c$')
})

it('keeps octets that are not UTF-8', () => {
  expect(comparablePattern('/caf\xE9')).toBe('/caf%E9')
})

it('changes nothing the second time', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyUnit }), (text) => {
      const once = comparablePath(`/${text}`)
      expect(comparablePath(once)).toBe(once)
      expect(once).toMatch(/^[!-~]*$/)
    }),
  )
})
