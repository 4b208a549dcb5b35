/**
 * How fast links, title and text come out of HTML: our scanner compared with the SAX events of htmlparser2 and the tree of parse5, all
 * three doing the same work on the same pages. `HTML_DIR=<directory>` adds the HTML files below it.
 */
import { Parser } from 'htmlparser2'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { scanHtml } from '../src/domain/html/scan-html.ts'
import { generatePages, readPages } from './html-pages.ts'

/** What all three must find; the counts are compared so that none can be fast by doing less. */
interface Found {
  readonly title: string
  readonly text: string
  readonly links: ReadonlyArray<{ readonly href: string; readonly anchor: string }>
}

interface MutableLink {
  href: string
  anchor: string
}

export function run(): void {
  measureAll('generated pages', generatePages(40))
  const { HTML_DIR } = process.env
  if (HTML_DIR !== undefined) measureAll(HTML_DIR, readPages(HTML_DIR, 300))
}

function measureAll(name: string, pages: readonly string[]): void {
  const chars = pages.reduce((sum, page) => sum + page.length, 0)
  const links = pages.reduce((sum, page) => sum + scanWithOurs(page).links.length, 0)
  console.log(
    `${name}: ${pages.length} pages, ${kilo(chars / pages.length)} kB and ${kilo((links * 1000) / pages.length)} links each\n`,
  )
  const contenders = [
    { name: 'scanHtml', read: scanWithOurs },
    { name: 'htmlparser2 SAX', read: readWithHtmlparser2 },
    { name: 'parse5 tree', read: readWithParse5 },
  ]
  // Rounds are interleaved, so that a slow moment of the machine hits all three; the best round of each counts.
  const best = new Map<string, number>()
  for (let round = 0; round < 8; round++) {
    for (const contender of contenders) {
      const megabytes = measure(pages, chars, contender.read)
      best.set(contender.name, Math.max(best.get(contender.name) ?? 0, megabytes))
    }
  }
  const ours = best.get('scanHtml') ?? 0
  for (const contender of contenders) {
    const found = pages.map(contender.read)
    const linkCount = found.reduce((sum, page) => sum + page.links.length, 0)
    const textChars = found.reduce((sum, page) => sum + page.text.replace(/\s+/g, ' ').length, 0)
    const speed = best.get(contender.name) ?? 0
    console.log(
      `${contender.name.padEnd(18)}${speed.toFixed(0).padStart(5)} MB/s   ${(ours / speed).toFixed(1).padStart(5)} x   ` +
        `${linkCount} links, ${textChars} characters of text`,
    )
  }
  console.log()
}

/** MB (10^6 characters) for each second of CPU time, garbage collection included, over at least 300 ms of it. */
function measure(pages: readonly string[], chars: number, read: (html: string) => Found): number {
  const start = process.cpuUsage()
  let rounds = 0
  for (;;) {
    for (const page of pages) read(page)
    rounds++
    const { user, system } = process.cpuUsage(start)
    if (user + system > 300_000) return (chars * rounds) / (user + system)
  }
}

function kilo(amount: number): string {
  return (amount / 1000).toFixed(0)
}

function scanWithOurs(html: string): Found {
  return scanHtml(html)
}

const SKIPPED = new Set(['script', 'style', 'template', 'svg', 'title', 'iframe', 'noembed', 'noframes'])
const BLOCKS = new Set(
  (
    'address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol option p pre section summary table tbody tfoot thead tr ul'
  ).split(' '),
)
const HREF_ATTRIBUTE = new Map([
  ['a', 'href'],
  ['area', 'href'],
  ['link', 'href'],
  ['frame', 'src'],
  ['iframe', 'src'],
])

/** What a crawler on htmlparser2 would write: no tree, text pieces collected, white space collapsed at the end. */
function readWithHtmlparser2(html: string): Found {
  let title = ''
  let text = ''
  let inTitle = false
  let skipping = 0
  let open: MutableLink | undefined
  const links: MutableLink[] = []
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (BLOCKS.has(name)) text += '\n'
        else if (name === 'td' || name === 'th') text += '\t'
        if (SKIPPED.has(name)) skipping++
        if (name === 'title') inTitle = true
        const href = attributes[HREF_ATTRIBUTE.get(name) ?? '']
        if (name === 'a') open = undefined
        if (href !== undefined) {
          const link = { href: href.trim(), anchor: '' }
          links.push(link)
          if (name === 'a') open = link
        } else if (name === 'img' && open?.anchor === '') {
          const { alt = '' } = attributes
          open.anchor = alt
        }
      },
      ontext(data) {
        if (inTitle) title += data
        if (skipping > 0) return
        text += data
        if (open !== undefined) open.anchor += data
      },
      onclosetag(name) {
        if (BLOCKS.has(name)) text += '\n'
        if (SKIPPED.has(name)) skipping--
        if (name === 'title') inTitle = false
        if (name === 'a') open = undefined
      },
    },
    { decodeEntities: true },
  )
  parser.end(html)
  for (const link of links) link.anchor = collapse(link.anchor)
  return { title: collapse(title), text: collapseLines(text), links }
}

type Node = DefaultTreeAdapterMap['node']
type Element = DefaultTreeAdapterMap['element']

function readWithParse5(html: string): Found {
  const found = { title: '', text: '' }
  const links: MutableLink[] = []
  const walk = (node: Node, open: MutableLink | undefined): void => {
    if (node.nodeName === '#text') {
      const { value } = node as DefaultTreeAdapterMap['textNode']
      found.text += value
      if (open !== undefined) open.anchor += value
      return
    }
    if (!('childNodes' in node)) return
    const element = node as Element
    const name = element.nodeName
    if (name === 'title' && found.title === '') {
      for (const child of element.childNodes) if ('value' in child) found.title += child.value
    }
    const hrefName = HREF_ATTRIBUTE.get(name)
    const href = hrefName && element.attrs.find((attribute) => attribute.name === hrefName)?.value
    let inside = open
    if (href !== undefined) {
      const link = { href: href.trim(), anchor: '' }
      links.push(link)
      if (name === 'a') inside = link
    } else if (name === 'img' && open?.anchor === '') {
      open.anchor = element.attrs.find((attribute) => attribute.name === 'alt')?.value ?? ''
    }
    if (SKIPPED.has(name)) return
    if (BLOCKS.has(name)) found.text += '\n'
    else if (name === 'td' || name === 'th') found.text += '\t'
    for (const child of element.childNodes) walk(child, inside)
    if (BLOCKS.has(name)) found.text += '\n'
  }
  walk(parse(html, { scriptingEnabled: false }), undefined)
  for (const link of links) link.anchor = collapse(link.anchor)
  return { title: collapse(found.title), text: collapseLines(found.text), links }
}

function collapse(text: string): string {
  return text.replace(/[\t\n\f\r ]+/g, ' ').trim()
}

function collapseLines(text: string): string {
  return text
    .replace(/[\f\r ]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim()
}
