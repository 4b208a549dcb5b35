import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { testRules } from '../../../testing/test-rules.ts'
import type { OrbweaverConfig } from '../../adapters/config/config-schema.ts'
import type { ParsedRows } from '../segment/segment-rows.ts'
import { parsePage } from './parse-page.ts'
import type { ParseFilter, ParseRules } from './parse-rules.ts'
import type { PageToParse, ParsedPage } from './parsed-page.ts'

const clock = new FakeClock()
const SEEDS = ['http://a.test/']

function pageOf(html: string, page: Partial<PageToParse> = {}): PageToParse {
  return {
    url: 'http://a.test/dir/page',
    headers: [['content-type', 'text/html']],
    bytes: new TextEncoder().encode(html),
    truncated: false,
    score: 1,
    metadata: {},
    ...page,
  }
}

async function parse(
  html: string,
  config: OrbweaverConfig = {},
  page: Partial<PageToParse> = {},
): Promise<ParsedPage<ParsedRows>> {
  // The one seed matters only to those who set a scope.
  return parsePage(
    pageOf(html, page),
    testRules(clock, { ...config, filters: { scope: 'any', ...config.filters } }, SEEDS),
  )
}

const anchors = (...hrefs: string[]) => hrefs.map((href) => `<a href="${href}">${href}</a>`).join(' ')
const targets = ({ rows: { links } }: ParsedPage<ParsedRows>) => links.map(({ url }) => url)

it('records an error of the parser as a failed parse', async () => {
  const rules = testRules(clock, { filters: { scope: 'any' } }, SEEDS)
  const normalize = () => {
    throw new RangeError('Maximum call stack size exceeded')
  }
  const parsed = await parsePage(pageOf(anchors('/1')), {
    ...rules,
    reading: { ...rules.reading, normalize },
  })
  expect(parsed.rows.parseData).toMatchObject({
    url: 'http://a.test/dir/page',
    status: 'failed',
    reason: 'the parser failed on this page: RangeError: Maximum call stack size exceeded',
  })
  expect(parsed.dropped).toEqual({ 'parse failed': 1 })
})

it.each(['host', 'domain'] as const)(
  'keeps no page in memory for remembered links, compared by %s',
  async (compare) => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const rules = testRules(clock, { links: { compare } }, SEEDS)
    const padding = 'x'.repeat(400_000)
    const heapAfter = async (pages: number) => {
      for (let i = 0; i < pages; i++) {
        const other = `http://www.another-host-${i}.example/some/page-${i}.html`
        // Every second page is alone in its directory.
        const html = `<base href="http://a.test/some/directory-${i % 2 === 0 ? i : ''}/page-${i}">${anchors(other, `page-${i}.html`)}${padding}`
        const url = `http://a.test/dir/${i}`
        await parsePage(pageOf(html, { url }), rules)
      }
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = await heapAfter(5)
    // Less than a tenth of the pages.
    expect((await heapAfter(100)) - before).toBeLessThan(4_000_000)
  },
)

describe('the rows of a page', () => {
  it('are its text, what else was read, and its links', async () => {
    const { rows, signature, scoreGiven } = await parse(
      `<html lang="en"><title>Title</title><meta name="description" content="about"><link rel="canonical" href="/c">
       <meta name="robots" content="noindex">words ${anchors('/1', 'http://b.test/2')}`,
    )
    const { parseData, parseText, links } = rows
    expect(parseText).toMatchObject({ url: 'http://a.test/dir/page', text: expect.stringContaining('words') })
    expect(parseData).toMatchObject({
      status: 'parsed',
      title: 'Title',
      description: 'about',
      language: 'en',
      contentType: 'text/html',
      canonical: 'http://a.test/c',
      noindex: true,
      nofollow: false,
      outlinks: ['http://a.test/c', 'http://a.test/1', 'http://b.test/2'],
      anchors: ['', '/1', 'http://b.test/2'],
      metadata: {},
    })
    expect(JSON.parse(parseData.directives)).toMatchObject({ noindex: true })
    expect(signature).toBe(parseData.signature)
    expect(links).toHaveLength(3)
    expect(links[2]).toEqual({ fromUrl: parseData.url, url: 'http://b.test/2', kind: 'link', score: 1 / 3 })
    expect(scoreGiven).toBeCloseTo(1)
  })

  it('of what cannot be read say why, with a signature all the same', async () => {
    const png = Buffer.from('89504e470d0a1a0a', 'hex')
    const { rows, signature } = await parse('', {}, { bytes: png })
    const { parseData, parseText } = rows
    expect(parseData).toMatchObject({ status: 'skipped', contentType: 'image/png' })
    expect(parseData.reason).toContain('image/png')
    expect(parseText).toBeUndefined()
    expect(signature).toMatch(/^[0-9a-f]{32}$/)
  })

  it('have the signature that the settings name', async () => {
    const [a, b] = await Promise.all(
      ['<p>same words here</p>', '<div>same words here</div>'].map((html) =>
        parse(html, { parse: { signature: 'text-profile' } }),
      ),
    )
    expect(a?.signature).toBe(b?.signature)
    expect(a?.signature).not.toBe((await parse('<p>same words here</p>')).signature)
  })
})

