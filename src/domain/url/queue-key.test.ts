import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileUrl } from '../../../testing/url-arbitraries.ts'
import { CandidateUrl } from './candidate-url.ts'
import { hostOf } from './host-of.ts'
import { normalizeUrl } from './normalize-url.ts'
import { queueKey } from './queue-key.ts'
import { registeredDomain } from './registered-domain.ts'

it.each([
  ['http://www.example.com/a:b@c', 'www.example.com'],
  ['https://example.com:8443/', 'example.com'],
  ['http://127.0.0.1:81/', '127.0.0.1'],
  ['http://[::1]/', '[::1]'],
  ['http://[::1]:81/', '[::1]'],
])('finds the host of %s: %s', (url, host) => expect(hostOf(url)).toBe(host))

it.each([
  ['www.example.com', 'example.com'],
  ['a.b.example.co.uk', 'example.co.uk'],
  ['a.b.github.io', 'b.github.io'],
  ['github.io', 'github.io'],
  ['co.uk', 'co.uk'],
  ['com', 'com'],
  ['localhost', 'localhost'],
  ['a.localhost', 'a.localhost'],
  ['127.0.0.1', '127.0.0.1'],
  ['[::1]', '[::1]'],
  ['xn--bcher-kva.example.xn--p1ai', 'example.xn--p1ai'],
])('finds the registered domain of %s: %s', (host, domain) => expect(registeredDomain(host)).toBe(domain))

it('finds the same registered domain after more hosts than it remembers', () => {
  for (let i = 0; i < 25_000; i++) registeredDomain(`h${i}.example.com`)
  expect(registeredDomain('h1.example.com')).toBe('example.com')
})

describe('puts a URL in a queue: it', () => {
  it('leaves scheme and port out', () => {
    expect(queueKey('http://www.example.com/', 'host')).toBe('www.example.com')
    expect(queueKey('https://www.example.com:8443/', 'host')).toBe('www.example.com')
  })
  it('goes by registered domain', () =>
    expect(queueKey('http://www.example.com/', 'domain')).toBe('example.com'))
  it('goes by address once there is one', () => {
    expect(queueKey('http://www.example.com/', 'ip', '192.0.2.1')).toBe('192.0.2.1')
    expect(queueKey('http://www.example.com/', 'ip')).toBe('www.example.com')
  })
})

it('cuts every normalised URL as the URL standard does', () => {
  fc.assert(
    fc.property(hostileUrl, (url) => {
      const normal = normalizeUrl(url)
      if (!normal.ok) return
      const expected = new URL(normal.url)
      const candidate = new CandidateUrl(normal.url)
      expect(candidate.host).toBe(expected.hostname)
      expect(candidate.path).toBe(expected.pathname)
      expect(candidate.query).toBe(expected.search.slice(1))
    }),
    { numRuns: 1_500 },
  )
})
