import { sharedCopy } from '../../base/own-copy.ts'
import { CandidateUrl } from './candidate-url.ts'
import type { DecidingFilter, FilterVerdict } from './url-filter.ts'

/** About 2 MB for URLs of usual length. */
const MAX_URLS = 10_000

/** The verdicts of a filter that is `urlOnly`, which is called once for each of the last URLs. Emptied when full: filling it again is cheap. */
export function rememberVerdicts(filter: DecidingFilter): (url: string) => FilterVerdict {
  const known = new Map<string, FilterVerdict>()
  return (url) => {
    const before = known.get(url)
    if (before !== undefined) return before
    // A verdict may name a part of the URL, and must not keep the page in memory.
    const own = sharedCopy(url)
    const verdict = filter.judge(new CandidateUrl(own))
    if (known.size >= MAX_URLS) known.clear()
    known.set(own, verdict)
    return verdict
  }
}
