import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeUrl } from '../url/normalize-url.ts'
import { parseSitemap, type SitemapOptions } from './parse-sitemap.ts'

const OPTIONS: SitemapOptions = { url: 'http://a.test/maps/sitemap.xml', normalize: normalizeUrl }
const parse = (text: string, options: Partial<SitemapOptions> = {}) =>
  parseSitemap(Buffer.from(text), { ...OPTIONS, ...options })
const urls = (text: string, options: Partial<SitemapOptions> = {}) =>
  parse(text, options).pages.map(({ url }) => url)

const URLSET = `\ufeff<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
  <url>
    <loc> http://a.test/1?a=1&amp;b=2 </loc><lastmod>2026-11-15</lastmod><changefreq>Daily</changefreq><priority>0.8</priority>
    <xhtml:link rel="alternate" hreflang="de" href="http://a.test/de/1"/>
    <image:image><image:loc>http://a.test/no.png</image:loc></image:image>
  </url>
  <url><image:image><image:title>x</image:title><image:loc>/no</image:loc></image:image><loc><![CDATA[http://b.test/2]]></loc><lastmod>9999-12-31</lastmod><priority>7</priority></url>
  <url><loc>/3</loc><lastmod>never</lastmod></url>
  <url><loc>mailto:x@a.test</loc></url>
  <url><lastmod>2026</lastmod></url>
</urlset>`

describe('a urlset', () => {
  it('gives its pages', () => {
    expect(parse(URLSET)).toEqual({
      format: 'urlset',
      pages: [
        {
          url: 'http://a.test/1?a=1&b=2',
          crossHost: false,
          lastModified: Date.UTC(2026, 10, 15),
          changeFrequency: 'daily',
          priority: 0.8,
          alternates: [{ language: 'de', url: 'http://a.test/de/1' }],
        },
        { url: 'http://b.test/2', crossHost: true },
        { url: 'http://a.test/3', crossHost: false },
      ],
      sitemaps: [],
      rejected: { scheme: 1 },
    })
  })

  it('gives the same however the bytes are cut', () => {
    // The first kilobyte is decoded in one piece.
    const padded = URLSET.replace('?>', `?><!--${'x'.repeat(1_024)}-->`)
    const whole = parse(padded)
    expect(whole).toEqual(parse(URLSET))
    const bytes = Buffer.from(padded)
    fc.assert(
      fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 8 }), (cuts) => {
        const points = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const chunks = points.slice(1).map((end, i) => bytes.subarray(points[i], end))
        expect(parseSitemap(chunks, OPTIONS)).toEqual(whole)
      }),
      { numRuns: 50 },
    )
    expect(
      parseSitemap(
        [...bytes].map((byte) => Uint8Array.of(byte)),
        OPTIONS,
      ),
    ).toEqual(whole)
  })

  it.each([
    '<ns:urlset xmlns:ns="wrong"><ns:url><ns:loc>/1</ns:loc></ns:url></ns:urlset>',
    '<URLSET><URL><LOC>/1</LOC></URL>',
  ])('does not mind the namespace: %s', (xml) => {
    expect(urls(xml)).toEqual(['http://a.test/1'])
  })

  it('gives what a cut file has', () => {
    expect(urls('<urlset><url><loc>/1</loc></url><url><loc>/2</loc><lastm')).toEqual([
      'http://a.test/1',
      'http://a.test/2',
    ])
    expect(urls('<urlset><url><loc>/1</loc></url><url><loc>/half-a-na')).toEqual(['http://a.test/1'])
  })

  it('survives tags that are not closed', () => {
    expect(urls('<urlset><url><loc>/1</loc><lastmod>2026<url><loc>/2</loc></url>')).toEqual([
      'http://a.test/1',
      'http://a.test/2',
    ])
  })
})

