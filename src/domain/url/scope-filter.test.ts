import { expect, it } from 'vitest'
import { CandidateUrl } from './candidate-url.ts'
import { scopeFilter } from './scope-filter.ts'

const SEEDS = ['http://www.example.co.uk/start', 'http://127.0.0.1:81/', 'http://me.github.io/']

it.each([
  ['https://www.example.co.uk/a', true, true],
  ['http://shop.example.co.uk/', false, true],
  ['http://other.co.uk/', false, false],
  ['http://127.0.0.1:82/', true, true],
  ['http://127.0.0.2/', false, false],
  ['http://you.github.io/', false, false],
])('%s is on a seed host: %s, on a seed domain: %s', (url, onHost, onDomain) => {
  const candidate = new CandidateUrl(url)
  expect(scopeFilter('seed-hosts', SEEDS).judge(candidate)?.accepted).toBe(onHost)
  expect(scopeFilter('seed-domains', SEEDS).judge(candidate)?.accepted).toBe(onDomain)
  expect(scopeFilter('any', SEEDS).judge(candidate)).toBeUndefined()
})

it('names where the URL is', () => {
  const filter = scopeFilter('seed-domains', SEEDS)
  expect(filter.judge(new CandidateUrl('http://a.test/'))?.rule).toBe('scope: a.test is not a seed domain')
  expect(filter.judge(new CandidateUrl('http://x.example.co.uk/'))?.rule).toBe(
    'scope: seed domain example.co.uk',
  )
})
