import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hostileHref, hostileUrl, ordinaryUrl } from '../../../testing/url-arbitraries.ts'
import { createLinkResolver } from './link-resolver.ts'
import { createNormalizer, normalizeUrl } from './normalize-url.ts'

const BASE = 'http://u:p@H.example:8080/a//b/page.html?x=1#f'

it.each([
  ['', 'http://h.example:8080/a/b/page.html?x=1'],
  ['#top', 'http://h.example:8080/a/b/page.html?x=1'],
  ['?y=2', 'http://h.example:8080/a/b/page.html?y=2'],
  ['/', 'http://h.example:8080/'],
  ['/c?d#e', 'http://h.example:8080/c?d'],
  ['/c #e', 'http://h.example:8080/c%20'],
  ['c.html', 'http://h.example:8080/a/b/c.html'],
  ['./c', 'http://h.example:8080/a/b/c'],
  ['../c', 'http://h.example:8080/a/c'],
  ['../../../../../c', 'http://h.example:8080/c'],
  ['..', 'http://h.example:8080/a/'],
  ['//other.example/c', 'http://other.example/c'],
  ['/\\other.example/c', 'http://other.example/c'],
  ['/\t/other.example/c', 'http://other.example/c'],
  ['https://other.example/c', 'https://other.example/c'],
  ['http:c', 'http://h.example:8080/a/b/c'],
])('resolves %j to %j', (href, url) => {
  expect(createLinkResolver(BASE, normalizeUrl)(href)).toEqual({ ok: true, url })
})

/** RFC 3986, section 5.4, less the fragments. */
it.each([
  ['g:h', 'scheme'],
  ['g', 'http://a/b/c/g'],
  ['./g', 'http://a/b/c/g'],
  ['g/', 'http://a/b/c/g/'],
  ['/g', 'http://a/g'],
  ['//g', 'http://g/'],
  ['?y', 'http://a/b/c/d;p?y'],
  ['g?y', 'http://a/b/c/g?y'],
  ['#s', 'http://a/b/c/d;p?q'],
  ['g#s', 'http://a/b/c/g'],
  ['g?y#s', 'http://a/b/c/g?y'],
  [';x', 'http://a/b/c/;x'],
  ['g;x', 'http://a/b/c/g;x'],
  ['g;x?y#s', 'http://a/b/c/g;x?y'],
  ['', 'http://a/b/c/d;p?q'],
  ['.', 'http://a/b/c/'],
  ['./', 'http://a/b/c/'],
  ['..', 'http://a/b/'],
  ['../', 'http://a/b/'],
  ['../g', 'http://a/b/g'],
  ['../..', 'http://a/'],
  ['../../', 'http://a/'],
  ['../../g', 'http://a/g'],
  ['../../../../g', 'http://a/g'],
  ['/./g', 'http://a/g'],
  ['/../g', 'http://a/g'],
  ['g.', 'http://a/b/c/g.'],
  ['.g', 'http://a/b/c/.g'],
  ['g..', 'http://a/b/c/g..'],
  ['..g', 'http://a/b/c/..g'],
  ['./../g', 'http://a/b/g'],
  ['./g/.', 'http://a/b/c/g/'],
  ['g/./h', 'http://a/b/c/g/h'],
  ['g/../h', 'http://a/b/c/h'],
  ['g;x=1/./y', 'http://a/b/c/g;x=1/y'],
  ['g;x=1/../y', 'http://a/b/c/y'],
  ['g?y/./x', 'http://a/b/c/g?y/./x'],
  ['g?y/../x', 'http://a/b/c/g?y/../x'],
  ['g#s/../x', 'http://a/b/c/g'],
])('resolves %j as RFC 3986 does: %s', (href, expected) => {
  const result = createLinkResolver('http://a/b/c/d;p?q', normalizeUrl)(href)
  expect(result.ok ? result.url : result.reason).toBe(expected)
})

it.each(['javascript:void(0)', 'java\nscript:void(0)', 'mailto:a@b.example'])('refuses %j', (href) => {
  expect(createLinkResolver(BASE, normalizeUrl)(href)).toMatchObject({ ok: false, reason: 'scheme' })
})

it('resolves absolute links when the base is unusable', () => {
  for (const base of ['', 'http://[', 'about:blank', 'data:,x']) {
    const resolve = createLinkResolver(base, normalizeUrl)
    expect(resolve('http://H.example')).toEqual({ ok: true, url: 'http://h.example/' })
    expect(resolve('a').ok).toBe(false)
  }
})

it('equals the normaliser with a base, for every link, base and option', () => {
  const normalizers = [
    normalizeUrl,
    createNormalizer({ trailingSlash: 'remove', removeDefaultPage: true, sortQuery: true, maxLength: 30 }),
  ]
  const base = fc.oneof(ordinaryUrl, hostileUrl, fc.constant(BASE))
  fc.assert(
    fc.property(base, hostileHref, fc.constantFrom(...normalizers), (base, href, normalize) => {
      expect(createLinkResolver(base, normalize)(href)).toEqual(normalize(href, base))
    }),
    { numRuns: 6_000 },
  )
})

it('equals it on every page of a directory, whatever links the pages before had', () => {
  const pages = ['', 'a', 'b.html', 'c?x', 'd/', 'd/e'].map((page) => `http://h.example/dir/${page}`)
  fc.assert(
    fc.property(fc.array(hostileHref), (hrefs) => {
      // New, so that it has no memory of other runs.
      const normalize = createNormalizer()
      for (const base of [...pages, ...pages]) {
        const resolve = createLinkResolver(base, normalize)
        for (const href of hrefs) expect(resolve(href)).toEqual(normalize(href, base))
      }
    }),
    { numRuns: 500 },
  )
})

it('resolves a link that pages of a directory repeat once, until there are too many', () => {
  const seen: string[] = []
  const normalize = (url: string, base?: string) => {
    seen.push(url)
    return normalizeUrl(url, base)
  }
  const resolveOn = (page: string, href: string) =>
    createLinkResolver(`http://h.example/dir/${page}`, normalize)(href)
  for (const page of ['1', '2', '3', '4']) resolveOn(page, 'menu')
  expect(seen.filter((url) => url.endsWith('menu'))).toHaveLength(2)
  for (let i = 0; i < 20_001; i++) resolveOn('5', `link-${i}`)
  resolveOn('6', 'menu')
  expect(seen.filter((url) => url.endsWith('menu'))).toHaveLength(3)
})

it('equals it for long bases and long links too', () => {
  const long = 'a'.repeat(8_150)
  for (const base of [`http://h.example/${long}/`, 'http://h.example/b/']) {
    for (const href of [
      long,
      `../${long}`,
      `/${long}`,
      `#${long}`,
      '../'.repeat(9_000),
      '../'.repeat(30_000),
    ]) {
      expect(createLinkResolver(base, normalizeUrl)(href)).toEqual(normalizeUrl(href, base))
    }
  }
})
