/** A cookie as a server set it. */
export interface Cookie {
  readonly name: string
  readonly value: string
  /** The host that set it, or the domain it gave. */
  readonly domain: string
  /** Sent to `domain` alone, not to its subdomains. */
  readonly hostOnly: boolean
  readonly path: string
  readonly secure: boolean
  /** When it ends (ms since the epoch); in the past when the server deletes it. */
  readonly expiresAt: number
}

/** Maximum length of the name and the value. */
export const MAX_COOKIE_BYTES = 4096

/** Characters that can be sent back unchanged: no controls, nothing outside ASCII, no separator. */
const SENDABLE = /^[\x20-\x3a\x3c-\x7e]*$/

export function isSendableCookie(name: string, value: string): boolean {
  return name !== '' && name.length + value.length <= MAX_COOKIE_BYTES && SENDABLE.test(name + value)
}

/** A stored cookie, from which a program may have removed or changed members. `undefined`: it is not a cookie that can be sent. */
export function readCookie(value: unknown): Cookie | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const stored: { readonly [Name in keyof Cookie]?: unknown } = value
  const { name, value: text, domain, hostOnly, path, secure, expiresAt } = stored
  if (typeof name !== 'string' || typeof text !== 'string' || !isSendableCookie(name, text)) return undefined
  if (typeof domain !== 'string' || domain === '' || domain.length > MAX_DOMAIN) return undefined
  if (typeof path !== 'string' || path.length > MAX_COOKIE_BYTES) return undefined
  if (typeof hostOnly !== 'boolean' || typeof secure !== 'boolean') return undefined
  if (typeof expiresAt !== 'number' || !Number.isFinite(expiresAt)) return undefined
  return { name, value: text, domain, hostOnly, path, secure, expiresAt }
}

/** That of DNS. */
const MAX_DOMAIN = 255
