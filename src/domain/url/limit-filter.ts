import { MAX_PLAIN_LENGTH } from './plain-url.ts'
import type { UrlFilter } from './url-filter.ts'

/** Absent means no limit. */
export interface UrlLimits {
  /** Longest URL, in characters. */
  readonly maxLength?: number
  /** Most links between a seed and the URL; 0 keeps to the seeds. A URL of unknown depth passes. */
  readonly maxDepth?: number
}

/**
 * Rejects what is over a limit; no opinion about the rest.
 * @example
 * const filter = limitFilter({ maxDepth: 2 })
 * filter.judge(new CandidateUrl('https://example.org/', { depth: 3 }))?.accepted // → false
 */
export function limitFilter(limits: UrlLimits): UrlFilter {
  const { maxLength = Number.POSITIVE_INFINITY, maxDepth = Number.POSITIVE_INFINITY } = limits
  return {
    name: 'limits',
    ...(limits.maxDepth === undefined && { urlOnly: true }),
    ...(limits.maxDepth === undefined && maxLength >= MAX_PLAIN_LENGTH && { acceptsPlain: true }),
    judge({ url, depth = 0 }) {
      if (url.length > maxLength)
        return { accepted: false, rule: `filters.maxLength: longer than ${maxLength} characters` }
      if (depth > maxDepth)
        return { accepted: false, rule: `filters.maxDepth: deeper than ${maxDepth} links` }
      return undefined
    },
  }
}
