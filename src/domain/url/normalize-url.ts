import { fileURLToPath, pathToFileURL } from 'node:url'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { isNormalUrl } from './is-normal-url.ts'
import { normalizePath, type PathOptions } from './normalize-path.ts'
import { normalizeQuery, type QueryOptions } from './normalize-query.ts'
import { MAX_PLAIN_LENGTH } from './plain-url.ts'

/** How URLs are brought into one form. The defaults never merge two pages that a site tells apart. */
export interface NormalizerOptions extends PathOptions, QueryOptions {
  /**
   * Drop session ids: `;jsessionid=…` in the path, `sid`, `phpsessid`, `sessionid` parameters.
   * @default true
   */
  readonly removeSessionIds?: boolean
  /**
   * Longest normalised URL, in characters; at most 65536. The default is what common servers take as
   * a request line. @default 8192
   */
  readonly maxLength?: number
  /**
   * Schemes besides http and https, with their colon: `file:`. A link, which has a base, leads to such a URL only from a page of the same
   * scheme: pages of the web must not lead a crawler to files. @default none
   */
  readonly schemes?: readonly string[]
}

/**
 * Why a URL cannot be crawled. `scheme`: neither http nor https, nor one of `schemes`. `host`: a name no DNS can hold. `rewrite`: rejected by
 * a rule that rewrites URLs.
 */
export type UrlRejection = 'empty' | 'unparsable' | 'scheme' | 'host' | 'too-long' | 'rewrite'

/** A URL in its normal form, or the reason why it has none. */
export type NormalizedUrl =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly reason: UrlRejection; readonly detail: string }

/**
 * Brings a URL into its normal form; a relative one is resolved against `base` first. It never throws, and a
 * normal form is its own normal form. An invalid `base` matters only to relative URLs.
 */
export interface UrlNormalizer {
  (url: string, base?: string): NormalizedUrl
  /** Asserts that a plain URL (plain-url.ts) is its own normal form. */
  readonly keepsPlain?: true
}

/** Text longer than this is not looked at, so that a megabyte in an attribute costs nothing. */
const MAX_INPUT_LENGTH = 65_536

/**
 * A normalizer with these options: {@link normalizeUrl} is the one with the defaults.
 * @throws ConfigurationError when `maxLength` is not a whole number from 1 to 65536
 * @example
 * const normalize = createNormalizer()
 * normalize('/b?x=1#top', 'https://example.org/a') // → { ok: true, url: 'https://example.org/b?x=1' }
 */
export function createNormalizer(options: NormalizerOptions = {}): UrlNormalizer {
  const { maxLength = 8_192 } = options
  if (!Number.isInteger(maxLength) || maxLength < 1 || maxLength > MAX_INPUT_LENGTH) {
    throw new ConfigurationError(
      'SETTING_INVALID',
      `maxLength is ${maxLength}: give a whole number from 1 to ${MAX_INPUT_LENGTH}`,
    )
  }
  const rules = { ...options, removeSessionIds: options.removeSessionIds ?? true }
  // isNormalUrl knows the default rules only.
  const trustsPaths = (rules.trailingSlash ?? 'keep') === 'keep' && rules.removeDefaultPage !== true
  const schemes = new Set(options.schemes)
  const trustsQueries = rules.sortQuery !== true && rules.removeTrackingParameters !== true

  const normalize: UrlNormalizer = (url, base) => {
    if (url.length > MAX_INPUT_LENGTH) return tooLong(url.length, MAX_INPUT_LENGTH)
    const hash = url.indexOf('#')
    const whole = hash === -1 ? url : url.slice(0, hash)
    if (trustsPaths && isNormalUrl(whole) && (trustsQueries || !whole.includes('?'))) return limited(whole)

    const parsed = parse(url, base)
    if (parsed === null) return unparsable(url)
    const scheme = parsed.protocol
    if (scheme !== 'http:' && scheme !== 'https:') {
      const other = otherUrl(
        parsed,
        base,
        schemes,
        options.schemes === undefined ? '' : (ENABLED_BY.get(scheme) ?? ''),
      )
      return other.ok ? limited(other.url) : other
    }
    const host = withoutRootDot(parsed.hostname)
    if (host === undefined) return reject('host', 'the host name has an empty label')
    const tooLongName = nameLengthProblem(host)
    if (tooLongName !== undefined) return reject('host', tooLongName)

    const port = parsed.port === '' ? '' : `:${parsed.port}`
    const path = normalizePath(parsed.pathname, rules)
    const query = normalizeQuery(parsed.search.slice(1), rules)
    return limited(`${scheme}//${host}${port}${path}${query === '' ? '' : `?${query}`}`)
  }
  const keepsPlain = trustsPaths && trustsQueries && maxLength >= MAX_PLAIN_LENGTH
  return keepsPlain ? Object.assign(normalize, { keepsPlain }) : normalize

  function limited(normal: string): NormalizedUrl {
    return normal.length > maxLength ? tooLong(normal.length, maxLength) : { ok: true, url: normal }
  }
}

