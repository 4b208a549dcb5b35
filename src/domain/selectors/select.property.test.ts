import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { soup, wellNested } from '../../../testing/html/html-arbitrary.ts'
import { collapseSpace } from '../html/characters.ts'
import { scanHtml } from '../html/scan-html.ts'
import { createNormalizer } from '../url/normalize-url.ts'
import { buildTree, parseDocument } from './document.ts'
import { LinkExtractor } from './link-extractor.ts'
import { ElementNode, type TreeNode } from './nodes.ts'

const sample = (name: string) =>
  readFileSync(new URL(`../../../testing/html/samples/${name}.html.txt`, import.meta.url), 'utf8')
const BROKEN = sample('broken')
const FOREIGN = sample('foreign')
const NEWS = sample('news')
const anyHtml = fc.oneof(
  soup,
  wellNested,
  fc.string({ unit: 'binary' }),
  fc.constantFrom(BROKEN, FOREIGN, NEWS),
)
const PAGE = 'http://site.test/dir/page.html'
const normalize = createNormalizer()

describe('any markup', () => {
  it('is read without a throw, and every element is found once', () => {
    fc.assert(
      fc.property(anyHtml, fc.constantFrom('html' as const, 'xml' as const), (text, kind) => {
        const document = parseDocument(text, { kind })
        const all = document.css('*')
        expect(all.length).toBe(namesBelow(buildTree(text, kind)).length)
        expect(typeof document.text()).toBe('string')
        expect(typeof document.html()).toBe('string')
        for (const element of all) for (const value of element.getAll()) expect(value).toMatch(/^</)
      }),
      { numRuns: 200 },
    )
  })

  it('gives for a tag name what a walk over the tree gives, by CSS and by XPath', () => {
    const name = fc.constantFrom('a', 'b', 'div', 'p', 'span', 'td', 'li', 'img')
    fc.assert(
      fc.property(anyHtml, name, (html, tag) => {
        const document = parseDocument(html, { kind: 'html' })
        const walked = namesBelow(buildTree(html, 'html')).filter((found) => found === tag)
        expect([...document.css(tag)].map((one) => one.tagName)).toEqual(walked)
        expect(document.xpath(`//${tag}`).getAll()).toEqual(document.css(tag).getAll())
      }),
      { numRuns: 150 },
    )
  })

  it('gives for a class, an attribute and a child what a filter of all elements gives', () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        const document = parseDocument(html, { kind: 'html' })
        const all = [...document.css('*')]
        const withHref = all.filter((one) => one.attr('href') !== undefined)
        expect(document.css('[href]').getAll()).toEqual(withHref.map((one) => one.get()))
        expect(document.css('*::attr(href)').getAll()).toEqual(withHref.map((one) => one.attr('href')))
        expect(document.xpath('//@href').getAll()).toEqual(withHref.map((one) => one.attr('href')))
        const links = all.flatMap((one) => [...one.css('> a')])
        expect(document.css('* > a').length).toBe(links.length)
        expect(document.xpath('//text()').getAll().join('')).toBe(document.textContent())
      }),
      { numRuns: 150 },
    )
  })

  it('is the same document again when it is written out and read', () => {
    fc.assert(
      fc.property(wellNested, (html) => {
        const once = parseDocument(html, { kind: 'html' }).html()
        expect(parseDocument(once, { kind: 'html' }).html()).toBe(once)
      }),
      { numRuns: 150 },
    )
  })
})

describe('the tree and the scanner', () => {
  // htmlparser2 is not exact about a comment that hides the end of a script, nor we about NUL and HTML in an image.
  const nested = wellNested.filter((html) => !/<script><!--|\0|<foreignObject/.test(html))

  it('read the same text from well-nested pages', () => {
    fc.assert(
      fc.property(nested, (html) => {
        expect(parseDocument(html, { kind: 'html' }).text()).toBe(collapseSpace(scanHtml(html).text))
      }),
      { numRuns: 300 },
    )
  })

  it('give the same links', () => {
    const scanning = new LinkExtractor()
    const selecting = new LinkExtractor({ restrictXPath: '/' })
    const page = fc.oneof({ weight: 6, arbitrary: nested }, fc.constantFrom(BROKEN, FOREIGN, NEWS))
    fc.assert(
      fc.property(page, (html) => {
        const source = { url: PAGE, html, normalize, document: () => parseDocument(html, { kind: 'html' }) }
        // The text of a link inside an image is nothing to the scanner.
        const extract = (extractor: LinkExtractor) =>
          extractor.extract(source).map((link) => (html.includes('<svg') ? { ...link, text: '' } : link))
        expect(extract(selecting)).toEqual(extract(scanning))
      }),
      { numRuns: 400 },
    )
  })
})

/** Recursion is fine for what tests make. */
function namesBelow(node: TreeNode): string[] {
  const names: string[] = []
  for (let child = node.firstChild; child !== null; child = child.next) {
    if (child instanceof ElementNode) names.push(child.name, ...namesBelow(child))
  }
  return names
}
