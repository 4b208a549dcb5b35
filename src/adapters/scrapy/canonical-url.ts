import { toAscii2003 } from './idna-2003.ts'
import { encodeField, escapeByteString, unescapeToByteString } from './percent-encoding.ts'
import { safeParts, type W3libOptions } from './safe-url.ts'

/**
 * The URL that Scrapy's fingerprints are made of: w3lib's `canonicalize_url` of the safe URL, byte by byte. It only tells
 * requests apart; it is never requested. `undefined` where there is no safe URL.
 *
 * It is not our normal form (src/domain/url): default ports, dot segments and tracking parameters stay, parameters are sorted.
 */
export function canonicalUrl(url: string, options: W3libOptions = {}): string | undefined {
  const parts = safeParts(url, options)
  if (parts === undefined) return undefined
  const isHead = options.w3lib === 'head'
  const [path, parameters] = splitParameters(parts.path)
  const query = sortedQuery(parts.query, isHead ? '&' : /[&;]/)
  // The release gives the whole authority to IDNA once more, with user and port in its first and last label.
  const netloc = isHead ? parts.netloc : (toAscii2003(parts.netloc) ?? parts.netloc)
  return `${parts.scheme}://${lowerHost(netloc)}${canonicalPath(path)}${parameters && `;${parameters}`}${query && `?${query}`}`
}

/** What follows the first `;` of the last segment, which stays as it is written. */
function splitParameters(path: string): [path: string, parameters: string] {
  const semicolon = path.indexOf(';', path.lastIndexOf('/'))
  return semicolon === -1 ? [path, ''] : [path.slice(0, semicolon), path.slice(semicolon + 1)]
}

function lowerHost(netloc: string): string {
  const host = netloc.lastIndexOf('@') + 1
  return netloc.slice(0, host) + netloc.slice(host).toLowerCase()
}

const UNSAFE_IN_PATH = /[^A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=|%]+/g

/** Every escape is decoded, except those of `/` and `?`; what may not stand in a path is encoded again. */
function canonicalPath(path: string): string {
  const kept = path.replace(/%(?:2f|3f)/gi, (found) => `%25${found.slice(1).toUpperCase()}`)
  return escapeByteString(unescapeToByteString(kept), UNSAFE_IN_PATH) || '/'
}

function sortedQuery(query: string, separator: string | RegExp): string {
  return query
    .split(separator)
    .filter((field) => field !== '')
    .map(decodedField)
    .sort((a, b) => compare(a.name, b.name) || compare(a.value, b.value))
    .map(({ name, value }) => `${encodeField(name)}=${encodeField(value)}`)
    .join('&')
}

/** Name and value as byte strings: invalid UTF-8 keeps its bytes. */
function decodedField(field: string): { name: string; value: string } {
  const equals = field.indexOf('=')
  const [name, value] = equals === -1 ? [field, ''] : [field.slice(0, equals), field.slice(equals + 1)]
  return { name: decoded(name), value: decoded(value) }
}

function decoded(text: string): string {
  return unescapeToByteString(text.replaceAll('+', ' '))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
