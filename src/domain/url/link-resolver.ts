import { isNormalUrl } from './is-normal-url.ts'
import type { NormalizedUrl, UrlNormalizer } from './normalize-url.ts'

/** Resolves and normalises the links of one page. */
export type LinkResolver = (href: string) => NormalizedUrl

/**
 * The same as `normalize(href, base)` for every `href`, for a page with many links: the base is parsed once, and the
 * usual kinds of reference are appended to the right part of it as text, which the normaliser then mostly finds in order.
 */
export function createLinkResolver(base: string, normalize: UrlNormalizer): LinkResolver {
  const page = partsOf(base)
  if (page === undefined) return (href) => normalize(href, base)
  const { origin, file } = page
  const directory = file.slice(0, file.lastIndexOf('/') + 1)
  const self = normalize(base)
  if (file.length > MAX_SHORTCUT_LENGTH) return (href) => normalize(href, base)

  return (href) => {
    if (href.length > MAX_SHORTCUT_LENGTH) return normalize(href, base)
    const first = href.charCodeAt(0)
    if (first === HASH || href === '') return self
    if (first === SLASH && !startsAuthority(href)) return normalize(origin + href)
    if (first === QUESTION) return normalize(file + href)
    if (first === DOT) {
      const parent = climb(href, directory, origin.length)
      if (parent !== undefined) return normalize(parent)
    } else if (startsPlainly(href, 0)) return normalize(directory + href)
    return normalize(href, base)
  }
}

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

const HASH = 35
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
