import { expect, it } from 'vitest'
import { CandidateUrl } from './candidate-url.ts'
import { publicNameFilter } from './public-name-filter.ts'

it.each([
  ['http://example.com/', true],
  ['http://a.xn--p1ai/', true],
  ['http://192.0.2.1/', true],
  ['http://localhost/', false],
  ['http://intranet:8080/', false],
  ['http://a.b.c/', false],
  ['http://a.12/', false],
  ['http://[2001:db8::1]/', false],
])('accepts %s: %s', (url, accepted) =>
  expect(publicNameFilter().judge(new CandidateUrl(url)) === undefined).toBe(accepted),
)
