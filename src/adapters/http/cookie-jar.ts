import type { Clock } from '../../base/clock.ts'
import type { Cookie } from '../../domain/fetch/cookie.ts'
import { publicSuffixes } from '../../domain/url/registered-domain.ts'
import { isWithin, parseSetCookie } from './set-cookie.ts'

export interface CookieJarLimits {
  /** Maximum number of registered domains; the least recently used is dropped first. @default 10_000 */
  readonly maxSites?: number
  /** Cookies of one registered domain; the oldest goes first. @default 50 */
  readonly maxCookiesPerSite?: number
}

/** A cookie as stored between processes: plain data. */
export interface CookieState extends Cookie {
  /** The registered domain of the host that set it. */
  readonly site: string
}

/** Servers reject a longer Cookie header with status 431. */
const MAX_HEADER_BYTES = 8192

/**
 * The cookies of a crawl, in memory. A crawl is one session from its first process to its last: what a browser would forget when it is
 * closed is kept as well.
 */
export class CookieJar {
  readonly #clock: Clock
  /** Least recently used site first, and of a site the oldest cookie first. */
  readonly #sites = new Map<string, Map<string, Cookie>>()
  readonly #maxSites: number
  readonly #maxCookiesPerSite: number
  #changes = 0

  constructor(clock: Clock, { maxSites = 10_000, maxCookiesPerSite = 50 }: CookieJarLimits = {}) {
    this.#clock = clock
    this.#maxSites = maxSites
    this.#maxCookiesPerSite = maxCookiesPerSite
  }

  /** Increases when a cookie is set or deleted. */
  get changes(): number {
    return this.#changes
  }

  /** Takes in the Set-Cookie headers of a response from `url`. */
  store(setCookies: readonly string[], url: URL): void {
    const now = this.#clock.now()
    // More than a site may keep need not be read.
    for (const text of setCookies.slice(0, this.#maxCookiesPerSite)) {
      const cookie = parseSetCookie(text, url, now)
      if (cookie !== undefined) this.#put(siteOf(url.hostname), cookie, now)
    }
  }

  /**
   * The Cookie header for a request to `url`, longest path first; `undefined` when there is none to send.
   * @param own cookies of the request itself: they come first, and cookies of the jar with the same names are not sent
   */
  headerFor(url: URL, own = ''): string | undefined {
    let text = own
    const named = own === '' ? NO_NAMES : namesIn(own)
    for (const { name, value } of this.#fitting(url)) {
      if (named.has(name)) continue
      const longer = text === '' ? `${name}=${value}` : `${text}; ${name}=${value}`
      if (longer.length <= MAX_HEADER_BYTES) text = longer
    }
    return text === '' ? undefined : text
  }

  /** All cookies, for `restore()`. */
  snapshot(): CookieState[] {
    const now = this.#clock.now()
    const states: CookieState[] = []
    for (const [site, cookies] of this.#sites)
      for (const cookie of cookies.values()) if (cookie.expiresAt > now) states.push({ ...cookie, site })
    return states
  }

  /** Takes over the `snapshot()` of an earlier process, before the first request. */
  restore(states: Iterable<CookieState>): void {
    const now = this.#clock.now()
    for (const { site, ...cookie } of states) this.#put(site, cookie, now)
  }

  /** The cookies that belong to a host, oldest first. */
  cookiesOf(host: string, belongs: (cookie: Cookie) => boolean): Cookie[] {
    const now = this.#clock.now()
    const cookies = this.#sites.get(siteOf(host))?.values() ?? []
    return [...cookies].filter((cookie) => cookie.expiresAt > now && belongs(cookie))
  }

  /**
   * Replaces the cookies of a host that are `own` to it. Of a cookie that it shares with other hosts, the one that expires later stays.
   * @param cookies oldest first
   */
  replace(host: string, isOwn: (cookie: Cookie) => boolean, cookies: readonly Cookie[]): void {
    const now = this.#clock.now()
    const site = siteOf(host)
    for (const [key, cookie] of this.#sites.get(site) ?? [])
      if (isOwn(cookie)) this.#sites.get(site)?.delete(key)
    for (const cookie of cookies.slice(-this.#maxCookiesPerSite)) {
      const known = this.#sites.get(site)?.get(keyOf(cookie))
      if (known === undefined || known.expiresAt < cookie.expiresAt) this.#put(site, cookie, now)
    }
    this.#changes++
  }

  #fitting(url: URL): readonly Cookie[] {
    const site = siteOf(url.hostname)
    const cookies = this.#sites.get(site)
    if (cookies === undefined) return []
    this.#touch(site, cookies)
    const now = this.#clock.now()
    const fitting: Cookie[] = []
    for (const [key, cookie] of cookies) {
      if (cookie.expiresAt <= now) cookies.delete(key)
      else if (fits(cookie, url)) fitting.push(cookie)
    }
    return fitting.sort((a, b) => b.path.length - a.path.length)
  }

  #put(site: string, cookie: Cookie, now: number): void {
    this.#changes++
    const cookies = this.#sites.get(site) ?? new Map<string, Cookie>()
    const key = keyOf(cookie)
    // Out and in again: a map's order is then the order of age.
    cookies.delete(key)
    if (cookie.expiresAt > now) cookies.set(key, cookie)
    dropOldest(cookies, this.#maxCookiesPerSite)
    this.#touch(site, cookies)
    if (cookies.size === 0) this.#sites.delete(site)
    dropOldest(this.#sites, this.#maxSites)
  }

  #touch(site: string, cookies: Map<string, Cookie>): void {
    this.#sites.delete(site)
    this.#sites.set(site, cookies)
  }
}

function keyOf({ domain, path, name }: Cookie): string {
  return `${domain}\n${path}\n${name}`
}

const NO_NAMES: ReadonlySet<string> = new Set()

function namesIn(cookieHeader: string): ReadonlySet<string> {
  return new Set(cookieHeader.split(';').map((pair) => pair.split('=', 1).join('').trim()))
}

function dropOldest(map: Map<string, unknown>, maxSize: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= maxSize) break
    map.delete(oldest)
  }
}

function siteOf(host: string): string {
  return publicSuffixes().getDomain(host, { allowPrivateDomains: true }) ?? host
}

function fits({ domain, hostOnly, path, secure }: Cookie, url: URL): boolean {
  if (secure && url.protocol !== 'https:') return false
  if (hostOnly ? url.hostname !== domain : !isWithin(url.hostname, domain)) return false
  return url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}
