import { DEFAULT_MAX_LINKS } from '../content/format-reader.ts'
import { type FoundLink, resolveLinks } from '../content/page-links.ts'
import { collapseSpace, cutChars, stripControls } from '../html/characters.ts'
import { scanHtml } from '../html/scan-html.ts'
import { DomainSet } from '../url/domain-set.ts'
import { hostOf } from '../url/host-of.ts'
import { compileLinear, type LinearPattern } from '../url/linear-pattern.ts'
import { createLinkResolver, type LinkResolver } from '../url/link-resolver.ts'
import type { UrlNormalizer } from '../url/normalize-url.ts'
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
  /** Called only if the tree is needed. */
  readonly document: () => Selection
  readonly normalize: UrlNormalizer
  /** Told how many links were over the limit of a page, if any were. */
  readonly onOverLimit?: (links: number) => void
}

/** A link that a {@link LinkExtractor} found and accepted. */
export interface ExtractedLink {
  /** Absolute and normalised. */
  readonly url: string
  /** What a reader sees of it, in one line, or the `alt` of an image in it; `''`: nothing. */
  readonly text: string
  /** With `unique`: true only if every link to that URL has it. */
  readonly nofollow: boolean
}

/**
 * Finds the links of pages. A link to the page itself, and one that leads nowhere (`mailto:`, `javascript:`), is left out;
 * `<base href>` counts, templates do not. Without a restriction to a part of the page no tree is built.
 * @example
 * const articles = new LinkExtractor({ allow: [/\/articles\//], deny: ['/print/'] })
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
   * @throws BadSelector if a restriction is not a selector
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

/** A regular expression, or its source in RE2's syntax. */
export type LinkPattern = RegExp | string

/** Which URLs count. All of them together: a link must pass each that is given. */
interface LinkFilterOptions {
  /** The absolute URL must match one of these, anywhere. @default every URL does */
  readonly allow?: LinkPattern | readonly LinkPattern[]
  /** It must match none of these; stronger than `allow`. */
  readonly deny?: LinkPattern | readonly LinkPattern[]
  /** Hosts, each with everything under it. @default every host */
  readonly allowDomains?: string | readonly string[]
  readonly denyDomains?: string | readonly string[]
  /** Ends of the path, without the dot. @default those of images, archives, office files and their like */
  readonly denyExtensions?: readonly string[]
}

/** @throws ConfigurationError for a pattern or a host name that cannot be used */
function createLinkFilter(options: LinkFilterOptions): (url: string) => boolean {
  const { denyExtensions = DENIED_EXTENSIONS } = options
  const allow = compilePatterns(options.allow, 'allow')
  const deny = compilePatterns(options.deny, 'deny')
  const allowDomains = new DomainSet(listOf(options.allowDomains), 'allowDomains')
  const denyDomains = new DomainSet(listOf(options.denyDomains), 'denyDomains')
  const extensions = new Set(denyExtensions.map((extension) => extension.replace(/^\./, '').toLowerCase()))

  return (url) => {
    if (allow.length > 0 && !allow.some((pattern) => pattern.test(url))) return false
    if (deny.some((pattern) => pattern.test(url))) return false
    const host = hostOf(url)
    if (allowDomains.size > 0 && allowDomains.covering(host) === undefined) return false
    if (denyDomains.covering(host) !== undefined) return false
    return !extensions.has(extensionOf(url))
  }
}

/** @param where names the option in messages */
function compilePatterns(
  patterns: LinkPattern | readonly LinkPattern[] | undefined,
  where: string,
): readonly LinearPattern[] {
  return listOf(patterns).map((pattern) => {
    if (typeof pattern === 'string') return compileLinear(pattern, where)
    // With these flags a RegExp remembers where it was, and every second test would start there.
    return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))
  })
}

function listOf<Entry extends string | RegExp>(
  entries: Entry | readonly Entry[] | undefined,
): readonly Entry[] {
  if (entries === undefined) return []
  return typeof entries === 'string' || entries instanceof RegExp ? [entries] : entries
}

/** Of the path of a normalised URL, lower case; `''`: none. */
function extensionOf(url: string): string {
  const [path = ''] = url.slice(url.indexOf('//') + 2).split(/[?#]/, 1)
  const file = path.slice(path.lastIndexOf('/') + 1)
  const dot = file.lastIndexOf('.')
  return dot === -1 || !path.includes('/') ? '' : file.slice(dot + 1).toLowerCase()
}

/** File name extensions that a LinkExtractor skips by default. */
const DENIED_EXTENSIONS: readonly string[] = [
  // Archives
  ...'7z 7zip bz2 cab deb gz iso jar rar rpm tar tgz xz zip zst'.split(' '),
  // Images
  ...'ai avif bmp cdr drw dxf eps gif heic ico jpe jpeg jpg mng pct png ps psd pst svg svgz tif tiff webp'.split(
    ' ',
  ),
  // Sound
  ...'aac aif aiff au flac m4a mid midi mp3 oga ogg opus ra wav wma'.split(' '),
  // Film
  ...'3g2 3gp asf asx avi flv m4v mkv mov mp4 mpeg mpg ogv qt rm swf vob webm wmv'.split(' '),
  // Office
  ...'doc docm docx dotx epub odp ods odt pdf potx pps ppsx ppt pptm pptx rtf xls xlsb xlsm xlsx xltx'.split(
    ' ',
  ),
  // Programs, and what pages are made with
  ...'apk bat bin cpl css dmg eot exe hta js mjs msi msp otf pkg py rb rss sh ttf wasm woff woff2'.split(' '),
]
