import { withoutUndefined } from '../../base/without-undefined.ts'
import type { RequestSession } from '../../domain/fetch/fetcher.ts'
import type { SessionJar, SessionState } from '../../domain/frontier/session-store.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { registeredDomain } from '../../domain/url/registered-domain.ts'

/** A session that this process has. */
export class LiveSession implements RequestSession {
  readonly id: string
  readonly cookies: SessionJar
  headers: Readonly<Record<string, string>>
  sites: readonly string[]
  proxy: string | undefined
  isLoggedIn: boolean
  errorScore: number
  requests: number
  isRetired = false
  /** Grows with each login: a response to an earlier request says nothing about the new login. */
  generation = 0
  login: Promise<void> | undefined = undefined
  /** When it was last chosen (ms since the epoch). */
  usedAt = 0
  /** Requests that it was chosen for and that have not ended. */
  inUse = 0
  #saved: string

  constructor(state: SessionState, cookies: SessionJar) {
    this.id = state.id
    this.cookies = cookies
    this.headers = state.headers
    this.sites = state.sites
    this.proxy = state.proxy
    this.isLoggedIn = state.isLoggedIn
    this.errorScore = state.errorScore
    this.requests = state.requests
    this.#saved = this.#version()
  }

  /** Whether there is something to save that a restart would miss. */
  get isChanged(): boolean {
    return this.#version() !== this.#saved
  }

  /** The headers for a request: a token of the login goes only to the sites of the login. */
  headersFor(url: string): Readonly<Record<string, string>> {
    return this.sites.includes(siteOf(url)) ? this.headers : {}
  }

  state(): SessionState {
    this.#saved = this.#version()
    const { id, headers, sites, isLoggedIn, errorScore, requests, isRetired } = this
    const cookies = this.cookies.snapshot()
    return {
      ...{ id, cookies, headers, sites, isLoggedIn, errorScore, requests },
      ...withoutUndefined({ proxy: this.proxy }),
      ...(isRetired && { isRetired }),
    }
  }

  /** Counts of requests alone are not worth a write. */
  #version(): string {
    const { cookies, isLoggedIn, errorScore, isRetired, generation } = this
    return `${cookies.changes} ${isLoggedIn} ${errorScore} ${isRetired} ${generation}`
  }
}

/** The registered domain of a URL, or its host if it has none. */
export function siteOf(url: string): string {
  return registeredDomain(hostOf(url))
}
