import { describe, expect, it } from 'vitest'
import { scanHtml } from '../html/scan-html.ts'
import { createLinkResolver } from '../url/link-resolver.ts'
import { normalizeUrl } from '../url/normalize-url.ts'
import { resolveLinks } from './page-links.ts'
import { leadsToPage } from './read-html.ts'

const PAGE = 'http://a.test/dir/page'

function linksOf(html: string) {
  const links = scanHtml(html).links.filter(leadsToPage)
  return resolveLinks(links, PAGE, createLinkResolver(PAGE, normalizeUrl))
}

describe('the links of a page', () => {
  it('are each there once, in document order, with the first anchor that says something', () => {
    const html = '<a href="b"><img></a><a href="/c">C</a><a href="./b#x">B</a><a href="b">bee</a>'
    expect(linksOf(html).links).toEqual([
      { url: 'http://a.test/dir/b', anchor: 'B', rel: [], kind: 'a' },
      { url: 'http://a.test/c', anchor: 'C', rel: [], kind: 'a' },
    ])
  })

  it('are nofollow only when every link to the same URL is', () => {
    const html =
      '<a href=b rel="nofollow ugc">1</a><a href=c rel=nofollow>2</a><a href=b rel=ugc>3</a><a href=c rel="ugc nofollow">4</a>'
    expect(linksOf(html).links.map((link) => link.rel)).toEqual([['ugc'], ['nofollow']])
  })

  it('may have more rel tokens than could be compared one by one', () => {
    const rel = Array.from({ length: 100_000 }, (_, i) => `t${i}`)
    const html = `<a href=b rel="${rel.join(' ')}">1</a><a href=b rel="${rel.toReversed().join(' ')}">2</a>`
    expect(linksOf(html).links[0]?.rel).toHaveLength(rel.length)
  })

  it('are in their normal form, and what has none is counted by reason', () => {
    const html =
      '<a href="/x/../y?b=1#f">y</a><a href="HTTP://B.test:80">b</a><a href="mailto:x@a.test">no</a><a href="#top"></a>'
    const { links, rejectedLinks } = linksOf(`${html}<a href="${PAGE}#y"></a>`)
    expect(links.map((link) => link.url)).toEqual(['http://a.test/y?b=1', 'http://b.test/'])
    expect(rejectedLinks).toEqual({ scheme: 1, self: 2 })
  })

  it('are those link elements that lead to pages, and no others', () => {
    const html =
      '<link rel=stylesheet href=s.css><link rel="alternate stylesheet" href=t.css><link rel="shortcut icon" href=i.ico>' +
      '<link rel=next href=2><link rel=canonical href=1><link href=nothing><iframe src=f></iframe>'
    expect(linksOf(html).links.map(({ kind, url }) => `${kind} ${url}`)).toEqual([
      'link http://a.test/dir/2',
      'link http://a.test/dir/1',
      'iframe http://a.test/dir/f',
    ])
  })
})