describe('links', () => {
  it.each<[string, string, OrbweaverConfig, string[]]>([
    ['of a page that says nofollow', `<meta name="robots" content="nofollow">${anchors('/1')}`, {}, []],
    ['that say nofollow', `<a rel="nofollow" href="/1">1</a>${anchors('/2')}`, {}, ['/2']],
    ['to the page itself', anchors('/dir/page', '#top', '/1'), {}, ['/1']],
    ['that are too long', anchors('/1', `/${'x'.repeat(60)}`), { links: { maxOutlinkLength: 40 } }, ['/1']],
    [
      'that stay on the host',
      anchors('/1', 'http://b.test/'),
      { links: { ignoreInternal: true } },
      ['http://b.test/'],
    ],
    ['that leave the host', anchors('/1', 'http://b.test/'), { links: { ignoreExternal: true } }, ['/1']],
    [
      'that leave the domain',
      anchors('http://www.a.test/', 'http://b.test/'),
      { links: { ignoreExternal: true, compare: 'domain' } },
      ['http://www.a.test/'],
    ],
    [
      'beyond the first so many',
      anchors('/x.gif', '/1', '/2', '/3'),
      { links: { maxOutlinks: 2 } },
      ['/1', '/2'],
    ],
    ['out of scope', anchors('/1', 'http://b.test/'), { filters: { scope: 'host' } }, ['/1']],
    ['that the rules reject', anchors('/1', '/2'), { filters: { rules: ['-/1$', '+.'] } }, ['/2']],
    ['into a trap', anchors('/1', '/x/y/x/y/x/y/x/y'), {}, ['/1']],
    [
      'to style sheets and servers',
      `<link rel=preconnect href=//b.test/><link rel=next href=/2>`,
      {},
      ['/2'],
    ],
    ['of denied domains', anchors('/1', 'http://b.test/'), { filters: { denyDomains: ['b.test'] } }, ['/1']],
  ])('%s are dropped', async (_, html, settings, kept) => {
    const expected = kept.map((href) => new URL(href, 'http://a.test/').href)
    expect(targets(await parse(html, settings))).toEqual(expected)
  })

  it('of an index page with 100,000 links are all kept, and only those over the limit are dropped', async () => {
    const many = Array.from({ length: 100_001 }, (_, i) => `/${i}`)
    const parsed = await parse(anchors(...many, '/0'))
    expect(parsed.rows.links).toHaveLength(100_000)
    expect(parsed.dropped).toEqual({ 'links.maxOutlinks': 1 })
  })

  it('that are dropped are counted by what dropped them', async () => {
    const html = `<a rel="nofollow" href="/n">n</a>
      ${anchors('/x.gif', '/1', '/2', '/3', 'http://b.test/', 'mailto:a@b', '#top', `/${'x'.repeat(60)}`, `/${'y'.repeat(9_000)}`, 'http://a..b/')}`
    const parsed = await parse(html, {
      filters: { scope: 'host' },
      links: { maxOutlinks: 2, maxOutlinkLength: 50 },
    })
    expect(parsed.dropped).toEqual({
      nofollow: 1,
      'default rules': 1,
      scope: 1,
      'links.maxOutlinks': 1,
      'links.maxOutlinkLength': 1,
      'normalizer.maxLength': 1,
      'invalid URL': 1,
    })
  })

  it('of a sitemap that are not absolute URLs are counted as invalid', async () => {
    const sitemap =
      '<?xml version="1.0"?><urlset><url><loc>www.a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>'
    const headers = [['content-type', 'application/xml']] as const
    expect((await parse(sitemap, {}, { headers })).dropped).toEqual({ 'invalid URL': 1 })
  })

  it('to the sitemaps of the site are added, and lines of robots.txt that are not URLs are counted', async () => {
    const sitemaps = ['/maps.xml', 'http://', 'http://b.test/maps.xml', 'ftp://a.test/maps.xml']
    const parsed = await parse('', {}, { sitemaps })
    expect(targets(parsed)).toEqual(['http://a.test/maps.xml', 'http://b.test/maps.xml'])
    expect(parsed.dropped).toEqual({ 'invalid Sitemap in robots.txt': 2 })
  })

  it.each(['whole', 'truncated when it was fetched'])(
    'of a gzipped sitemap that is %s and decodes to too much',
    async (state) => {
      const entry = (path: string) => `<url><loc>http://a.test/${path}</loc></url>`
      const xml = `<urlset>${entry('1')}${' '.repeat(50 * 1024 * 1024)}${entry('2')}</urlset>`
      const page = { url: 'http://a.test/map.xml.gz', bytes: gzipSync(xml, { level: 1 }), headers: [] }
      const truncated = state !== 'whole'
      const parsed = await parse('', {}, { ...page, truncated })
      expect(targets(parsed)).toEqual(['http://a.test/1'])
      // A truncated response is counted with its fetch.
      expect(parsed.dropped).toEqual(truncated ? {} : { 'body over 50 MB decoded, or damaged gzip': 1 })
    },
  )

  it('of a sitemap get no part of its priority', async () => {
    const map = '<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>'
    const { rows } = await parse(map, {}, { score: 11, metadata: { sitemap: 'yes' } })
    expect(rows.links.map(({ score }) => score)).toEqual([0.5, 0.5])
  })

  it('of a page at the depth limit are counted', async () => {
    const deep = { metadata: { _depth_: '3' } }
    expect((await parse(anchors('/1', '/2'), { filters: { maxDepth: 2 } }, deep)).dropped).toEqual({
      'filters.maxDepth': 2,
    })
    const scoring = { depth: { maxDepth: 3 } }
    expect((await parse(anchors('/1', '/2'), { scoring }, deep)).dropped).toEqual({ scoring: 2 })
  })

  it('of a nofollow page, and a text over its limit, are counted', async () => {
    const html = `<meta name="robots" content="nofollow">${anchors('/1', '/2')}`
    expect((await parse(html, { parse: { maxTextChars: 2 } })).dropped).toEqual({
      nofollow: 2,
      'parse.maxTextChars': 1,
    })
  })

  it('carry the depth of their targets, and none leaves the last level', async () => {
    const settings = { scoring: { opic: {}, depth: { maxDepth: 3 } } }
    const { links } = (await parse(anchors('/1'), settings, { metadata: { _depth_: '2' } })).rows
    expect(links).toMatchObject([{ url: 'http://a.test/1', score: 1, depth: 3 }])
    const last = await parse(anchors('/1'), settings, { metadata: { _depth_: '3' } })
    expect(last).toMatchObject({
      scoreGiven: 0,
      rows: { links: [], parseData: { outlinks: [], anchors: [] } },
    })
  })

  it('of a refresh have the standing of the page, and are named', async () => {
    const html = `<meta http-equiv="refresh" content="3; url=/next">${anchors('/1')}`
    const parsed = await parse(html, {}, { score: 0.5, metadata: { k: 'v' } })
    expect(parsed.refreshTo).toBe('http://a.test/next')
    expect(parsed.rows.links).toEqual([
      {
        fromUrl: 'http://a.test/dir/page',
        url: 'http://a.test/next',
        kind: 'refresh',
        score: 0.5,
        metadata: { k: 'v' },
      },
      expect.objectContaining({ url: 'http://a.test/1', kind: 'link' }),
    ])
    expect(parsed.rows.parseData.outlinks).toEqual(['http://a.test/1'])
  })

  it('of a refresh out of scope, to itself or against a nofollow lead nowhere', async () => {
    const refresh = (url: string) => `<meta http-equiv="refresh" content="3; url=${url}">`
    for (const html of [
      refresh('http://b.test/'),
      refresh(''),
      `<meta name=robots content=none>${refresh('/x')}`,
    ])
      expect(await parse(html, { filters: { scope: 'host' } })).toMatchObject({ rows: { links: [] } })
  })
})

