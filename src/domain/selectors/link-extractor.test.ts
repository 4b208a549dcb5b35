import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { createNormalizer } from '../url/normalize-url.ts'
import { parseDocument } from './document.ts'
import { LinkExtractor, type LinkExtractorOptions } from './link-extractor.ts'

const PAGE = `<html><body>
  <nav><a href="/">Home</a> <a href="/list?page=2" class="next">Next page</a> <a href="#top">Top</a></nav>
  <main><a href="item/1.html">One</a> <a href="item/2.html" rel="NoFollow sponsored">Two</a>
    <a href="item/1.html"><img alt="Picture"></a> <a href="http://other.test/x">Other</a>
    <a href="https://sub.other.test/y">Sub</a><a href="/file.PDF?v=1">File</a><a href="mailto:x@y">Mail</a></main>
  <map><area href="/area" alt="Area"></map><link rel="next" href="/linked"><img src="/img.html" data-href="/data">
  <template><a href="/inert">no</a></template>
</body></html>`

function extract(options?: LinkExtractorOptions, html = PAGE) {
  let trees = 0
  const links = new LinkExtractor(options).extract({
    url: 'http://site.test/dir/',
    html,
    normalize: createNormalizer(),
    document() {
      trees++
      return parseDocument(html, { kind: 'html' })
    },
  })
  return { links, trees, paths: links.map(({ url }) => url.replace('http://site.test', '')) }
}

const ALL = [
  '/',
  '/list?page=2',
  '/dir/item/1.html',
  '/dir/item/2.html',
  'http://other.test/x',
  'https://sub.other.test/y',
  '/area',
]

describe('LinkExtractor', () => {
  it('gives every link to a page once, with its text, and builds no tree', () => {
    const { links, paths, trees } = extract()
    expect(paths).toEqual(ALL)
    expect(links[0]).toEqual({ url: 'http://site.test/', text: 'Home', nofollow: false })
    expect(links[3]).toEqual({ url: 'http://site.test/dir/item/2.html', text: 'Two', nofollow: true })
    expect(trees).toBe(0)
  })

  it('allows and denies by patterns', () => {
    expect(extract({ allow: /item\/\d/g }).paths).toEqual(['/dir/item/1.html', '/dir/item/2.html'])
    expect(extract({ allow: ['item/', '/area$'], deny: '2' }).paths).toEqual(['/dir/item/1.html', '/area'])
    expect(() => extract({ allow: '(?=x)' })).toThrow(ConfigurationError)
  })

  it('allows and denies by domains, with what is under them', () => {
    expect(extract({ allowDomains: 'other.test' }).paths).toEqual([
      'http://other.test/x',
      'https://sub.other.test/y',
    ])
    expect(extract({ denyDomains: ['site.test', 'sub.other.test'] }).paths).toEqual(['http://other.test/x'])
  })

  it('leaves out files, unless told which', () => {
    expect(extract({ denyExtensions: [] }).paths).toContain('/file.PDF?v=1')
    expect(extract({ denyExtensions: ['.HTML', 'pdf'] }).paths).not.toContain('/dir/item/1.html')
    expect(extract({}, '<a href="http://movie.mov">x</a><a href="/v1.zip/x">y</a>').paths).toEqual([
      'http://movie.mov/',
      '/v1.zip/x',
    ])
  })

  it('restricts to parts of the page, by CSS and XPath', () => {
    expect(extract({ restrictCss: 'nav' }).paths).toEqual(['/', '/list?page=2'])
    expect(extract({ restrictCss: ['.next', 'map'] }).paths).toEqual(['/list?page=2', '/area'])
    expect(extract({ restrictXPath: '//nav/a[@class="next"]' }).paths).toEqual(['/list?page=2'])
    expect(extract({ restrictCss: 'nav, a', restrictXPath: '//map', unique: false }).paths).toContain('/area')
    expect(extract({ restrictCss: 'body, nav', unique: false, allow: 'list' }).paths).toHaveLength(1)
    expect(extract({ restrictCss: 'body' }).links).toEqual(extract().links)
    expect(() => extract({ restrictCss: 'a[' })).toThrow(expect.objectContaining({ code: 'BAD_SELECTOR' }))
  })

  it('restricts by the text of the link', () => {
    expect(extract({ restrictText: 'N[a-z]+ page' }).paths).toEqual(['/list?page=2'])
    expect(extract({ restrictText: [/^one$/i, 'Area'] })).toMatchObject({
      paths: ['/dir/item/1.html', '/area'],
      trees: 0,
    })
  })

  it('looks at other elements and attributes when told', () => {
    expect(extract({ tags: ['area'] })).toMatchObject({ paths: ['/area'], trees: 0 })
    expect(extract({ tags: ['img'], attributes: ['src', 'data-href'] }).paths).toEqual(['/img.html', '/data'])
  })

  it('gives each link by itself on request', () => {
    const { links } = extract({ unique: false, allow: 'item/1' })
    expect(links.map(({ text }) => text)).toEqual(['One', 'Picture'])
  })

  it.each([{}, { restrictCss: 'body' }])('resolves with <base href> (%j)', (options) => {
    const html = '<head><base href="http://base.test/b/"></head><body><a href="x">x</a></body>'
    expect(extract(options, html).paths).toEqual(['http://base.test/b/x'])
  })
})
