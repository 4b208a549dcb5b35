import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildTree } from '../selectors/document.ts'
import { ContentReader } from './page-content.ts'
import { STRUCTURED_LIMITS } from './structured-data.ts'

const reader = (html: string) => new ContentReader(buildTree(html, 'html'), 'https://a.test/dir/page')
const script = (json: string) => `<script type="application/ld+json">${json}</script>`

describe('ContentReader', () => {
  it('describes a page by its metadata', () => {
    const page = `<html lang="en-GB"><head><title>Orbs | Weavers</title><meta name=author content=" A.  Weaver ">
      <meta property="article:published_time" content="2026-11-15T10:00:00+01:00"><meta property="og:site_name" content="Weavers">
      <meta name=description content="About orbs.">${script('{"@type":"Article","dateModified":"2026-11-16"}')}</head><body><h1>Orbs</h1></body></html>`
    expect(reader(page).describe()).toEqual({
      title: 'Orbs',
      byline: 'A. Weaver',
      lang: 'en-GB',
      description: 'About orbs.',
      published: '2026-11-15T09:00:00.000Z',
      modified: '2026-11-16T00:00:00.000Z',
      siteName: 'Weavers',
    })
  })

  it('reads author and date from JSON-LD and microdata', () => {
    expect(
      reader(script('{"@graph":[{"author":[{"name":"B"}],"datePublished":"2026"}]}')).describe(),
    ).toMatchObject({ byline: 'B', published: '2026-01-01T00:00:00.000Z' })
    const item =
      '<div itemscope><b itemprop=author>C</b><time itemprop=datePublished datetime=2026-02-03>x</time></div>'
    expect(reader(item).describe()).toMatchObject({ byline: 'C', published: '2026-02-03T00:00:00.000Z' })
  })

  it('lists headings of the content and bold paragraphs, without permalinks and those of navigation', () => {
    const prose =
      '<p>A sentence with words, and another one, until it is long enough to be prose. </p>'.repeat(5)
    const page = `<nav><h2>Menu</h2><a href=/>x</a></nav><main><h1>Orb <b>webs</b><a href=#a>¶</a></h1>${prose}<h2> Silk
      glands</h2>${prose}<h3></h3><h4>Deep</h4>${prose}
      <p><a name=x></a> <b>Term</b> </p><p><b>Note:</b> text</p><p><b>one</b> <b>two</b></p></main>`
    expect(reader(page).headings()).toEqual(['Orb webs', 'Silk glands', 'Deep', 'Term'])
  })

  it('resolves links against <base>', () => {
    expect(reader('<base href="/b/"><p><a href="x">y</a></p>').markdown()).toBe('[y](https://a.test/b/x)')
  })

  it('describes an empty page', () => {
    expect(reader('').describe()).toEqual({ title: '' })
    expect(reader('').markdown()).toBe('')
  })
})

describe('structured data', () => {
  it('has the objects of JSON-LD, each by itself, and skips damaged ones', () => {
    const page =
      script('[{"a":1},{"b":2}]') +
      script('{"@graph":[{"c":3}]}') +
      script('{"d":') +
      script('<!-- {"e":\n5} -->')
    expect(reader(page).structured.jsonLd).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }, { e: 5 }])
  })

  it('has Open Graph properties, the first of each', () => {
    const page =
      '<meta property="og:title" content=A><meta property="og:title" content=B><meta name="twitter:card" content=c><meta name=x content=y>'
    expect(reader(page).structured.openGraph).toEqual({ 'og:title': 'A', 'twitter:card': 'c' })
  })

  it('has microdata with items inside items', () => {
    const page = `<div itemscope itemtype="https://schema.org/Book"><span itemprop=name>N</span><a itemprop=url href=/u>x</a>
      <div itemprop=author itemscope><i itemprop=name>P</i></div><b itemprop=tag>1</b><b itemprop=tag>2</b></div>`
    expect(reader(page).structured.microdata).toEqual([
      { '@type': 'https://schema.org/Book', name: 'N', url: '/u', author: { name: 'P' }, tag: ['1', '2'] },
    ])
  })

  it('limits number, size and depth', () => {
    expect(reader(script(`[${'{},'.repeat(500)}{}]`)).structured.jsonLd).toHaveLength(
      STRUCTURED_LIMITS.objects,
    )
    expect(reader(script(`{"a":"${'x'.repeat(STRUCTURED_LIMITS.chars)}"}`)).structured.jsonLd).toEqual([])
    expect(
      JSON.stringify(reader(script(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)).structured.jsonLd)
        .length,
    ).toBeLessThan(500)
    expect(reader('<div itemscope>'.repeat(5_000)).structured.microdata.length).toBeLessThanOrEqual(200)
  })

  it('is JSON whatever a page has in it', () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), (json, text) => {
        const page = `${script(json.replaceAll('<', '\\u003c'))}<div itemscope><b itemprop="__proto__ constructor ${text.replace(/["&]/g, '')}">${text}</b></div>`
        const { structured } = reader(page)
        expect(JSON.parse(JSON.stringify(structured))).toBeDefined()
        expect(({} as Record<string, unknown>)['a']).toBeUndefined()
      }),
    )
  })
})
