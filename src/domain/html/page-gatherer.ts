import { type Attributes, attributeNamed } from './attributes.ts'
import { collapseSpace, stripControls } from './characters.ts'
import type { Alternate, FeedLink, LinkKind, MetaTag, ScanOptions } from './html-scan.ts'
import type { LinkCollector } from './link-collector.ts'
import { type MetaRefresh, parseMetaRefresh } from './meta-refresh.ts'
import { TAG_BITS, type Tag, tagNamed } from './tags.ts'

const { attributes: ATTRIBUTES } = TAG_BITS

const AREA = tagNamed('area')
const BASE = tagNamed('base')
const FORM = tagNamed('form')
const FRAME = tagNamed('frame')
const HTML = tagNamed('html')
const IFRAME = tagNamed('iframe')
const IMAGE = tagNamed('image')
const IMG = tagNamed('img')
const LINK = tagNamed('link')
const META = tagNamed('meta')
const SCRIPT = tagNamed('script')
const SOURCE = tagNamed('source')

const ACTION = attributeNamed('action')
const ALT = attributeNamed('alt')
const HREF = attributeNamed('href')
const METHOD = attributeNamed('method')
const REL = attributeNamed('rel')
const SRC = attributeNamed('src')
const XLINK_HREF = attributeNamed('xlink:href')

/** Collects links and metadata from start tags. */
export class PageGatherer {
  readonly facts: PageFacts
  readonly #attributes: Attributes
  readonly #links: LinkCollector
  readonly #also: ReadonlySet<LinkKind>
  readonly #wantsImages: boolean

  constructor(attributes: Attributes, links: LinkCollector, { also = [], maxFacts = 500 }: ScanOptions) {
    this.#attributes = attributes
    this.#links = links
    this.#also = new Set(also)
    this.#wantsImages = this.#also.has('img')
    this.facts = new PageFacts(maxFacts)
  }

  /** Whether the attributes of a start tag are needed. Those of an image seldom are, and pages have many. */
  needsAttributes(tag: Tag): boolean {
    if (tag === IMG || tag === IMAGE) return this.#wantsImages || this.#links.wantsAlt
    return (tag & ATTRIBUTES) !== 0
  }

  /** An `<a>`, which ends the one before it. Returns whether it is a link. In SVG the attribute may be `xlink:href`. */
  gatherAnchor(inImage: boolean): boolean {
    this.#links.close()
    const href = this.#attributes.value(HREF) ?? (inImage ? this.#attributes.value(XLINK_HREF) : undefined)
    return href !== undefined && this.#links.open(stripControls(href), this.#attributes.value(REL))
  }

  gather(tag: Tag): void {
    switch (tag) {
      case IMG:
      case IMAGE:
        this.#gatherImage()
        break
      case LINK:
        this.#gatherLinkElement()
        break
      case META:
        this.facts.addMeta(this.#attributes)
        break
      case AREA:
        this.#addLink('area', HREF, this.#alt())
        break
      case FRAME:
      case IFRAME:
        this.#addLink(tag === FRAME ? 'frame' : 'iframe', SRC, '')
        break
      case SCRIPT:
      case SOURCE: {
        const kind = tag === SCRIPT ? 'script' : 'source'
        if (this.#also.has(kind)) this.#addLink(kind, SRC, '')
        break
      }
      case FORM:
        if (this.#also.has('form') && isGet(this.#attributes.value(METHOD))) this.#addLink('form', ACTION, '')
        break
      case BASE:
        this.facts.addBase(this.#attributes)
        break
      case HTML:
        this.facts.addHtml(this.#attributes)
        break
    }
  }

  #gatherImage(): void {
    if (this.#links.wantsAlt) this.#links.addAlt(this.#alt())
    if (this.#wantsImages) this.#addLink('img', SRC, this.#alt())
  }

  #gatherLinkElement(): void {
    const href = this.#attributes.value(HREF)
    if (href === undefined) return
    const rel = this.#links.relTokens(this.#attributes.value(REL))
    this.facts.addLink(stripControls(href), rel, this.#attributes)
    this.#addLink('link', HREF, '')
  }

  #addLink(kind: LinkKind, source: number, anchor: string): void {
    const href = this.#attributes.value(source)
    if (href !== undefined) this.#links.add(kind, stripControls(href), this.#attributes.value(REL), anchor)
  }

  #alt(): string {
    return collapseSpace(this.#attributes.value(ALT) ?? '')
  }
}

/** Anything but the other two methods means GET. */
function isGet(method: string | undefined): boolean {
  return method === undefined || !/^(?:post|dialog)$/i.test(method)
}

const CONTENT = attributeNamed('content')
const HREFLANG = attributeNamed('hreflang')
const HTTP_EQUIV = attributeNamed('http-equiv')
const LANG = attributeNamed('lang')
const NAME = attributeNamed('name')
const TITLE = attributeNamed('title')
const TYPE = attributeNamed('type')
const XML_LANG = attributeNamed('xml:lang')

/** Collects the metadata of `<html>`, `<base>`, `<meta>` and `<link>`. */
class PageFacts {
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
