import { getDomain } from 'tldts'
import type { Clock } from '../base/clock.ts'
import { LruMap } from '../base/lru-map.ts'
import { type Cookie, isWithin, parseSetCookie } from './set-cookie.ts'

export interface CookieJarLimits {
  /** Registered domains remembered; the one not visited for longest goes first. @default 10_000 */
  readonly maxSites?: number
  /** Cookies of one registered domain; the oldest goes first. @default 50 */
  readonly maxCookiesPerSite?: number
}

/** A Cookie header longer than this makes servers answer 431. */
const MAX_HEADER_BYTES = 8192

/** The cookies of a crawl, in memory. Small on purpose: a crawler keeps cookies to pass a consent page, not to be somebody. */
export class CookieJar {
  readonly #clock: Clock
  readonly #sites: LruMap<string, Map<string, Cookie>>
  readonly #maxCookiesPerSite: number

  constructor(clock: Clock, { maxSites = 10_000, maxCookiesPerSite = 50 }: CookieJarLimits = {}) {
    this.#clock = clock
    this.#sites = new LruMap(maxSites)
    this.#maxCookiesPerSite = maxCookiesPerSite
  }

  /** Takes in the Set-Cookie headers of an answer from `url`. */
  store(setCookies: readonly string[], url: URL): void {
    const now = this.#clock.now()
    // More than a site may keep need not be read.
    for (const text of setCookies.slice(0, this.#maxCookiesPerSite)) {
      const cookie = parseSetCookie(text, url, now)
      if (cookie !== undefined) this.#put(siteOf(url.hostname), cookie, now)
    }
  }

  /** The Cookie header for a request to `url`, longest path first; `undefined` when there is none to send. */
  headerFor(url: URL): string | undefined {
    const cookies = this.#sites.get(siteOf(url.hostname))
    if (cookies === undefined) return undefined
    const now = this.#clock.now()
    const fitting: Cookie[] = []
    for (const [key, cookie] of cookies) {
      if (cookie.expiresAt <= now) cookies.delete(key)
      else if (fits(cookie, url)) fitting.push(cookie)
    }
    fitting.sort((a, b) => b.path.length - a.path.length)
    let text = ''
    for (const { name, value } of fitting) {
      const longer = text === '' ? `${name}=${value}` : `${text}; ${name}=${value}`
      if (longer.length <= MAX_HEADER_BYTES) text = longer
    }
    return text === '' ? undefined : text
  }

  #put(site: string, cookie: Cookie, now: number): void {
    const cookies = this.#sites.get(site) ?? new Map<string, Cookie>()
    const key = `${cookie.domain}\n${cookie.path}\n${cookie.name}`
    // Out and in again: a map's order is then the order of age.
    cookies.delete(key)
    if (cookie.expiresAt > now) cookies.set(key, cookie)
    for (const oldest of cookies.keys()) {
      if (cookies.size <= this.#maxCookiesPerSite) break
      cookies.delete(oldest)
    }
    if (cookies.size > 0) this.#sites.set(site, cookies)
    else this.#sites.delete(site)
  }
}

function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}

function fits({ domain, hostOnly, path, secure }: Cookie, url: URL): boolean {
  if (secure && url.protocol !== 'https:') return false
  if (hostOnly ? url.hostname !== domain : !isWithin(url.hostname, domain)) return false
  return url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}
