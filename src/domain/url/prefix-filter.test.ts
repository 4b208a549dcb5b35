import { expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { CandidateUrl } from './candidate-url.ts'
import { prefixFilter } from './prefix-filter.ts'

const filter = prefixFilter(['http://a.test/docs/', 'http://a.test/', 'https://b.test/'])

it.each([
  ['http://a.test/x', true, 'prefix: http://a.test/'],
  ['http://a.test/docs/x', true, 'prefix: http://a.test/'],
  ['https://b.test/', true, 'prefix: https://b.test/'],
  ['https://b.test', false, 'prefix: none matches'],
  ['http://b.test/', false, 'prefix: none matches'],
])('judges %s: %s by %s', (url, accepted, rule) =>
  expect(filter.judge(new CandidateUrl(url))).toEqual({ accepted, rule }),
)

it('rejects all without prefixes', () =>
  expect(prefixFilter([]).judge(new CandidateUrl('http://a.test/')).accepted).toBe(false))

it('refuses an empty prefix', () => expect(() => prefixFilter([''])).toThrow(ConfigurationError))
