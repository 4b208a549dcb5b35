import { expect, it } from 'vitest'
import { publicSuffix, topLevelDomain } from './public-suffix.ts'

it.each([
  ['www.example.co.uk', 'co.uk', 'uk'],
  ['example.org', 'org', 'org'],
  ['a.github.io', 'github.io', 'io'],
  ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
  ['[::1]', '[::1]', '[::1]'],
  ['localhost', 'localhost', 'localhost'],
  ['co.uk', 'co.uk', 'uk'],
])('finds the suffix and the top-level domain of %s', (host, suffix, tld) => {
  expect(publicSuffix(host)).toBe(suffix)
  expect(topLevelDomain(host)).toBe(tld)
})
