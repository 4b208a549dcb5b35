import { DEFAULT_MAX_LINKS } from '../content/format-reader.ts'
import { type FoundLink, resolveLinks } from '../content/page-links.ts'
import { collapseSpace, cutChars, stripControls } from '../html/characters.ts'
import { scanHtml } from '../html/scan-html.ts'
import type { LinearPattern } from '../url/linear-pattern.ts'
import { createLinkResolver, type LinkResolver } from '../url/link-resolver.ts'
import type { UrlNormalizer } from '../url/normalize-url.ts'
import {
  compilePatterns,
  createLinkFilter,
  type LinkFilterOptions,
  type LinkPattern,
  listOf,
} from './link-filter.ts'
import type { Selection } from './selection.ts'

/** Which links of a page are wanted. The names mean what they mean in Scrapy. */
export interface LinkExtractorOptions extends LinkFilterOptions {
  /** Only links in, or themselves, what these find. @default the whole page */
  readonly restrictCss?: string | readonly string[]
  readonly restrictXPath?: string | readonly string[]
  /** Only links whose text matches one of these. */
  readonly restrictText?: LinkPattern | readonly LinkPattern[]
  /** Names of the elements that are links. @default ['a', 'area'] */
  readonly tags?: readonly string[]
  /** Their attributes that hold a URL. @default ['href'] */
  readonly attributes?: readonly string[]
  /** Each URL once. @default true */
  readonly unique?: boolean
}

/** A page, as far as links need it. */
export interface LinkSource {
  /** Normalised. */
  readonly url: string
  readonly html: string
  /** Asked for only where the tree is needed. */
  readonly document: () => Selection
  readonly normalize: UrlNormalizer
  /** Told how many links were over the limit of a page, if any were. */
  readonly onOverLimit?: (links: number) => void
}

export interface ExtractedLink {
  /** Absolute and normalised. */
  readonly url: string
  /** What a reader sees of it, in one line, or the `alt` of an image in it; `''`: nothing. */
  readonly text: string
  /** With `unique`: every link to that URL says so. */
  readonly nofollow: boolean
}

/**
 * Finds the links of pages. A link to the page itself, and one that leads nowhere (`mailto:`, `javascript:`), is left out;
 * `<base href>` counts, templates do not. Without a restriction to a part of the page no tree is built.
 */
export class LinkExtractor {
  readonly #options: LinkExtractorOptions
  readonly #tags: readonly string[]
  readonly #attributes: readonly string[]
  readonly #accepts: (url: string) => boolean
  readonly #texts: readonly LinearPattern[]
  readonly #needsTree: boolean

  /** @throws ConfigurationError for a pattern or host name that cannot be used */
  constructor(options: LinkExtractorOptions = {}) {
    const { tags = ['a', 'area'], attributes = ['href'] } = options
    this.#options = options
    this.#tags = tags
    this.#attributes = attributes
    this.#accepts = createLinkFilter(options)
    this.#texts = compilePatterns(options.restrictText, 'restrictText')
    this.#needsTree =
      listOf(options.restrictCss).length + listOf(options.restrictXPath).length > 0 ||
      tags.some((tag) => tag !== 'a' && tag !== 'area') ||
      attributes.join() !== 'href'
  }

  /**
   * In document order.
   * @throws BadSelector when a restriction is no selector
   */
  extract(source: LinkSource): ExtractedLink[] {
    const { found, base } = this.#needsTree ? this.#readTree(source) : this.#scan(source)
    const { url, normalize } = source
    const baseUrl = base === undefined ? undefined : normalize(base, url)
    const resolve = createLinkResolver(baseUrl?.ok ? baseUrl.url : url, normalize)
    const wanted = found.filter(
      ({ anchor }) => this.#texts.length === 0 || this.#texts.some((pattern) => pattern.test(anchor)),
    )
    return this.#resolve(wanted, url, resolve).filter((link) => this.#accepts(link.url))
  }

  #resolve(found: readonly FoundLink[], pageUrl: string, resolve: LinkResolver): ExtractedLink[] {
    // Links are made one where they lead to one URL, so each on its own stays by itself.
    const groups = (this.#options.unique ?? true) ? [found] : found.map((link) => [link])
    return groups
      .flatMap((group) => resolveLinks(group, pageUrl, resolve).links)
      .map(({ url, anchor, rel }) => ({ url, text: anchor, nofollow: rel.includes('nofollow') }))
  }

  #scan({ html, onOverLimit }: LinkSource): Findings {
    const { links, linksDropped, base } = scanHtml(html, { maxLinks: DEFAULT_MAX_LINKS })
    if (linksDropped > 0) onOverLimit?.(linksDropped)
    return { found: links.filter(({ kind }) => this.#tags.includes(kind)), base }
  }

  #readTree({ document, onOverLimit }: LinkSource): Findings {
    const page = document()
    const links = this.#tags.map((tag) => `${tag}:not(template *)`).join()
    const found = this.#parts(page)
      .flatMap((part) => [...part.cssOrSelf(links)])
      .flatMap((link) => this.#linksOf(link))
    if (found.length > DEFAULT_MAX_LINKS) onOverLimit?.(found.length - DEFAULT_MAX_LINKS)
    return {
      found: found.slice(0, DEFAULT_MAX_LINKS),
      base: page.css('base:not(template *)[href]').attr('href'),
    }
  }

  /** Several selectors as one, so that a link that two of them find is one link. */
  #parts(page: Selection): readonly Selection[] {
    const css = listOf(this.#options.restrictCss)
    const xpath = listOf(this.#options.restrictXPath)
    if (css.length + xpath.length === 0) return [page]
    return [
      ...(css.length > 0 ? [page.css(css.join(', '))] : []),
      ...(xpath.length > 0 ? [page.xpath(xpath.join(' | '))] : []),
    ]
  }

  #linksOf(link: Selection): FoundLink[] {
    const rel = (link.attr('rel') ?? '')
      .toLowerCase()
      .split(/[\t\n\f\r ]+/)
      .filter(Boolean)
    return this.#attributes.flatMap((attribute) => {
      const href = link.attr(attribute) ?? (attribute === 'href' ? oldImageHref(link) : undefined)
      return href === undefined
        ? []
        : [{ href: stripControls(href), anchor: anchorOf(link), rel, kind: 'a' as const }]
    })
  }
}

interface Findings {
  readonly found: readonly FoundLink[]
  readonly base: string | undefined
}

/** The scanner's own limit. */
const MAX_ANCHOR_CHARS = 500

/** How links in images were written. */
function oldImageHref(link: Selection): string | undefined {
  return link.tagName === 'a' ? link.attr('xlink:href') : undefined
}

function anchorOf(link: Selection): string {
  const alt = link.tagName === 'a' ? link.attr('img[alt]:not([alt=""])', 'alt') : link.attr('alt')
  const text = link.text() || alt || ''
  return collapseSpace(cutChars(collapseSpace(text), MAX_ANCHOR_CHARS))
}
