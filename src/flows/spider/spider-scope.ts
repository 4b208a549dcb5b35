import type { CandidateUrl } from '../../domain/url/candidate-url.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import type { FilterVerdict, UrlFilter } from '../../domain/url/url-filter.ts'

/** Keeps a spider on its hosts: those it names, with all under them, or else those that it started from. */
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

  /** Somebody else wants the crawl to begin there, too. */
  beginsAt(url: string): void {
    this.#foreignHosts.add(hostOf(url))
  }

  /**
   * Whether the operator wrote down this very host: in a start URL or in the list, where what is under a listed name does not count. Nor do
   * start requests that others pushed.
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

  /** Without a list of hosts: where a start request was redirected to (`from` is absent), and what stays on the host of its page. */
  #isAtHome({ host, from }: CandidateUrl): boolean {
    if (this.#allowed !== undefined) return false
    return from === undefined || hostOf(from) === host || this.#foreignHosts.has(host)
  }

  #isAllowed(host: string): boolean {
    if (this.#allowed === undefined || this.#allowed === '*') return false
    return this.#allowed.some((name) => host === name || host.endsWith(`.${name}`))
  }
}

/** `*.example.org` is `example.org`, which stands for all hosts below it anyway. */
function hostName(text: string): string {
  return text.toLowerCase().replace(/^\*?\./, '')
}
