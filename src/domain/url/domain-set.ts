import { domainToASCII } from 'node:url'
import { ConfigurationError } from '../../base/crawl-error.ts'

/**
 * Names that each stand for a host and everything under it: `example.com` covers `example.com` and `a.b.example.com`,
 * `uk` a whole country. So one list holds hosts, registered domains and public suffixes alike.
 */
export class DomainSet {
  readonly #names = new Set<string>()

  /**
   * @param where names the list in messages
   * @throws ConfigurationError for an entry that is not a host name or address
   */
  constructor(entries: Iterable<string>, where: string) {
    for (const entry of entries) this.#names.add(hostName(entry, where))
  }

  get size(): number {
    return this.#names.size
  }

  /** The longest entry that covers `host`, or `undefined`. */
  covering(host: string): string | undefined {
    if (this.#names.has(host)) return host
    // An address has no domain above it.
    if (/^[\d.]+$|^\[/.test(host)) return undefined
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      const parent = host.slice(dot + 1)
      if (this.#names.has(parent)) return parent
    }
    return undefined
  }
}

function hostName(entry: string, where: string): string {
  const text = entry.trim()
  const bare = text.replace(/^\*?\./, '')
  const name = domainToASCII(bare.replace(/\.$/, ''))
  if (name === '' || /[/:@?#\s]/.test(bare.startsWith('[') ? '' : bare)) {
    throw new ConfigurationError(
      'RULE_INVALID',
      `${where}: '${text}' is not a host name; write one like example.com, which covers its sub-domains too`,
    )
  }
  return name
}
