/** The characters that RFC 3986 allows in a path or query, except the two that are special in a rule. */
const SETTLED = /^[A-Za-z0-9\-._~:/?#[\]@!&'()+,;=]*$/
const UNSETTLED_IN_URL = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!&'()+,;=%]/g
const UNSETTLED_IN_PATTERN = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!&'()+,;=%*]/g
const UNRESERVED = /[A-Za-z0-9\-._~]/

/**
 * The path and query of `url` (absolute, or already a path) in the normal form for comparison with rules (RFC 9309, 2.2.2): octets outside
 * ASCII are encoded, unreserved ones are not, hex digits are in upper case, reserved characters are unchanged. A literal `*` or `$` is
 * encoded, because rules contain them as `%2A` and `%24` (2.2.3).
 */
export function comparablePath(url: string): string {
  const path = pathAndQuery(url)
  return SETTLED.test(path) ? path : octetsOf(path).replace(UNSETTLED_IN_URL, settle)
}

/** The same normal form for the path of a rule, given as octets. `*` stays special; `$` is special only at the end. */
export function comparablePattern(octets: string): string {
  const anchored = octets.endsWith('$')
  const path = anchored ? octets.slice(0, -1) : octets
  return (SETTLED.test(path) ? path : path.replace(UNSETTLED_IN_PATTERN, settle)) + (anchored ? '$' : '')
}

/** One character for each octet of the UTF-8 form, so that lengths are in octets and invalid UTF-8 is kept. */
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

/** Always starts with `/`. It does not use the URL parser, because it runs for every URL and URLs are already normalised. */
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
