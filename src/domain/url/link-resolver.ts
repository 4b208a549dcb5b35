import { ownCopy } from '../../base/own-copy.ts'
import { isNormalUrl } from './is-normal-url.ts'
import { knownLinks } from './known-links.ts'
import type { NormalizedUrl, UrlNormalizer } from './normalize-url.ts'

/** Resolves and normalises the links of one page. */
export type LinkResolver = (href: string) => NormalizedUrl

/**
 * The same as `normalize(href, base)` for every `href`, for a page with many links: the base is parsed once, and the
 * usual kinds of reference are appended to the right part of it as text, which the normaliser then mostly finds in order.
 * Links that pages of one directory repeat are resolved once.
 * @example
 * const resolve = createLinkResolver('https://example.org/docs/index.html', normalizeUrl)
 * resolve('../about') // → { ok: true, url: 'https://example.org/about' }
 */
export function createLinkResolver(base: string, normalize: UrlNormalizer): LinkResolver {
  const page = partsOf(base)
  if (page === undefined) return (href) => normalize(href, base)
  const { origin, file } = page
  const directory = file.slice(0, file.lastIndexOf('/') + 1)
  const self = normalize(base)
  if (file.length > MAX_SHORTCUT_LENGTH) return (href) => normalize(href, base)
  const known = knownLinks(normalize, directory)

  return (href) => {
    if (href.length > MAX_SHORTCUT_LENGTH) return normalize(href, base)
    const hash = href.indexOf('#')
    if (hash === 0 || href === '') return self
    // A space before the fragment belongs to the link; at its end it would not.
    if (hash !== -1 && href.charCodeAt(hash - 1) <= SPACE) return normalize(href, base)
    const link = hash === -1 ? href : href.slice(0, hash)
    const before = known?.get(link)
    if (before !== undefined) return before
    const first = link.charCodeAt(0)
    if (first === QUESTION) return normalize(file + link)
    // What is remembered must not keep the page in memory.
    const own = known === undefined ? link : ownCopy(link)
    const whole = wholeUrl(own, first, origin, directory)
    // Anything else may depend on more of the base than its directory.
    if (whole === undefined) return normalize(href, base)
    const resolved = normalize(whole)
    known?.set(own, resolved)
    return resolved
  }
}

/** The absolute URL of a link to another page, not normalised; `undefined` for the unusual. */
function wholeUrl(href: string, first: number, origin: string, directory: string): string | undefined {
  if (first === SLASH) return startsAuthority(href) ? undefined : origin + href
  if (first === DOT) return climb(href, directory, origin.length)
  if (startsPlainly(href, 0)) return directory + href
  return ABSOLUTE.test(href) ? href : undefined
}

const ABSOLUTE = /^https?:\/\//

interface BaseParts {
  /** `http://host:port` */
  readonly origin: string
  /** All up to the query. */
  readonly file: string
}

/** `undefined` if links cannot be appended to parts of it. */
function partsOf(base: string): BaseParts | undefined {
  // The page's own address is in normal form, and then cutting it up is all.
  if (isNormalUrl(base)) {
    const query = base.indexOf('?')
    return {
      origin: base.slice(0, base.indexOf('/', base.indexOf('//') + 2)),
      file: query === -1 ? base : base.slice(0, query),
    }
  }
  const page = URL.parse(base)
  if (page === null || !/^https?:$/.test(page.protocol)) return undefined
  return { origin: page.origin, file: page.origin + page.pathname }
}

/** Well under the normaliser's limit on its input, so that joining two texts cannot pass it. */
const MAX_SHORTCUT_LENGTH = 8_192

const SPACE = 32
const DOT = 46
const SLASH = 47
const QUESTION = 63
const BACKSLASH = 92

/** `//host`, or what becomes one: a backslash counts as a slash, tabs and line ends are removed. */
function startsAuthority(href: string): boolean {
  const second = href.charCodeAt(1)
  return second === SLASH || second === BACKSLASH || second <= 32
}

/** Follows leading `./` and `../`; `undefined` when something else comes with dots. */
function climb(href: string, directory: string, originLength: number): string | undefined {
  let parent = directory
  let at = 0
  for (;;) {
    if (href.startsWith('./', at)) {
      at += 2
    } else if (href.startsWith('../', at)) {
      at += 3
      // The root is its own parent.
      parent = parent.slice(0, Math.max(originLength, parent.lastIndexOf('/', parent.length - 2)) + 1)
    } else {
      return startsPlainly(href, at) ? parent + href.slice(at) : undefined
    }
  }
}

/**
 * Whether a path segment starts here: a character that is always path, and up to the segment's end nothing that makes
 * it a scheme. Tabs and line ends are removed from URLs: `java` LF `script:` is one.
 */
function startsPlainly(href: string, start: number): boolean {
  SEGMENT.lastIndex = start
  return SEGMENT.test(href)
}

const SEGMENT = /\w[^\0-\x20:\\/?#]*(?:[/?#]|$)/y
