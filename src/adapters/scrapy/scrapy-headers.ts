import { hostOf } from '../../domain/url/host-of.ts'
import type { PickleValue } from './pickle-value.ts'
import { isSendable, wireText } from './python-text.ts'

/** The headers of a Scrapy request: lower-case names, values in one line, without those that cannot be sent. */
export function requestHeaders(headers: PickleValue | undefined, dropped: string[]): Record<string, string> {
  const sent: Record<string, string> = {}
  if (!(headers instanceof Map)) {
    if ((headers ?? null) !== null) dropped.push('headers')
    return sent
  }
  for (const [key, values] of headers) {
    const name = scalarText(key)?.toLowerCase() ?? ''
    const texts = (Array.isArray(values) ? values : [values]).map(scalarText)
    // Several fields of one name are one list, except cookies (RFC 9110, 5.3; RFC 6265, 5.4).
    const value = texts.join(name === 'cookie' ? '; ' : ', ')
    if (texts.length === 0) continue
    if (texts.includes(undefined) || !isSendable(name, value)) dropped.push(`headers.${name}`)
    else sent[name] = value
  }
  return sent
}

/**
 * The Cookie header that `cookies` adds up to, after the cookies that the request had: a dict of names and values, or a list of
 * dicts with `name`, `value` and perhaps a `domain` that `url` must lie in. `undefined` when there is none.
 */
export function cookieHeader(
  present: string | undefined,
  cookies: PickleValue | undefined,
  url: string,
  dropped: string[],
): string | undefined {
  const pairs = present === undefined ? [] : [present]
  for (const { name, value, domain } of listed(cookies)) {
    const pair = `${name}=${value}`
    const isUsable =
      name !== undefined && value !== undefined && !pair.includes(';') && isSendable('cookie', pair)
    if (isUsable && isWithin(hostOf(url), domain)) pairs.push(pair)
    else dropped.push(`cookies.${name}`)
  }
  return pairs.length === 0 ? undefined : pairs.join('; ')
}

interface ListedCookie {
  readonly name: string | undefined
  readonly value: string | undefined
  readonly domain: string | undefined
}

function listed(cookies: PickleValue | undefined): ListedCookie[] {
  if (cookies instanceof Map)
    return Array.from(cookies, ([name, value]) => ({
      name: scalarText(name),
      value: scalarText(value),
      domain: undefined,
    }))
  if (!Array.isArray(cookies)) return []
  return cookies.map((cookie) => {
    const get = (key: string) => (cookie instanceof Map ? scalarText(cookie.get(key)) : undefined)
    return { name: get('name'), value: get('value'), domain: get('domain') }
  })
}

function isWithin(host: string, domain: string | undefined): boolean {
  const bare = domain?.replace(/^\./, '').toLowerCase()
  return bare === undefined || bare === '' || host === bare || host.endsWith(`.${bare}`)
}

/** Text, bytes and numbers as Python would write them into a header; `undefined` for all else. */
function scalarText(value: PickleValue | undefined): string | undefined {
  if (typeof value === 'string' || value instanceof Uint8Array) return wireText(value)
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined
}
