import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HeaderList } from '../fetch/headers.ts'
import { normalizeUrl } from '../url/normalize-url.ts'
import type { PageInput, ReadOptions } from './page-reading.ts'
import { readPage } from './read-page.ts'

const URL = 'http://a.test/dir/page'
const OPTIONS: ReadOptions = { agent: 'orbweaver', normalize: normalizeUrl }

function read(
  body: string | Uint8Array,
  type?: string,
  more: HeaderList = [],
  input: Partial<PageInput> = {},
) {
  const headers: HeaderList = type === undefined ? more : [['content-type', type], ...more]
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return readPage({ url: URL, headers, bytes, ...input }, OPTIONS)
}

const urls = (page: ReturnType<typeof readPage>) => page.links.map(({ url }) => url)

describe('HTML', () => {
  const HTML = `<!DOCTYPE html><html lang="en-GB"><head><title>A title</title>
    <meta name="description" content=" What it
      is about "><meta name="robots" content="noarchive"><meta http-equiv="refresh" content="5; url=later">
    <link rel="canonical" href="http://b.test/canon"><link rel="alternate" hreflang="de" href="/de">
    <link rel="alternate" type="application/rss+xml" title="News" href="/feed"><base href="/base/"></head>
    <body><p>Some text</p><a href="one">First</a><a href="one#x">again</a><a href="mailto:x@a.test">mail</a></body></html>`

  it('is read whole', () => {
    const page = read(HTML, 'text/html; charset=utf-8', [['x-robots-tag', 'noindex']])
    expect(page).toMatchObject({
      url: URL,
      status: 'parsed',
      type: 'text/html',
      kind: 'html',
      declaredType: 'text/html',
      charset: 'utf-8',
      charsetSource: 'header',
      title: 'A title',
      description: 'What it is about',
      language: 'en',
      rejectedLinks: { scheme: 1 },
      refresh: { seconds: 5, url: 'http://a.test/base/later' },
      canonical: { url: 'http://b.test/canon', crossHost: true },
      alternates: [{ language: 'de', url: 'http://a.test/de' }],
      feeds: [{ url: 'http://a.test/feed', title: 'News', format: 'rss' }],
      directives: { noindex: true, noarchive: true, nofollow: false },
      followable: true,
      truncated: false,
    })
    expect(page.text).toContain('Some text')
    expect(page.links).toContainEqual({ url: 'http://a.test/base/one', anchor: 'First', rel: [], kind: 'a' })
    expect(urls(page).filter((url) => url.endsWith('/one'))).toHaveLength(1)
  })

  it('keeps links and text of a page that says none, and says that they are not to be followed', () => {
    const page = read('<meta name=robots content=none><p>hidden<a href=/x>y</a>', 'text/html')
    expect(page.followable).toBe(false)
    expect(page.directives.noindex).toBe(true)
    expect(page.text).toContain('hidden')
    expect(urls(page)).toEqual(['http://a.test/x'])
  })

  it('hears a robots meta in the body, and one for us alone', () => {
    const body =
      '<body><meta name="OrbWeaver" content="NOFOLLOW"><meta name="other" content="noindex"><a href=/x>y</a>'
    expect(read(body, 'text/html').directives).toMatchObject({ nofollow: true, noindex: false })
  })

  it('takes a canonical for a hint, its host flagged', () => {
    expect(read('<link rel=canonical href=/c>', 'text/html').canonical).toEqual({
      url: 'http://a.test/c',
      crossHost: false,
    })
    expect(read('<link rel=canonical href=javascript:x>', 'text/html')).not.toHaveProperty('canonical')
  })

  it('resolves against the page when the base is broken', () => {
    expect(urls(read('<base href="http://["><a href=x>y</a>', 'text/html'))).toEqual(['http://a.test/dir/x'])
    expect(urls(read('<base href="javascript:1"><a href=x>y</a>', 'text/html'))).toEqual([
      'http://a.test/dir/x',
    ])
  })

  it('takes the language from the first place that has one', () => {
    const header: HeaderList = [['content-language', 'fr, en']]
    expect(
      read('<html lang="de"><meta http-equiv=content-language content=it>', 'text/html', header).language,
    ).toBe('de')
    expect(
      read('<html lang=""><meta http-equiv=content-language content=it>', 'text/html', header).language,
    ).toBe('it')
    expect(read('<p>', 'text/html', header).language).toBe('fr')
    expect(read('<p>', 'text/html')).not.toHaveProperty('language')
  })

  it('reads a refresh without a URL as one to the page itself', () => {
    expect(read('<meta http-equiv=refresh content=9>', 'text/html').refresh).toEqual({ seconds: 9, url: URL })
  })
})

describe('empty responses', () => {
  it.each(['', ' \n\t', '\ufeff'])('%j is a page without links', (body) => {
    expect(read(body, 'text/html')).toMatchObject({
      status: 'parsed',
      title: '',
      text: '',
      links: [],
      signatures: {},
    })
  })

  it('have a signature of their own', () => {
    const here = read('').signatures
    const there = read('', undefined, [], { url: 'http://a.test/other' }).signatures
    expect(here.md5).not.toBe(there.md5)
    expect(here.textProfile).toBe(here.md5)
    expect(here).not.toHaveProperty('simHash')
  })
})

