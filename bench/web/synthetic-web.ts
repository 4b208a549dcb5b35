import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anchor, card, furniture, words } from './page-text.ts'
import { Random } from './random.ts'

export interface WebSize {
  readonly hosts: number
  readonly pagesPerHost: number
  /** Half of the pages are larger. @default 25000 */
  readonly medianBytes?: number
  /** On a page, about. @default 60 */
  readonly links?: number
  /** Links that robots.txt forbids, that redirect or lead to nothing. @default true */
  readonly troubles?: boolean
  /** For very many hosts: those beyond the first 250 have the pages of one of these. @default false */
  readonly shared?: boolean
}

/** Hosts that have pages of their own in a web that is shared: as many as their last number tells apart. */
const OWN_PAGES = 250
/** Deviation of the logarithm: one page in forty has more than 100 kB. */
const SPREAD = 0.7
const MAX_BYTES = 600_000
/** A page without menu and cards. */
const BARE_BYTES = 2_900
const MENU_ITEM_BYTES = 85

/** Host `n` of the web, an address of this machine. */
export function hostName(n: number): string {
  return `127.${1 + Math.floor(n / 62_500)}.${1 + (Math.floor(n / 250) % 250)}.${1 + (n % OWN_PAGES)}`
}

/**
 * Writes the web as files, a folder for each host that has pages of its own. Every page can be reached from page 0 of its host, and unless the web is shared
 * from page 0 of host 0: each links to the next one of its host, and the first of each host to the first of two others.
 */
export function writeWeb(folder: string, port: number, size: WebSize): void {
  const { hosts, pagesPerHost, shared = false } = size
  const vocabulary = words(new Random(1), 3_000)
  for (let host = 0; host < (shared ? Math.min(OWN_PAGES, hosts) : hosts); host++) {
    const random = new Random(host + 2)
    const root = join(folder, hostName(host))
    mkdirSync(root, { recursive: true })
    writeFileSync(join(root, 'robots.txt'), 'User-agent: *\nDisallow: /private/\nDisallow: /search\n')
    for (let page = 0; page < pagesPerHost; page++)
      writeFileSync(
        join(root, `page-${page}.html`),
        pageText({ ...size, random, vocabulary, port, host, page }),
      )
  }
}

interface PageOf extends WebSize {
  readonly random: Random
  readonly vocabulary: readonly string[]
  readonly port: number
  readonly host: number
  readonly page: number
}

function pageText(of: PageOf): string {
  const { random, vocabulary, host, page, medianBytes = 25_000 } = of
  const bytes = Math.min(MAX_BYTES, medianBytes * Math.exp(SPREAD * random.normal()))
  const hrefs = linksOf(of)
  const title = `${random.of(vocabulary)} ${random.of(vocabulary)} ${host}-${page}`
  const head = `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title>\n${furniture(random, vocabulary)}</head>\n`
  // Two links of three stand in the menu, the others in cards; what a short page has no cards for is in the menu, too.
  const forCards = hrefs.splice(Math.ceil((hrefs.length * 2) / 3))
  const cards: string[] = []
  let bytesLeft = bytes - BARE_BYTES - hrefs.length * MENU_ITEM_BYTES
  while (bytesLeft > 0) {
    const text = card(random, vocabulary, forCards.pop())
    cards.push(text)
    bytesLeft -= text.length
  }
  const items = [...hrefs, ...forCards].map(
    (href) => `<li class="menu-item">${anchor(random, vocabulary, href)}</li>\n`,
  )
  return `${head}<body><header><h1 class="title">${title}</h1></header>\n<nav><ul class="menu">\n${items.join('')}</ul></nav>\n<main id="main">\n${cards.join('')}</main></body></html>\n`
}

function linksOf(of: PageOf): string[] {
  const { random, port, hosts, pagesPerHost, host, page, links: about = 60 } = of
  const links = [`page-${(page + 1) % pagesPerHost}.html`]
  if (page === 0)
    for (const next of [2 * host + 1, 2 * host + 2])
      if (next < hosts) links.push(`http://${hostName(next)}:${port}/page-0.html`)
  const n = about / 2 + random.below(about)
  while (links.length < n) links.push(someLink(of))
  return links
}

function someLink({ random, port, hosts, pagesPerHost, troubles = true }: PageOf): string {
  const kind = random.below(100)
  const to = random.below(pagesPerHost)
  if (kind < 10) return `http://${hostName(random.below(hosts))}:${port}/page-${to}.html`
  if (kind < 16) return `/page-${to}.html#part-${random.below(9)}`
  if (troubles && kind < 17) return `/moved/page-${to % 3}.html`
  if (troubles && kind < 18) return `/missing/${random.below(2)}`
  if (troubles && kind < 20) return `/private/page-${to % 5}.html`
  return `/page-${to}.html`
}
