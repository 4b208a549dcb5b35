import { withoutUndefined } from '../../base/without-undefined.ts'
import { type Cookie, readCookie } from '../fetch/cookie.ts'
import type { SessionCookies } from '../fetch/fetcher.ts'
import { headerFault } from '../fetch/headers.ts'

/** A cookie with the registered domain of the host that set it. */
export type StoredCookie = Cookie & { readonly site: string }

/** The cookies of a session, which outlive the process. */
export interface SessionJar extends SessionCookies {
  /** Increases when a cookie is set or deleted. */
  readonly changes: number
  snapshot(): readonly StoredCookie[]
}

/** A session of a spider, as plain data: it can be stored, and continued by another process. */
export interface SessionState {
  readonly id: string
  readonly cookies: readonly StoredCookie[]
  /** Sent with each request to the `sites`; lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Registered domains that the login requested. */
  readonly sites: readonly string[]
  /** URL of its own proxy. @default one of `http.proxy` */
  readonly proxy?: string
  readonly isLoggedIn: boolean
  /** Grows with each block, and falls with each page. */
  readonly errorScore: number
  /** Requests so far. */
  readonly requests: number
  /** It is not used again, and its place in the pool is free. @default false */
  readonly isRetired?: boolean
}

/** Which session is wanted. Neither: any free one, or a new one. */
export interface SessionSelection {
  readonly id?: string
  readonly isNew?: boolean
  /** Maximum number of sessions of the crawl, over all its processes. */
  readonly max: number
}

/** The sessions of a crawl. A session belongs to one process at a time: from `take` to `release`, or to the end of the lease. */
export interface SessionStore {
  /** `unknown`: there is no session of that id, or it is retired. `undefined`: other processes have it, or have all. */
  take(wish: SessionSelection): Promise<SessionState | 'unknown' | undefined>
  /**
   * Stores sessions that this process has, removes retired ones, and renews the lease of all. Returns the ids of sessions that it has no more:
   * the lease ended.
   */
  save(states: readonly SessionState[]): Promise<readonly string[]>
  /** Lets other processes take them. */
  release(ids: readonly string[]): Promise<void>
  /** Until when it is certain that this process has the sessions it took (ms since the epoch). @default no limit */
  readonly heldUntil?: number
}

export function newSession(id: string): SessionState {
  return { id, cookies: [], headers: {}, sites: [], isLoggedIn: false, errorScore: 0, requests: 0 }
}

/** A stored session; `undefined` if it is not one. Any program with access to the store may have written it. */
export function readSession(value: unknown): SessionState | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const stored: { readonly [Name in keyof SessionState]?: unknown } = value
  const { id, cookies, headers, sites, proxy, isLoggedIn, errorScore, requests } = stored
  if (typeof id !== 'string' || !SESSION_ID.test(id) || !Array.isArray(cookies)) return undefined
  if (typeof headers !== 'object' || headers === null || typeof isLoggedIn !== 'boolean') return undefined
  if (!Array.isArray(sites) || !sites.every((site) => typeof site === 'string')) return undefined
  // Without its proxy, a session would show another address than the one it logged in with.
  if (proxy !== undefined && !isProxyUrl(proxy)) return undefined
  const read = cookies.map(readStoredCookie)
  const pairs = Object.entries(headers as Record<string, unknown>)
  const isSendable = pairs.every(([name, text]) => typeof text === 'string' && !headerFault(name, text))
  if (read.includes(undefined) || !isSendable || !isCount(errorScore) || !isCount(requests)) return undefined
  return {
    ...{ id, sites, isLoggedIn, errorScore, requests },
    cookies: read as StoredCookie[],
    headers: Object.fromEntries(pairs) as Record<string, string>,
    ...withoutUndefined({ proxy }),
  }
}

/** Whether a session can have it as its proxy. */
export function isProxyUrl(value: unknown): value is string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url !== null && url.hostname !== '' && PROXY_SCHEMES.has(url.protocol)
}

const PROXY_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks5h:'])

export const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/

function readStoredCookie(value: unknown): StoredCookie | undefined {
  const cookie = readCookie(value)
  const { site } = (value ?? {}) as { readonly site?: unknown }
  return cookie === undefined || typeof site !== 'string' ? undefined : { ...cookie, site }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