/**
 * The normaliser with the default options.
 * @example
 * normalizeUrl('HTTP://Example.org:80/a/../b') // → { ok: true, url: 'http://example.org/b' }
 * normalizeUrl('mailto:me@example.org').ok // → false
 */
export const normalizeUrl: UrlNormalizer = createNormalizer()

/** How schemes that are known, but not used by default, are enabled where they can be: if `schemes` is given, even if it is empty. */
const ENABLED_BY: ReadonlyMap<string, string> = new Map([
  ['file:', '; --allow-files <folder> allows the files of a folder'],
  ['ftp:', '; --allow-ftp allows it'],
])

/** The normal form of a URL that is not of the web. @param hint how to enable its scheme */
function otherUrl(
  parsed: URL,
  base: string | undefined,
  schemes: ReadonlySet<string>,
  hint: string,
): NormalizedUrl {
  const scheme = parsed.protocol
  if (!schemes.has(scheme)) return reject('scheme', `${scheme.slice(0, 40)} is not http: or https:${hint}`)
  if (base !== undefined && !base.startsWith(scheme))
    return reject('scheme', `${scheme} URLs are not followed from pages of another protocol`)
  if (scheme === 'file:') return fileUrl(parsed)
  const { hostname, port, pathname, search } = parsed
  if (hostname === '') return reject('host', 'the URL has no host')
  const path = pathname === '' ? '/' : pathname
  return { ok: true, url: `${scheme}//${hostname}${port === '' ? '' : `:${port}`}${path}${search}` }
}

/** Of a file of this machine, without a host. Query and fragment mean nothing. */
function fileUrl(parsed: URL): NormalizedUrl {
  try {
    parsed.search = ''
    parsed.hash = ''
    const { href } = pathToFileURL(fileURLToPath(parsed))
    return parsed.hostname === ''
      ? { ok: true, url: href }
      : reject('host', 'files of other hosts are not read')
  } catch (error) {
    return reject('unparsable', error instanceof Error ? error.message : String(error))
  }
}

function parse(url: string, base: string | undefined): URL | null {
  const resolved = URL.parse(url, base)
  return resolved === null && base !== undefined ? URL.parse(url) : resolved
}

/**
 * `example.com.` and `example.com` are one host: it must have one queue and one robots.txt.
 * `undefined` when a label is empty.
 */
function withoutRootDot(hostname: string): string | undefined {
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  return host === '' || host.startsWith('.') || host.endsWith('.') || host.includes('..') ? undefined : host
}

/** The limits of RFC 1035, section 2.3.4. The name is in ASCII here: one character is one octet. */
const MAX_NAME_OCTETS = 253
const MAX_LABEL_OCTETS = 63

function nameLengthProblem(host: string): string | undefined {
  if (host.length > MAX_NAME_OCTETS)
    return `the host name has ${host.length} octets; DNS allows ${MAX_NAME_OCTETS}`
  const label = host.split('.').find(({ length }) => length > MAX_LABEL_OCTETS)
  return label && `the host name has a label of ${label.length} octets; DNS allows ${MAX_LABEL_OCTETS}`
}

function unparsable(url: string): NormalizedUrl {
  // The characters that the URL standard strips from both ends.
  return /^[\0-\x20]*$/.test(url)
    ? reject('empty', 'there is nothing here')
    : reject('unparsable', 'not an absolute URL, and not relative to a usable base')
}

function tooLong(length: number, limit: number): NormalizedUrl {
  return reject('too-long', `${length} characters; the limit is ${limit}`)
}

function reject(reason: UrlRejection, detail: string): NormalizedUrl {
  return { ok: false, reason, detail }
}