describe('a file with mistakes', () => {
  it.each([
    [
      'the URL as the text of an entry',
      '<sitemapindex><sitemap> http://a.test/1.xml </sitemap><sitemap>http://a.test/2.xml<lastmod>2026</lastmod></sitemap></sitemapindex>',
      ['http://a.test/1.xml', 'http://a.test/2.xml'],
    ],
    ['the same in a urlset', '<urlset><url>http://a.test/1</url></urlset>', ['http://a.test/1']],
    [
      'several URLs in one entry',
      '<urlset><url><loc>http://a.test/1</loc><loc>http://a.test/2</loc></url><url><loc>/3</loc></url></urlset>',
      ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'],
    ],
    [
      'elements within a loc',
      '<urlset><url><loc><url>http://a.test/1</url></loc><priority>1</priority></url><url><loc><loc>/2</loc></loc></url><url><loc>/3</loc></url></urlset>',
      ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'],
    ],
    [
      'a loc that is not closed',
      '<urlset><url><loc>/1<url><loc>/2</url><url><loc>/3<lastmod>2026</lastmod></url></urlset>',
      ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'],
    ],
    [
      'an empty loc',
      '<urlset><url><loc/></url><url><loc></loc></url><url><loc>/1</loc></url>',
      ['http://a.test/1'],
    ],
  ])('is read: %s', (_, xml, expected) => {
    const { pages, sitemaps, rejected } = parse(xml)
    expect([...pages, ...sitemaps].map(({ url }) => url)).toEqual(expected)
    expect(rejected).toEqual({})
  })

  it.each(['</', '</l', '</loc', '</loc>', '</loc><', '</loc></ur'])(
    'gives the last entry when it is cut after %j',
    (end) => {
      expect(urls(`<urlset><url><loc>/1</loc></url><url><loc>/2${end}`)).toEqual([
        'http://a.test/1',
        'http://a.test/2',
      ])
    },
  )

  it.each(['&test;', 'www.x.org/a', 'a.html', '#top', '?page=2', 'see below'])(
    'counts a loc without a scheme instead of resolving it: %s',
    (loc) => {
      const xml = `<urlset><url><loc>${loc}</loc><link hreflang="de" href="${loc}"/></url><url><loc>/1</loc><link hreflang="de" href="${loc}"/></url>`
      expect(parse(xml)).toEqual({
        format: 'urlset',
        pages: [{ url: 'http://a.test/1', crossHost: false }],
        sitemaps: [],
        rejected: { 'not-absolute': 1 },
      })
    },
  )

  it('gives each of several URLs in one entry the facts that follow it', () => {
    const xml =
      '<urlset><url><loc>/1</loc><lastmod>2026-11-15</lastmod><loc>/2</loc><loc>/3</loc><priority>0.5</priority></url></urlset>'
    expect(parse(xml).pages).toEqual([
      { url: 'http://a.test/1', crossHost: false, lastModified: Date.UTC(2026, 10, 15) },
      { url: 'http://a.test/2', crossHost: false },
      { url: 'http://a.test/3', crossHost: false, priority: 0.5 },
    ])
  })

  it('ignores spaces around a URL, also those of Unicode', () => {
    const xml = '<urlset><url><loc>\n<![CDATA[\u00a0http://a.test/1 ]]> \u2000</loc></url></urlset>'
    expect(urls(xml)).toEqual(['http://a.test/1'])
  })

  it('resolves relative links of a feed, which may have them', () => {
    expect(urls('<rss><item><link>a.html</link></item></rss>')).toEqual(['http://a.test/maps/a.html'])
  })
})

