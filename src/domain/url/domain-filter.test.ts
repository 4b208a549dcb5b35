import { expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { CandidateUrl } from './candidate-url.ts'
import { allowDomains, denyDomains } from './domain-filter.ts'

function at(host: string): CandidateUrl {
  return new CandidateUrl(`http://${host}/`)
}

const LIST = [
  'example.com',
  'www.only.example',
  'co.uk',
  'BÜCHER.example',
  '192.0.2.1',
  '[::1]',
  '*.starred.example',
]

it.each([
  ['example.com', 'example.com'],
  ['a.b.example.com', 'example.com'],
  ['notexample.com', undefined],
  ['www.only.example', 'www.only.example'],
  ['only.example', undefined],
  ['shop.co.uk', 'co.uk'],
  ['uk', undefined],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['192.0.2.1', '192.0.2.1'],
  ['[::1]', '[::1]'],
  ['a.starred.example', 'starred.example'],
])('judges %s by %s', (host, entry) => {
  expect(allowDomains(LIST).judge(at(host))).toEqual(
    entry === undefined
      ? { accepted: false, rule: 'allowed domains: not listed' }
      : { accepted: true, rule: `allowed domains: ${entry}` },
  )
  expect(denyDomains(LIST).judge(at(host))).toEqual(
    entry === undefined ? undefined : { accepted: false, rule: `denied domains: ${entry}` },
  )
})

it('takes the end of an address for no domain', () => {
  expect(denyDomains(['2.1']).judge(at('192.0.2.1'))).toBeUndefined()
})

it('has no opinion without a list', () => {
  expect(allowDomains([]).judge(at('example.com'))).toBeUndefined()
  expect(denyDomains([]).judge(at('example.com'))).toBeUndefined()
})

it.each(['', 'http://example.com', 'example.com/a', 'example.com:80', 'a b', 'u@example.com'])(
  'refuses the entry %j',
  (entry) => {
    expect(() => allowDomains([entry])).toThrow(ConfigurationError)
    expect(() => denyDomains([entry])).toThrow('is not a host name')
  },
)
