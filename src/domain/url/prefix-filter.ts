import { ConfigurationError } from '../../base/crawl-error.ts'
import type { DecidingFilter } from './url-filter.ts'

/**
 * Accepts URLs that start with one of `prefixes`, as text, and rejects all others. Without prefixes it rejects all.
 * @throws ConfigurationError for an empty prefix, which every URL starts with
 * @example
 * const filter = prefixFilter(['https://example.org/docs/'])
 * filter.judge(new CandidateUrl('https://example.org/blog/')).accepted // → false
 */
export function prefixFilter(prefixes: readonly string[]): DecidingFilter {
  if (prefixes.includes(''))
    throw new ConfigurationError('RULE_INVALID', 'a prefix is empty: remove it, or write http:// or https://')
  const known = new Set(prefixes)
  // One look-up per length instead of one comparison per prefix: lists may be long.
  const lengths = [...new Set(prefixes.map((prefix) => prefix.length))].sort((a, b) => a - b)
  const unmatched = { accepted: false, rule: 'prefix: none matches' }
  return {
    name: 'prefix',
    urlOnly: true,
    judge({ url }) {
      for (const length of lengths) {
        const start = url.slice(0, length)
        if (known.has(start)) return { accepted: true, rule: `prefix: ${start}` }
      }
      return unmatched
    },
  }
}
