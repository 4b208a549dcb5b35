import { ownCopy } from '../../base/own-copy.ts'
import { requireLate } from '../../base/require-late.ts'

/**
 * What its owner registered: `example.co.uk` of `www.example.co.uk`. Names under a private suffix belong to different
 * people, so `a.github.io` is one of its own. An address, `localhost` or a bare suffix is its own domain.
 * `host` is in normal form; an IPv6 address has its brackets.
 * @example
 * registeredDomain('www.example.co.uk') // → 'example.co.uk'
 */
export function registeredDomain(host: string): string {
  const known = cache.get(host)
  if (known !== undefined) return known
  // Of a host in a link, which must not keep the page in memory.
  const own = ownCopy(host)
  const domain = findRegisteredDomain(own)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(own, domain)
  return domain
}

/** The same without a cache, for hosts that differ: it takes half the time. */
export function findRegisteredDomain(host: string): string {
  return isAddress(host) ? host : (publicSuffixes().getDomain(host, OPTIONS) ?? host)
}

/** The public suffix list: 200 kB, which a crawl of hosts that were named does not need. */
export function publicSuffixes(): typeof import('tldts') {
  return requireLate('tldts')
}

const OPTIONS = {
  allowPrivateDomains: true,
  extractHostname: false,
  validateHostname: false,
  detectIp: false,
}

/** The links of a page go to few hosts, again and again. Emptied when full: filling it again is cheap. */
const MAX_CACHED = 20_000
const cache = new Map<string, string>()

/** In a normalised URL a host that ends in a digit label is an IPv4 address, and nothing else is. */
function isAddress(host: string): boolean {
  return host.startsWith('[') || /^[\d.]+$/.test(host)
}
