import { LruMap } from '../../base/lru-map.ts'
import type { Cookie } from '../../domain/fetch/cookie.ts'
import type { HostCookies } from '../../domain/frontier/host-cookies.ts'
import type { CookieJar } from './cookie-jar.ts'
import { isWithin } from './set-cookie.ts'

/**
 * The cookies of a jar by host queue. A cookie that was set for a domain belongs to each of its hosts: the one that expires last counts,
 * which is the one that was set last unless the server shortened its age.
 */
export class HostCookieJar implements HostCookies {
  readonly #jar: CookieJar
  readonly #keyOf: (host: string) => string
  /** The cookies of the last call for a host, as text. */
  readonly #known = new LruMap<string, string>(MAX_HOSTS)

  /** @param keyOf the queue of a host */
  constructor(jar: CookieJar, keyOf: (host: string) => string) {
    this.#jar = jar
    this.#keyOf = keyOf
  }

  restore(host: string, cookies: readonly Cookie[]): void {
    this.#jar.replace(host, (cookie) => this.#isOwn(host, cookie), cookies)
    this.#known.set(host, JSON.stringify(this.#cookiesOf(host)))
  }

  changed(host: string): readonly Cookie[] | undefined {
    const cookies = this.#cookiesOf(host)
    const text = JSON.stringify(cookies)
    if (text === (this.#known.get(host) ?? NONE)) return undefined
    this.#known.set(host, text)
    return cookies
  }

  #cookiesOf(host: string): Cookie[] {
    return this.#jar.cookiesOf(
      host,
      (cookie) => this.#isOwn(host, cookie) || (!cookie.hostOnly && isWithin(host, cookie.domain)),
    )
  }

  #isOwn(host: string, { domain }: Cookie): boolean {
    return this.#keyOf(domain) === host
  }
}

const MAX_HOSTS = 10_000
const NONE = '[]'
