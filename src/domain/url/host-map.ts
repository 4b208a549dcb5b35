import { domainToASCII } from 'node:url'
import { ConfigurationError } from '../../base/crawl-error.ts'

/** Values for hosts: of `example.com` alone, or of `*.example.com`, which stands for its subdomains. */
export class HostMap<Value> {
  readonly #hosts = new Map<string, Value>()
  readonly #parents = new Map<string, Value>()

  /**
   * @param where names the source of the entries in messages
   * @throws ConfigurationError for an entry that is not a host name
   */
  constructor(entries: Iterable<readonly [string, Value]>, where: string) {
    for (const [pattern, value] of entries) {
      const isWildcard = pattern.startsWith('*.')
      const name = domainToASCII(isWildcard ? pattern.slice(2) : pattern)
      if (name === '' || /[/:@?#*\s]/.test(pattern.slice(isWildcard ? 2 : 0)))
        throw new ConfigurationError(
          'RULE_INVALID',
          `${where}: '${pattern}' is not a host name; write one like example.com, or *.example.com for its subdomains`,
        )
      const map = isWildcard ? this.#parents : this.#hosts
      map.set(name, value)
    }
  }

  /** The value of the host itself, otherwise of the longest name that it is a subdomain of. */
  get(host: string): Value | undefined {
    const own = this.#hosts.get(host)
    if (own !== undefined || this.#parents.size === 0) return own
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      const value = this.#parents.get(host.slice(dot + 1))
      if (value !== undefined) return value
    }
    return undefined
  }
}
