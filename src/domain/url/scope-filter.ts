import { hostOf } from './host-of.ts'
import { registeredDomain } from './registered-domain.ts'
import type { UrlFilter } from './url-filter.ts'

/** How far a crawl may go from its seeds. */
export type Scope = 'seed-hosts' | 'seed-domains' | 'any'

/**
 * Keeps a crawl on the hosts, or the registered domains, of its seeds. `any` has no opinion.
 * @param seeds normalised URLs
 * @example
 * const filter = scopeFilter('seed-domains', ['https://example.org/'])
 * filter.judge(new CandidateUrl('https://blog.example.org/'))?.accepted // → true
 * filter.judge(new CandidateUrl('https://example.com/'))?.accepted // → false
 */
export function scopeFilter(scope: Scope, seeds: Iterable<string>): UrlFilter {
  const place = scope === 'seed-domains' ? registeredDomain : (host: string) => host
  const inside = new Set<string>()
  for (const seed of seeds) inside.add(place(hostOf(seed)))
  const kind = scope === 'seed-domains' ? 'domain' : 'host'
  return {
    name: 'scope',
    urlOnly: true,
    judge(url) {
      if (scope === 'any') return undefined
      const home = place(url.host)
      return inside.has(home)
        ? { accepted: true, rule: `scope: seed ${kind} ${home}` }
        : { accepted: false, rule: `scope: ${home} is not a seed ${kind}` }
    },
  }
}