describe('parse filters', () => {
  const withFilters = (...parseFilters: ParseFilter[]): ParseRules => ({
    ...testRules(clock),
    parseFilters,
  })

  it('add metadata and drop links, each seeing what the one before left', async () => {
    const rules = withFilters(
      {
        name: 'first',
        filter: ({ reading }) => ({
          metadata: { a: '1', b: '1' },
          links: reading.links.filter(({ url }) => !url.endsWith('/1')),
        }),
      },
      { name: 'nothing', filter: () => undefined },
      { name: 'last', filter: async ({ reading }) => ({ metadata: { b: String(reading.links.length) } }) },
    )
    const { parseData } = (await parsePage(pageOf(anchors('/1', '/2')), rules)).rows
    expect(parseData.metadata).toEqual({ a: '1', b: '1' })
    expect(parseData.outlinks).toEqual(['http://a.test/2'])
  })

  it('that throw fail the page and name themselves', async () => {
    const rules = withFilters({
      name: 'mine',
      filter: () => {
        throw new Error('no such field')
      },
    })
    const { parseData, links } = (await parsePage(pageOf(anchors('/1')), rules)).rows
    expect(parseData).toMatchObject({ status: 'failed', reason: 'parse filter mine: Error: no such field' })
    expect(links).toEqual([])
  })
})
