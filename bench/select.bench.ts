/**
 * What selecting costs a handler that takes three fields of a page: ours compared with the tree of htmlparser2 and css-select,
 * doing the same on the same pages; also XPath, and links with and without a tree. The page is parsed each time.
 */
import { selectAll, selectOne } from 'css-select'
import type { AnyNode, Element } from 'domhandler'
import { DomUtils, parseDocument as parseBare } from 'htmlparser2'
import { parseDocument } from '../src/domain/selectors/document.ts'
import { LinkExtractor } from '../src/domain/selectors/link-extractor.ts'
import { createNormalizer } from '../src/domain/url/normalize-url.ts'
import { generatePages } from './html-pages.ts'

/** What all must find, so that none can be fast by doing less. */
interface Fields {
  readonly title: string
  readonly date: string
  readonly hrefs: readonly string[]
}

export function run(): void {
  const pages = generatePages(40)
  const chars = pages.reduce((sum, page) => sum + page.length, 0)
  const contenders = [
    { name: 'css()', read: (html: string) => hrefCount(readWithCss(html)) },
    { name: 'htmlparser2 + css-select', read: (html: string) => hrefCount(readBare(html)) },
    { name: 'xpath()', read: (html: string) => hrefCount(readWithXPath(html)) },
    { name: 'LinkExtractor, scanning', read: (html: string) => linksOf(html, new LinkExtractor()) },
    {
      name: 'LinkExtractor, in <main>',
      read: (html: string) => linksOf(html, new LinkExtractor({ restrictCss: 'main' })),
    },
  ]
  const best = new Map<string, number>()
  for (let round = 0; round < 6; round++) {
    for (const { name, read } of contenders) {
      best.set(name, Math.max(best.get(name) ?? 0, measure(pages, chars, read)))
    }
  }
  const ours = best.get('css()') ?? 0
  console.log(`${pages.length} generated pages of ${(chars / pages.length / 1000).toFixed(0)} kB\n`)
  for (const { name, read } of contenders) {
    const speed = best.get(name) ?? 0
    const found = pages.reduce((sum, page) => sum + read(page), 0)
    console.log(
      `${name.padEnd(26)}${speed.toFixed(1).padStart(6)} MB/s ${((speed * 1e6 * pages.length) / chars).toFixed(0).padStart(6)} pages/s ` +
        `${(ours / speed).toFixed(2).padStart(6)} x   ${found} links`,
    )
  }
}

/** MB (10^6 characters) for each second of CPU time, garbage collection included, over at least 250 ms of it. */
function measure(pages: readonly string[], chars: number, read: (html: string) => number): number {
  const start = process.cpuUsage()
  for (let rounds = 1; ; rounds++) {
    for (const page of pages) read(page)
    const { user, system } = process.cpuUsage(start)
    if (user + system > 250_000) return (chars * rounds) / (user + system)
  }
}

function readWithCss(html: string): Fields {
  const page = parseDocument(html, { kind: 'html' })
  return {
    title: page.text('h1'),
    date: page.attr('article.teaser time', 'datetime') ?? '',
    hrefs: page.css('h3.teaser__title a').attrs('href'),
  }
}

function readWithXPath(html: string): Fields {
  const page = parseDocument(html, { kind: 'html' })
  return {
    title: page.xpath('//h1').text(),
    date: page.xpath('//article//time/@datetime').get() ?? '',
    hrefs: page.xpath('//h3[@class="teaser__title"]/a/@href').getAll(),
  }
}

function readBare(html: string): Fields {
  const page = parseBare(html)
  const title = selectOne<AnyNode, Element>('h1', page)
  const time = selectOne<AnyNode, Element>('article.teaser time', page)
  return {
    title: title === null ? '' : DomUtils.textContent(title).replace(/\s+/g, ' ').trim(),
    date: time?.attribs['datetime'] ?? '',
    hrefs: selectAll<AnyNode, Element>('h3.teaser__title a', page).flatMap(
      (link) => link.attribs['href'] ?? [],
    ),
  }
}

function hrefCount({ title, date, hrefs }: Fields): number {
  if (title === '' || date === '') throw new Error('a field was not found')
  return hrefs.length
}

const normalize = createNormalizer()

function linksOf(html: string, extractor: LinkExtractor): number {
  const document = () => parseDocument(html, { kind: 'html' })
  return extractor.extract({ url: 'http://site.test/', html, document, normalize }).length
}
