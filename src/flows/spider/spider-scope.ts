import type { CandidateUrl } from '../../domain/url/candidate-url.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import type { FilterVerdict, UrlFilter } from '../../domain/url/url-filter.ts'

/** Keeps a spider on its hosts: those in `allow` with their subdomains, or those of its start requests. */
export class SpiderScope implements UrlFilter {
  readonly name = 'scope'
  readonly #allowed: readonly string[] | '*' | undefined
  readonly #startHosts = new Set<string>()
  /** Hosts of start requests that came from elsewhere: in scope, but not named by the user. */
  readonly #foreignHosts = new Set<string>()

  /** @param allowed host names, or `*` for any, also in the list; absent: the hosts of start requests */
  constructor(allowed: readonly string[] | '*' | undefined) {
    this.#allowed = allowed?.includes('*') ? '*' : (allowed as readonly string[] | undefined)?.map(hostName)
  }

  /** A start request goes to this URL. */
  startsAt(url: string): void {
    this.#startHosts.add(hostOf(url))
  }

  /** Another program pushed a start request for this URL. */
  beginsAt(url: string): void {
    this.#foreignHosts.add(hostOf(url))
  }

  /**
   * Whether the user named exactly this host, in a start URL or in `allow`. Subdomains of listed hosts do not count, nor do pushed start
   * requests.
   */
  isNamed(host: string): boolean {
    return this.#startHosts.has(host) || (this.#allowed !== '*' && this.#allowed?.includes(host) === true)
  }

  judge(url: CandidateUrl): FilterVerdict {
    const { host } = url
    const accepted =
      this.#allowed === '*' || this.#isAllowed(host) || this.#startHosts.has(host) || this.#isAtHome(url)
    return { accepted, rule: accepted ? `scope: ${host}` : `scope: ${host} is not allowed` }
  }

  /** Without `allow`: redirect targets of start requests (`from` is absent), and links within the host of their page. */
  #isAtHome({ host, from }: CandidateUrl): boolean {
    if (this.#allowed !== undefined) return false
    return from === undefined || hostOf(from) === host || this.#foreignHosts.has(host)
  }

  #isAllowed(host: string): boolean {
    if (this.#allowed === undefined || this.#allowed === '*') return false
    return this.#allowed.some((name) => host === name || host.endsWith(`.${name}`))
  }
}

/** `*.example.org` means `example.org`, which includes its subdomains. */
function hostName(text: string): string {
  return text.toLowerCase().replace(/^\*?\./, '')
}
