import { describe, expect, it } from 'vitest'
import { normalizeUrl } from './normalize-url.ts'
import { hostRewrite, protocolRewrite, rewritingNormalizer, slashRewrite } from './url-rewrite.ts'

describe('hostRewrite', () => {
  const rewrite = hostRewrite([['*.example.com', 'example.com']], 'test')

  it.each([
    ['http://a.b.example.com/a.b.example.com/', 'http://example.com/a.b.example.com/'],
    ['http://a.example.com:8080/x?y', 'http://example.com:8080/x?y'],
    ['http://example.com/', 'http://example.com/'],
    ['http://other.test/', 'http://other.test/'],
  ])('rewrites %s to %s', (url, expected) => expect(rewrite(url)).toBe(expected))
})

describe('protocolRewrite', () => {
  const rewrite = protocolRewrite(
    [
      ['*.example.com', 'https'],
      ['plain.example.com', 'http'],
    ],
    'test',
  )

  it.each([
    ['http://example.com/x', 'https://example.com/x'],
    ['http://a.example.com/', 'https://a.example.com/'],
    ['https://plain.example.com/', 'http://plain.example.com/'],
    ['http://a.example.com:8080/', 'http://a.example.com:8080/'],
    ['http://other.test/', 'http://other.test/'],
  ])('rewrites %s to %s', (url, expected) => expect(rewrite(url)).toBe(expected))
})

describe('slashRewrite', () => {
  const rewrite = slashRewrite(
    [
      ['a.test', 'add'],
      ['r.test', 'remove'],
    ],
    'test',
  )

  // The examples of Nutch; unlike there, the port stays.
  it.each([
    ['http://a.test/', 'http://a.test/'],
    ['http://a.test/page', 'http://a.test/page/'],
    ['http://a.test:81/page?a=b/', 'http://a.test:81/page/?a=b/'],
    ['http://a.test/noise.mp3', 'http://a.test/noise.mp3'],
    ['http://a.test/page.shtml', 'http://a.test/page.shtml'],
    ['http://a.test/this.is.not.an_extension', 'http://a.test/this.is.not.an_extension/'],
    ['http://r.test/page/', 'http://r.test/page'],
    ['http://r.test/page/?a=b', 'http://r.test/page?a=b'],
    ['http://r.test/', 'http://r.test/'],
    ['http://other.test/page', 'http://other.test/page'],
  ])('rewrites %s to %s', (url, expected) => expect(rewrite(url)).toBe(expected))
})

describe('rewritingNormalizer', () => {
  it('normalizes what a rule returns, and applies the rules again', () => {
    const normalize = rewritingNormalizer(normalizeUrl, [
      (url) => url.replace('/a', '/b/../c'),
      (url) => url.replace('/c', '/d'),
    ])
    expect(normalize('/a', 'http://h.test/')).toEqual({ ok: true, url: 'http://h.test/d' })
  })

  it('rejects URLs for which a rule returns nothing', () => {
    const normalize = rewritingNormalizer(normalizeUrl, [() => undefined, (url) => url])
    expect(normalize('http://h.test/')).toMatchObject({ ok: false, reason: 'rewrite' })
  })

  it('rejects URLs that never settle', () => {
    const normalize = rewritingNormalizer(normalizeUrl, [(url) => `${url}a`])
    expect(normalize('http://h.test/')).toMatchObject({ ok: false, reason: 'rewrite' })
  })

  it('does not call rules for invalid URLs', () => {
    const normalize = rewritingNormalizer(normalizeUrl, [() => 'http://h.test/'])
    expect(normalize('mailto:a@b.test')).toMatchObject({ ok: false, reason: 'scheme' })
  })

  it('returns the normalizer itself if there are no rules', () =>
    expect(rewritingNormalizer(normalizeUrl, [])).toBe(normalizeUrl))
})