describe('other formats', () => {
  it('finds links in plain text', () => {
    const page = read('See http://b.test/x.', 'text/plain')
    expect(page).toMatchObject({ kind: 'text', title: '', text: 'See http://b.test/x.' })
    expect(page.links).toEqual([{ url: 'http://b.test/x', anchor: '', rel: [], kind: 'text' }])
  })

  it('reads feeds', () => {
    const page = read(
      '<rss><channel><title>T</title><language>de-AT</language><item><title>One</title><link>/1</link></item></channel></rss>',
      'text/xml',
    )
    expect(page).toMatchObject({
      kind: 'feed',
      type: 'application/rss+xml',
      title: 'T',
      text: 'T\nOne',
      language: 'de',
    })
    expect(page.links).toEqual([{ url: 'http://a.test/1', anchor: 'One', rel: [], kind: 'feed' }])
    expect(read('nothing', 'application/rss+xml')).toMatchObject({ status: 'failed', reason: 'not-a-feed' })
  })

  it('reads JSON Feed and skips other JSON', () => {
    const feed = '{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"url":"/1"}]}'
    expect(urls(read(feed, 'application/feed+json'))).toEqual(['http://a.test/1'])
    expect(read('{"a":1}', 'application/json')).toMatchObject({
      status: 'skipped',
      reason: 'unsupported-type',
    })
  })

  it('reads sitemaps, also gzipped', () => {
    const xml =
      '<urlset><url><loc>/1</loc><lastmod>2026-11-15</lastmod></url><url><loc>/1</loc></url></urlset>'
    for (const page of [read(xml, 'application/xml'), read(gzipSync(xml), 'application/octet-stream')]) {
      expect(page.status).toBe('parsed')
      expect(urls(page)).toEqual(['http://a.test/1'])
      expect(page.sitemap?.pages).toHaveLength(2)
    }
    expect(read(gzipSync(gzipSync(xml)), 'application/gzip').sitemap?.format).toBe('urlset')
  })

  it('skips archives and pictures, with their signature', () => {
    const tar = gzipSync(Buffer.concat([Buffer.from('file\0\0\0'), Buffer.alloc(500)]))
    expect(read(tar)).toMatchObject({
      status: 'skipped',
      reason: 'unsupported-type',
      type: 'application/gzip',
    })
    expect(read('\x1f\u0000', 'image/png')).toMatchObject({ status: 'skipped', type: 'image/png' })
    expect(read(Uint8Array.of(0x1f, 0x8b, 8, 255))).toMatchObject({ status: 'failed', reason: 'bad-gzip' })
    expect(read('GIF89a\0', 'image/gif').signatures.md5).toMatch(/^[\da-f]{32}$/)
  })

  it('does not read a PDF by itself', () => {
    expect(read('%PDF-1.4', 'text/html')).toMatchObject({
      status: 'skipped',
      reason: 'needs-library',
      kind: 'pdf',
    })
  })
})

it('says when something was cut', () => {
  expect(read('<p>x', 'text/html', [], { truncated: true }).truncated).toBe(true)
  const xml = `<urlset>${'<url><loc>/1</loc></url>'.repeat(99)}`
  expect(read(gzipSync(xml).subarray(0, -9)).truncated).toBe(true)
  expect(read(gzipSync(xml)).truncated).toBe(false)
  const scan = { maxLinks: 1, maxTextChars: 10 }
  const page = readPage(
    { url: URL, headers: [], bytes: Buffer.from('<p>1234567890123') },
    { ...OPTIONS, scan },
  )
  expect(page.truncated).toBe(true)
})

it('computes the requested signatures', () => {
  const input = { url: URL, headers: [], bytes: Buffer.from('<p>three words here') }
  expect(readPage(input, { ...OPTIONS, signatures: [] }).signatures).toEqual({})
  expect(Object.keys(readPage(input, { ...OPTIONS, signatures: ['sim-hash'] }).signatures)).toEqual([
    'simHash',
  ])
  expect(Object.keys(readPage(input, OPTIONS).signatures)).toEqual(['md5', 'textProfile', 'simHash'])
})

it('records AI-use preferences', () => {
  expect(read('<p>', 'text/html', [['content-usage', 'train-ai=n']]).usage).toMatchObject([
    { category: 'train-ai', preference: 'disallow' },
  ])
})

it('gives the same record for the same response, fit to be sent to another thread, for any bytes and any type', () => {
  const markup = fc
    .string({
      unit: fc.constantFrom(
        '<a href=',
        '<',
        '>',
        '"',
        'x',
        ' ',
        '<base href=',
        '<meta name=robots content=',
        '<urlset>',
        '<rss>',
        '<item>',
        '<link>',
        '<loc>',
        '<url>',
        '<?xml',
        '?>',
        'http://',
        '[',
        '\0',
        '\ud800',
      ),
      maxLength: 40,
    })
    .map((text) => Buffer.from(text))
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 100 }),
    markup,
    markup.map((plain) => gzipSync(plain)),
  )
  const types = [
    'text/html',
    'text/plain',
    'text/xml',
    'application/json',
    'application/rss+xml',
    'application/gzip',
    'image/png',
    ';;',
  ]
  const type = fc.option(fc.oneof(fc.constantFrom(...types), fc.string()), { nil: undefined })
  const headers = fc.array(
    fc.tuple(fc.constantFrom('x-robots-tag', 'content-usage', 'content-language'), fc.string()),
  )
  fc.assert(
    fc.property(bytes, type, headers, (body, contentType, more) => {
      const page = read(body, contentType, more)
      expect(structuredClone(page)).toEqual(page)
      expect(read(body, contentType, more)).toEqual(page)
    }),
    { numRuns: 300 },
  )
})
