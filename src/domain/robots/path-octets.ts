/** Everything RFC 3986 lets stand in a path or query, but for the two characters that are special in a rule. */
const SETTLED = /^[A-Za-z0-9\-._~:/?#[\]@!&'()+,;=]*$/
const UNSETTLED_IN_URL = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!&'()+,;=%]/g
const UNSETTLED_IN_PATTERN = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!&'()+,;=%*]/g
const UNRESERVED = /[A-Za-z0-9\-._~]/

/**
 * The path and query of `url` (absolute, or already a path) in the one spelling in which rules are compared
 * (RFC 9309, 2.2.2): octets outside ASCII encoded, unreserved ones not, hex digits in upper case, reserved
 * characters as they came. A literal `*` or `$` is encoded: in a rule, `%2A` and `%24` are what names them (2.2.3).
 */
export function comparablePath(url: string): string {
  const path = pathAndQuery(url)
  return SETTLED.test(path) ? path : octetsOf(path).replace(UNSETTLED_IN_URL, settle)
}

/** The same spelling for a rule's path, given as octets. `*` stays special; a `$` is special only at the end. */
export function comparablePattern(octets: string): string {
  const anchored = octets.endsWith('$')
  const path = anchored ? octets.slice(0, -1) : octets
  return (SETTLED.test(path) ? path : path.replace(UNSETTLED_IN_PATTERN, settle)) + (anchored ? '$' : '')
}

/** One character for each octet of the UTF-8 form, so that lengths count octets and broken UTF-8 survives. */
export function octetsOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function settle(match: string): string {
  if (match.length === 1) return encode(match.charCodeAt(0))
  const octet = Number.parseInt(match.slice(1), 16)
  const character = String.fromCharCode(octet)
  return UNRESERVED.test(character) ? character : encode(octet)
}

function encode(octet: number): string {
  return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
}

/** Always begins with `/`. Cut by hand: this runs for every URL, and the URLs are normalised already. */
function pathAndQuery(url: string): string {
  const fragment = url.indexOf('#')
  const end = fragment === -1 ? url.length : fragment
  if (url.startsWith('/')) return url.slice(0, end)
  const authority = url.indexOf('://')
  if (authority === -1) return `/${url.slice(0, end)}`
  const query = url.indexOf('?')
  const slash = url.indexOf('/', authority + 3)
  if (slash !== -1 && slash < end && (query === -1 || slash < query)) return url.slice(slash, end)
  return query === -1 || query > end ? '/' : `/${url.slice(query, end)}`
}
