/**
 * The host of a normalised URL, without its port: `www.example.com`, `127.0.0.1`, `[::1]`.
 * @example
 * hostOf('https://example.org:8443/list') // → 'example.org'
 */
export function hostOf(url: string): string {
  const start = url.indexOf('//') + 2
  // An IPv6 address has colons too, inside brackets.
  if (url.charCodeAt(start) === BRACKET) return url.slice(start, url.indexOf(']', start) + 1)
  const slash = url.indexOf('/', start)
  const end = slash === -1 ? url.length : slash
  const colon = url.indexOf(':', start)
  return url.slice(start, colon === -1 || colon > end ? end : colon)
}

const BRACKET = 0x5b
