import { describe, expect, it } from 'vitest'
import { createNormalizer, normalizeUrl } from '../../src/domain/url/normalize-url.ts'

describe('50: strange URLs get one stable form, or a reason', () => {
  it.each([
    [
      'credentials are dropped, and do not choose the host',
      'http://good.test@evil.test/',
      'http://evil.test/',
    ],
    ['a password never gets into a record', 'http://user:secret@a.test/', 'http://a.test/'],
    ['backslashes are slashes', 'http:\\\\a.test\\b\\..\\c', 'http://a.test/c'],
    ['tabs and line ends are not there', 'ht\ttp://a.te\nst/pa\rth', 'http://a.test/path'],
    ['%00 stays what it is', 'http://a.test/%00', 'http://a.test/%00'],
    ['what is encoded twice is decoded not even once', 'http://a.test/%2541', 'http://a.test/%2541'],
    ['a homograph shows its true letters', 'http://\u0430pple.test/', 'http://xn--pple-43d.test/'],
    ['an emoji is a name like any other', 'http://\u{1f4a9}.test/', 'http://xn--ls8h.test/'],
  ])('%s', (_, url, normal) => {
    expect(normalizeUrl(url)).toEqual({ ok: true, url: normal })
    expect(normalizeUrl(normal)).toEqual({ ok: true, url: normal })
  })

  it('invalid percent signs keep one form', () => {
    const once = normalizeUrl('http://a.test/%zz%4')
    if (!once.ok) throw new Error(once.detail)
    expect(normalizeUrl(once.url)).toEqual(once)
  })

  it.each([
    ['a URL of 1 MB', `http://a.test/${'x'.repeat(1_048_576)}`, 'too-long'],
    ['100,000 parameters', `http://a.test/?${'a=1&'.repeat(100_000)}`, 'too-long'],
    ['an IPv6 zone', 'http://[fe80::1%25eth0]/', 'unparsable'],
    ['a host with an empty label', 'http://a..test/', 'host'],
    ['nothing', ' \n', 'empty'],
  ])('%s is rejected with a reason', (_, url, reason) => {
    expect(normalizeUrl(url)).toMatchObject({ ok: false, reason })
  })
})

it.each([
  'file:///etc/passwd',
  'data:text/html,x',
  'javascript:alert(1)',
  'blob:http://a.test/1',
  'gopher://a.test/',
  'ftp://a.test/',
  'mailto:a@b.test',
  'tel:1',
  'ws://a.test/',
  'about:blank',
  'view-source:http://a.test/',
])('51: does not take %s for a page', (url) => {
  expect(normalizeUrl(url, 'http://a.test/')).toMatchObject({ ok: false, reason: 'scheme' })
})

describe('54: parts that do not identify a page are removed from its URL', () => {
  it.each([
    ['http://a.test/page;jsessionid=0123456789ABCDEF0123456789ABCDEF', 'http://a.test/page'],
    ['http://a.test/page?PHPSESSID=0123456789abcdef0123456789abcdef&b=1', 'http://a.test/page?b=1'],
    ['http://a.test/page#sid=1', 'http://a.test/page'],
  ])('session ids: %s', (url, normal) => {
    expect(normalizeUrl(url)).toEqual({ ok: true, url: normal })
  })

  it('by option: the order of parameters, and tracking parameters', () => {
    const normalize = createNormalizer({ sortQuery: true, removeTrackingParameters: true })
    const twins = ['?b=2&a=1&utm_source=x', '?a=1&b=2', '?a=1&fbclid=y&b=2'].map((q) =>
      normalize(`http://a.test/${q}`),
    )
    expect(twins).toEqual(Array(3).fill({ ok: true, url: 'http://a.test/?a=1&b=2' }))
  })

  it('not the case of a path: /A and /a may be two pages', () => {
    expect(normalizeUrl('http://A.TEST/A')).toEqual({ ok: true, url: 'http://a.test/A' })
  })
})
