import { type Attributes, attributeNamed } from './attributes.ts'
import type { Alternate, FeedLink, MetaTag } from './html-scan.ts'
import { type MetaRefresh, parseMetaRefresh } from './meta-refresh.ts'

const CONTENT = attributeNamed('content')
const HREF = attributeNamed('href')
const HREFLANG = attributeNamed('hreflang')
const HTTP_EQUIV = attributeNamed('http-equiv')
const LANG = attributeNamed('lang')
const NAME = attributeNamed('name')
const TITLE = attributeNamed('title')
const TYPE = attributeNamed('type')
const XML_LANG = attributeNamed('xml:lang')

/** Gathers what `<html>`, `<base>`, `<meta>` and `<link>` say about the page as a whole. */
export class PageFacts {
  base: string | undefined
  lang: string | undefined
  contentLanguage: string | undefined
  refresh: MetaRefresh | undefined
  canonical: string | undefined
  readonly metas: MetaTag[] = []
  readonly alternates: Alternate[] = []
  readonly feeds: FeedLink[] = []
  readonly #max: number

  constructor(maxFacts: number) {
    this.#max = maxFacts
  }

  /** A second `<html>` tag adds the attributes that the first did not have. */
  addHtml(attributes: Attributes): void {
    this.lang ??= attributes.value(LANG) ?? attributes.value(XML_LANG)
  }

  addBase(attributes: Attributes): void {
    this.base ??= attributes.value(HREF)
  }

  addMeta(attributes: Attributes): void {
    const content = attributes.value(CONTENT)
    if (content === undefined) return
    const name = attributes.value(NAME)
    if (name !== undefined && this.metas.length < this.#max)
      this.metas.push({ name: name.trim().toLowerCase(), content })
    switch (attributes.value(HTTP_EQUIV)?.trim().toLowerCase()) {
      case 'refresh':
        this.refresh ??= parseMetaRefresh(content)
        break
      case 'content-language':
        this.contentLanguage ??= content.trim()
        break
    }
  }

  addLink(href: string, rel: readonly string[], attributes: Attributes): void {
    if (rel.includes('canonical')) this.canonical ??= href
    if (!rel.includes('alternate') && !rel.includes('feed')) return
    const hreflang = attributes.value(HREFLANG)
    if (hreflang !== undefined && hreflang !== '' && this.alternates.length < this.#max) {
      this.alternates.push({ hreflang: hreflang.trim().toLowerCase(), href })
    }
    const format = feedFormat(attributes.value(TYPE) ?? '') ?? (rel.includes('feed') ? 'unknown' : undefined)
    if (format !== undefined && this.feeds.length < this.#max) {
      this.feeds.push({ href, format, title: attributes.value(TITLE) ?? '' })
    }
  }
}

function feedFormat(type: string): FeedLink['format'] | undefined {
  const [essence = ''] = type.split(';')
  switch (essence.trim().toLowerCase()) {
    case 'application/rss+xml':
    case 'application/rdf+xml':
      return 'rss'
    case 'application/atom+xml':
      return 'atom'
    case 'application/feed+json':
      return 'json'
    default:
      return undefined
  }
}