describe('hostile files', () => {
  it('expands nothing', () => {
    const bomb = `<!DOCTYPE u [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>
      <urlset><url><loc>http://a.test/&b;&x;</loc></url></urlset>`
    expect(urls(bomb)).toEqual(['http://a.test/&b;&x;'])
  })

  it('keeps maxEntries entries and counts the others', () => {
    const many = `<urlset>${'<url><loc>/1</loc></url>'.repeat(5)}`
    expect(parse(many, { maxEntries: 3 })).toMatchObject({
      pages: { length: 3 },
      rejected: { 'over-limit': 2 },
      truncated: 'entries',
    })
    expect(parse(many, { maxEntries: 5 })).not.toHaveProperty('truncated')
  })

  it('stops at maxBytes and says so', () => {
    const text = 'http://a.test/1\nhttp://a.test/2\nhttp://a.test/3\n'
    expect(parse(text, { maxBytes: 32 })).toMatchObject({ pages: { length: 2 }, truncated: 'bytes' })
    expect(parse(text, { maxBytes: 30 }).pages, 'half a URL is none').toHaveLength(1)
    expect(parse(text.trimEnd(), { truncated: true }).pages).toHaveLength(2)
    expect(parse(text, { maxBytes: text.length })).not.toHaveProperty('truncated')
  })

  it('opens gzip, and gzip in gzip, and no more', () => {
    const once = gzipSync(URLSET)
    expect(parseSitemap(once, OPTIONS)).toEqual(parse(URLSET))
    expect(parseSitemap(gzipSync(once), OPTIONS)).toEqual(parse(URLSET))
    expect(parseSitemap(gzipSync(gzipSync(once)), OPTIONS).pages).toEqual([])
  })

  it('reads the start of a gzip bomb and of a cut gzip', () => {
    const bomb = gzipSync(`<urlset><url><loc>/1</loc></url>${' '.repeat(5_000_000)}`)
    expect(parseSitemap(bomb, { ...OPTIONS, maxBytes: 100_000 })).toMatchObject({
      pages: { length: 1 },
      truncated: 'gzip',
    })
    const cut = gzipSync(URLSET).subarray(0, -20)
    expect(parseSitemap(cut, OPTIONS)).toMatchObject({ format: 'urlset', truncated: 'gzip' })
  })

  it('counts links that are too long', () => {
    expect(parse(`<urlset><url><loc>/${'x'.repeat(100_000)}</loc></url>`).rejected).toEqual({ 'too-long': 1 })
  })

  it('finds nothing in an error page', () => {
    expect(parse('<!doctype html><a href="/1">')).toEqual({
      format: 'unknown',
      pages: [],
      sitemaps: [],
      rejected: {},
    })
    expect(parse('Not found')).toMatchObject({ format: 'unknown' })
    expect(parse(' \n')).toMatchObject({ format: 'unknown' })
    expect(parse('')).toMatchObject({ format: 'unknown' })
  })

  it('never throws', () => {
    const unit = fc.constantFrom(
      '<urlset>',
      '<url>',
      '</url>',
      '<loc>',
      '</loc>',
      '/1',
      '<sitemap>',
      '<rss>',
      '<item>',
      '<link>',
      '\n',
      'http://a',
    )
    fc.assert(fc.property(fc.string({ unit }), (text) => void parse(text)))
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseSitemap(bytes, OPTIONS)))
  })
})

it('lists the sitemaps of an index', () => {
  const index = parse(
    '<sitemapindex><sitemap><loc>http://a.test/2.xml.gz</loc><lastmod>2026-11-15</lastmod></sitemap></sitemapindex>',
  )
  expect(index).toMatchObject({
    format: 'index',
    pages: [],
    sitemaps: [{ url: 'http://a.test/2.xml.gz', crossHost: false, lastModified: Date.UTC(2026, 10, 15) }],
  })
})

it('reads a list of URLs, whatever ends its lines', () => {
  const list = parse('http://a.test/1\r\nhttp://a.test/2\r# note\n\nHTTP://b.test/3')
  expect(list.format).toBe('text')
  expect(list.pages.map(({ url }) => url)).toEqual(['http://a.test/1', 'http://a.test/2', 'http://b.test/3'])
})

it('takes a feed as a sitemap', () => {
  const rss = parse(
    '<rss><channel><link>/</link><item><link>/1</link><pubDate>15 Nov 2026</pubDate></item></channel></rss>',
  )
  expect(rss).toMatchObject({
    format: 'feed',
    pages: [{ url: 'http://a.test/1', lastModified: Date.UTC(2026, 10, 15) }],
  })
})
