import { isIPv6 } from 'node:net'
import { stripControls } from '../../domain/html/characters.ts'
import { toAscii2003 } from './idna-2003.ts'
import { escapeByteString, escapeText, unescapeToByteString } from './percent-encoding.ts'

export interface W3libOptions {
  /**
   * Whose rules: the last release that Python workers have, or what comes after it. There `\` is `/` before the query, a
   * query directly after the host gets a path, and `;` separates no parameters. @default '2.4.1'
   */
  readonly w3lib?: '2.4.1' | 'head'
}

/** A URL in pieces that together are the safe URL: without the delimiters, empty where there is none. */
export interface SafeParts {
  readonly scheme: string
  /** User, host and port. ASCII, unless IDNA has no form for the host. */
  readonly netloc: string
  readonly path: string
  readonly query: string
  readonly fragment: string
}

/**
 * The URL as a Scrapy request holds it, byte by byte what w3lib's `safe_url_string` gives. `undefined` where that fails, and
 * for a URL that a crawl never requests: neither http nor https, or no host.
 */
export function safeUrl(url: string, options: W3libOptions = {}): string | undefined {
  const parts = safeParts(url, options)
  if (parts === undefined) return undefined
  const { scheme, netloc, path, query, fragment } = parts
  return `${scheme}://${netloc}${path}${query && `?${query}`}${fragment && `#${fragment}`}`
}

const URL_PATTERN = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is
const UNSAFE = /[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%]+/gu
const UNSAFE_IN_QUERY = /[^A-Za-z0-9\-._~:/?@!$&()*+,;=%]+/gu

/** The safe URL before it is put together. */
export function safeParts(url: string, { w3lib = '2.4.1' }: W3libOptions): SafeParts | undefined {
  // Half a character has no UTF-8.
  if (!url.isWellFormed()) return undefined
  const isHead = w3lib === 'head'
  const text = stripControls(url).replace(/[\t\r\n]+/g, '')
  const match = URL_PATTERN.exec(isHead ? slashesForward(text) : text)
  if (match === null) return undefined
  const [, scheme = '', authority = '', path = '', query = '', fragment = ''] = match
  const netloc = safeNetloc(authority, isHead)
  if (netloc === undefined) return undefined
  return {
    scheme: scheme.toLowerCase(),
    netloc,
    path: isHead && path === '' && query !== '' ? '/' : escapeText(path, UNSAFE),
    query: escapeText(query, UNSAFE_IN_QUERY),
    fragment: escapeText(fragment, UNSAFE),
  }
}

function slashesForward(url: string): string {
  return url.replace(/^[^?#]*/, (start) => start.replaceAll('\\', '/'))
}

const HOST_AND_PORT = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::(\d*))?$/

function safeNetloc(authority: string, isHead: boolean): string | undefined {
  if (hidesDelimiter(authority, isHead)) return undefined
  const at = authority.lastIndexOf('@')
  const match = HOST_AND_PORT.exec(authority.slice(at + 1))
  const [, bracketed, name = '', digits = ''] = match ?? []
  const host = bracketed === undefined ? safeHost(name, isHead) : safeIPv6(bracketed)
  const port = Number(digits)
  if (match === null || host === undefined || port > 65_535) return undefined
  const user = at === -1 ? '' : `${safeUserinfo(authority.slice(0, at), isHead)}@`
  return `${user}${host}${digits === '' ? '' : `:${port}`}`
}

/** Whether the compatibility form of the authority would end it somewhere else, as `℀` (a/c) does. */
function hidesDelimiter(authority: string, isHead: boolean): boolean {
  const visible = authority.replace(/[@:#?]/g, '')
  const unified = visible.normalize('NFKC')
  return unified !== visible && (isHead ? /[/?#@:\\]/ : /[/?#@:]/).test(unified)
}

function safeHost(name: string, isHead: boolean): string | undefined {
  const host = lowerBeforePercent(name)
  return host === '' ? undefined : (toAscii2003(isHead ? host.normalize('NFKC') : host) ?? host)
}

function safeIPv6(address: string): string | undefined {
  return isIPv6(address) ? `[${lowerBeforePercent(address)}]` : undefined
}

/** Python takes whatever follows a `%` for the zone of an address, and lets it be. */
function lowerBeforePercent(host: string): string {
  const percent = host.indexOf('%')
  return percent === -1 ? host.toLowerCase() : host.slice(0, percent).toLowerCase() + host.slice(percent)
}

const UNSAFE_IN_USERINFO = /[^A-Za-z0-9\-._~!$&'()*+,]+/gu

/** User and password, each decoded and encoded again. The release replaces invalid UTF-8; its successor keeps them. */
function safeUserinfo(userinfo: string, isHead: boolean): string {
  const [, user = '', colon = '', password = ''] = /^([^:]*)(:?)(.*)$/s.exec(userinfo) ?? []
  return `${recoded(user)}${colon}${recoded(password)}`

  function recoded(field: string): string {
    const bytes = unescapeToByteString(Buffer.from(field, 'utf8').toString('latin1'))
    if (isHead) return escapeByteString(bytes, UNSAFE_IN_USERINFO)
    return escapeText(Buffer.from(bytes, 'latin1').toString('utf8'), UNSAFE_IN_USERINFO)
  }
}
