import { isIP } from 'node:net'
import { type Cookie, isSendableCookie, MAX_COOKIE_BYTES } from '../../domain/fetch/cookie.ts'
import { publicSuffixes } from '../../domain/url/registered-domain.ts'

const MAX_AGE_MS = 400 * 86_400_000

/** Reads a Set-Cookie header of a response from `url` (RFC 6265bis). `undefined`: not a cookie, or not one this host may set. */
export function parseSetCookie(text: string, url: URL, nowMs: number): Cookie | undefined {
  if (text.length > 2 * MAX_COOKIE_BYTES) return undefined
  const [pair = '', ...rest] = text.split(';')
  const [name, value] = split(pair)
  if (!isSendableCookie(name, value)) return undefined

  // Of an attribute given twice the last counts.
  const attributes = new Map(rest.map(split).map(([key, setting]) => [key.toLowerCase(), setting]))
  const scope = scopeOf(url.hostname, attributes.get('domain') ?? '')
  if (scope === undefined) return undefined
  const path = attributes.get('path')?.startsWith('/')
    ? (attributes.get('path') ?? '/')
    : defaultPath(url.pathname)
  const secure = attributes.has('secure')
  if (secure && url.protocol !== 'https:') return undefined
  if (name.startsWith('__Secure-') && !secure) return undefined
  if (name.startsWith('__Host-') && !(secure && scope.hostOnly && path === '/')) return undefined
  return { name, value, ...scope, path, secure, expiresAt: expiryOf(attributes, nowMs) }
}

/** Whether the host is `domain` or below it. */
export function isWithin(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && isIP(host) === 0)
}

function split(pair: string): readonly [name: string, value: string] {
  const equals = pair.indexOf('=')
  return equals < 0 ? [pair.trim(), ''] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
}

/** A host may set cookies for itself and for the domains above it, down to what can be registered: never for a public suffix. */
function scopeOf(
  host: string,
  attribute: string,
): { readonly domain: string; readonly hostOnly: boolean } | undefined {
  const domain = attribute.replace(/^\./, '').toLowerCase()
  const isRegistrable =
    domain !== '' && publicSuffixes().getDomain(domain, { allowPrivateDomains: true }) !== null
  if (isRegistrable) return isWithin(host, domain) ? { domain, hostOnly: false } : undefined
  return domain === '' || domain === host ? { domain: host, hostOnly: true } : undefined
}

function expiryOf(attributes: ReadonlyMap<string, string>, nowMs: number): number {
  const longest = nowMs + MAX_AGE_MS
  const maxAge = attributes.get('max-age')
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return Math.min(nowMs + Number(maxAge) * 1_000, longest)
  const date = Date.parse(attributes.get('expires') ?? '')
  return Number.isNaN(date) ? longest : Math.min(date, longest)
}

/** The directory of the page. */
function defaultPath(pathname: string): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')))
}
