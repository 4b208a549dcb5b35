import type { JsonObject } from '../../base/json.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { parseWebDate } from '../content/web-date.ts'
import type { ElementNode, RootNode } from '../selectors/nodes.ts'
import { readableText } from '../selectors/readable-text.ts'
import { contentHeadings } from './content-headings.ts'
import { contentText } from './content-text.ts'
import { findMainContent, type MainContent } from './find-main-content.ts'
import { BETWEEN_BLOCKS, markdownBlocks } from './markdown/markdown-of.ts'
import { type StructuredData, structuredData } from './structured-data.ts'

/** What a page tells about its content. Dates are ISO 8601, in UTC. */
export interface PageDescription extends PageDetails {
  /** `''` without one. */
  readonly title: string
  /** As the page declares it: `en-GB`. */
  readonly lang?: string
}

/** What its metadata and structured data tell. */
export interface PageDetails {
  readonly byline?: string
  readonly description?: string
  readonly published?: string
  readonly modified?: string
  readonly siteName?: string
}

/** The main content of a page, without navigation and other boilerplate. */
export interface PageContent extends PageDescription {
  readonly text: string
}

/** Reads the content of a page from its tree; each part when it is first wanted. */
export class ContentReader {
  readonly #root: RootNode
  readonly #url: string
  #main: MainContent | undefined
  #structured: StructuredData | undefined

  /** @param url the base of relative links, unless the page has a `<base>` */
  constructor(root: RootNode, url: string) {
    this.#root = root
    this.#url = url
  }

  get main(): MainContent {
    this.#main ??= findMainContent(this.#root)
    return this.#main
  }

  get structured(): StructuredData {
    this.#structured ??= structuredData(this.#root)
    return this.#structured
  }

  text(): string {
    return contentText(this.main)
  }

  headings(): string[] {
    return contentHeadings(this.main)
  }

  markdown(): string {
    return this.markdownBlocks().join(BETWEEN_BLOCKS)
  }

  markdownBlocks(): string[] {
    const base = this.#base()
    return markdownBlocks(this.main, (href) => {
      const url = URL.parse(href, base)
      return url !== null && LINKED.has(url.protocol) ? url.href : undefined
    })
  }

  describe(): PageDescription {
    const { byline, ...details } = this.details()
    return { title: this.#title(), ...withoutUndefined({ byline, lang: this.#lang() }), ...details }
  }

  details(): PageDetails {
    const { openGraph, jsonLd, microdata } = this.structured
    const items = [...jsonLd, ...microdata]
    const metas = this.#metas()
    const published = firstDate(
      openGraph['article:published_time'],
      ...values(items, 'datePublished'),
      ...PUBLISHED.map((name) => metas.get(name)),
    )
    const modified = firstDate(
      openGraph['article:modified_time'],
      openGraph['og:updated_time'],
      ...values(items, 'dateModified'),
      ...MODIFIED.map((name) => metas.get(name)),
    )
    const author = values(items, 'author').flatMap((value) => nameOf(value) ?? [])[0]
    const byline = textOf(metas.get('author')) ?? author ?? textOf(openGraph['article:author'])
    const description = textOf(metas.get('description')) ?? textOf(openGraph['og:description'])
    const siteName = textOf(openGraph['og:site_name'])
    return withoutUndefined({ byline, description, published, modified, siteName })
  }

  /** `og:title` has no name of the site in it; then a heading that is part of the title; then the title. */
  #title(): string {
    const title = this.#textOfFirst('title')
    const shared = textOf(this.structured.openGraph['og:title'])
    if (shared !== undefined) return shared
    const heading = this.#textOfFirst('h1')
    return heading.length >= 3 && title.includes(heading) ? heading : title || heading
  }

  #textOfFirst(name: string): string {
    const element = this.#first((one) => one.name === name)
    const text = element === undefined ? '' : readableText(element, 'html')
    return /[¶#]$/.test(text) ? text.slice(0, -1).trimEnd() : text
  }

  #lang(): string | undefined {
    const html = this.#first((element) => element.name === 'html')
    return textOf(html?.attribute('lang') ?? html?.attribute('xml:lang'))
  }

  #base(): string {
    const href = this.#first(
      (element) => element.name === 'base' && element.attribute('href') !== undefined,
    )?.attribute('href')
    return (href !== undefined && URL.parse(href, this.#url)?.href) || this.#url
  }

  #first(fits: (element: ElementNode) => boolean): ElementNode | undefined {
    for (let element = this.#root.following; element !== null; element = element.following)
      if (fits(element)) return element
    return undefined
  }

  /** The first of each name. */
  #metas(): ReadonlyMap<string, string> {
    const metas = new Map<string, string>()
    for (let element = this.#root.following; element !== null; element = element.following) {
      if (element.name !== 'meta') continue
      const name = element.attribute('name')?.trim().toLowerCase()
      const content = element.attribute('content')
      if (name !== undefined && content !== undefined && !metas.has(name)) metas.set(name, content)
    }
    return metas
  }
}

const LINKED = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:'])
const PUBLISHED = [
  'date',
  'dc.date',
  'dc.date.issued',
  'dcterms.created',
  'dcterms.issued',
  'pubdate',
  'publish_date',
  'citation_publication_date',
]
const MODIFIED = ['last-modified', 'dcterms.modified', 'dc.date.modified', 'revised']

/** Values of a property in the first items that have it. */
function values(items: readonly JsonObject[], name: string): unknown[] {
  return items.flatMap((item) => (Object.hasOwn(item, name) ? [item[name]] : [])).flat()
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === 'string') return textOf(value)
  if (typeof value !== 'object' || value === null) return undefined
  return textOf((value as JsonObject)['name'])
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.replace(/\s+/g, ' ').trim()
  return text === '' ? undefined : text.slice(0, MAX_CHARS)
}

const MAX_CHARS = 1_000

/** The first value that is a date of the web's time, as ISO 8601. */
function firstDate(...candidates: readonly unknown[]): string | undefined {
  for (const value of candidates) {
    if (typeof value !== 'string') continue
    const time = parseWebDate(value.trim())
    if (time !== undefined) return new Date(time).toISOString()
  }
  return undefined
}
