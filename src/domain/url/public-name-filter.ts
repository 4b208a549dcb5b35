import type { UrlFilter } from './url-filter.ts'

/**
 * Rejects hosts that cannot be public: names without a dot (`localhost`, `intranet`), names whose last label is not a top-level domain by
 * its form, and IPv6 addresses. With the normalizer, this is what Nutch's urlfilter-validator checks.
 * @example
 * publicNameFilter().judge(new CandidateUrl('http://intranet/'))?.accepted // → false
 * publicNameFilter().judge(new CandidateUrl('https://example.org/')) // → undefined
 */
export function publicNameFilter(): UrlFilter {
  return {
    name: 'filters.validator',
    urlOnly: true,
    judge: ({ host }) => (IPV4.test(host) || PUBLIC_NAME.test(host) ? undefined : NOT_PUBLIC),
  }
}

const NOT_PUBLIC = { accepted: false, rule: 'filters.validator: not a public host name' }
/** The normalizer has checked the numbers. */
const IPV4 = /^[\d.]+$/
const PUBLIC_NAME = /\.[a-z][a-z0-9-]*[a-z0-9]$/
