import { describe, expect, it } from 'vitest'
import { Credentials } from './credentials.ts'

const credentials = new Credentials({
  'a.test': { basic: { user: 'bot', password: 'pässword' } },
  'b.test:8443': { bearer: 'token', headers: { 'x-api-key': 'k' } },
})
const sent = (url: string, own?: Record<string, string>) => credentials.withHeaders(new URL(url), own)

describe('withHeaders', () => {
  it.each([
    ['https://a.test/x', { authorization: `Basic ${Buffer.from('bot:pässword').toString('base64')}` }],
    ['http://a.test/', { authorization: `Basic ${Buffer.from('bot:pässword').toString('base64')}` }],
    ['https://b.test:8443/', { authorization: 'Bearer token', 'x-api-key': 'k' }],
    ['https://a.test:8080/', undefined],
    ['https://b.test/', undefined],
    ['https://sub.a.test/', undefined],
    ['https://a.test.evil.test/', undefined],
  ])('adds the credentials of %s', (url, headers) => expect(sent(url)).toEqual(headers))

  it('keeps the headers of the request', () =>
    expect(sent('https://b.test:8443/', { authorization: 'mine', accept: 'text/html' })).toEqual({
      authorization: 'mine',
      'x-api-key': 'k',
      accept: 'text/html',
    }))

  it.each([{ origin: 'https://evil.test' }, { 'sec-fetch-site': 'cross-site' }])(
    'adds nothing to a request of a page of another site: %j',
    (own) => expect(sent('https://a.test/', own)).toBe(own),
  )

  it('adds credentials to a request of a page of the same site', () =>
    expect(sent('https://a.test/', { origin: 'https://a.test' })).toHaveProperty('authorization'))
})

it('knows the headers that must not be stored', () =>
  expect([...credentials.secretNames]).toEqual(['authorization', 'proxy-authorization', 'x-api-key']))

it('rejects two kinds of authorization for a host', () =>
  expect(() => new Credentials({ 'a.test': { basic: { user: 'a', password: 'b' }, bearer: 'c' } })).toThrow(
    /a.test has basic and bearer/,
  ))
