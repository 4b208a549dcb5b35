import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { soup, wellNested } from '../../../testing/html/html-arbitrary.ts'
import { readWithParse5 } from '../../../testing/html/parse5-oracle.ts'
import { scanHtml } from './scan-html.ts'

const withoutSpace = (text: string) => text.replace(/[\t\n\f\r ]+/g, '')

describe('scanHtml and parse5', () => {
  it('agree on links, title, text and facts of well-nested pages', () => {
    fc.assert(
      fc.property(wellNested, (html) => {
        expect(scanHtml(html)).toMatchObject({ ...readWithParse5(html) })
      }),
      { numRuns: 1_000 },
    )
  })

  it('agree on links, title and facts of broken pages, and on their text but for white space', () => {
    fc.assert(
      fc.property(soup, (html) => {
        const { text, links, ...facts } = readWithParse5(html)
        const scan = scanHtml(html)
        expect(scan).toMatchObject(facts)
        // Where a parser closes a block by itself, or ignores a stray end tag, we may see another break in the text.
        expect(withoutSpace(scan.text)).toBe(withoutSpace(text))
        // A parser does not carry a link that was left open into a textarea; we do.
        const anchorOf = (anchor: string) => (html.includes('<textarea') ? '' : withoutSpace(anchor))
        const spaceless = (list: typeof links) =>
          list.map((link) => ({ ...link, anchor: anchorOf(link.anchor) }))
        expect(spaceless(scan.links)).toEqual(spaceless(links))
      }),
      { numRuns: 2_000 },
    )
  })

  it('never see what a longer page before left behind', () => {
    const after = '>">--></a></title></script>;" href="/stale">stale'
    fc.assert(
      fc.property(soup, fc.integer({ min: 0, max: 200 }), (html, length) => {
        const cut = html.slice(0, length)
        const fresh = scanHtml(cut)
        scanHtml(cut + after)
        expect(scanHtml(cut)).toEqual(fresh)
        scanHtml(' '.repeat(cut.length + after.length))
        expect(scanHtml(cut)).toEqual(fresh)
      }),
      { numRuns: 500 },
    )
  })

  it('never throw, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (html) => {
        expect(scanHtml(html).links).toBeInstanceOf(Array)
      }),
      { numRuns: 100 },
    )
  })
})
