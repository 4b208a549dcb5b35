import { DomainSet } from './domain-set.ts'
import type { UrlFilter } from './url-filter.ts'

/**
 * Accepts URLs of these hosts and of what is under them, rejects all others. An entry may be a host, a registered
 * domain or a public suffix. An empty list has no opinion.
 * @throws ConfigurationError for an entry that is not a host name
 * @example
 * const filter = allowDomains(['example.org'])
 * filter.judge(new CandidateUrl('https://www.example.org/'))?.accepted // → true
 * filter.judge(new CandidateUrl('https://example.com/'))?.accepted // → false
 */
export function allowDomains(domains: readonly string[]): UrlFilter {
  const set = new DomainSet(domains, 'allowed domains')
  const unlisted = { accepted: false, rule: 'allowed domains: not listed' }
  return {
    name: 'allowed domains',
    urlOnly: true,
    ...(set.size === 0 && { acceptsPlain: true }),
    judge(url) {
      if (set.size === 0) return undefined
      const entry = set.covering(url.host)
      return entry === undefined ? unlisted : { accepted: true, rule: `allowed domains: ${entry}` }
    },
  }
}

/**
 * Rejects URLs of these hosts and of what is under them; no opinion about others.
 * @throws ConfigurationError for an entry that is not a host name
 * @example
 * const filter = denyDomains(['ads.example.org'])
 * filter.judge(new CandidateUrl('https://ads.example.org/'))?.accepted // → false
 * filter.judge(new CandidateUrl('https://example.org/')) // → undefined
 */
export function denyDomains(domains: readonly string[]): UrlFilter {
  const set = new DomainSet(domains, 'denied domains')
  return {
    name: 'denied domains',
    urlOnly: true,
    ...(set.size === 0 && { acceptsPlain: true }),
    judge(url) {
      if (set.size === 0) return undefined
      const entry = set.covering(url.host)
      return entry === undefined ? undefined : { accepted: false, rule: `denied domains: ${entry}` }
    },
  }
}
