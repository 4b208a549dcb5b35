import type { JudgeUrl } from '../../domain/crawldb/crawl-db-requests.ts'
import { CandidateUrl } from '../../domain/url/candidate-url.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { UrlFilter } from '../../domain/url/url-filter.ts'

/** Both are optional; without them every URL passes. */
export interface JudgeParts {
  readonly normalize?: UrlNormalizer
  readonly filter?: UrlFilter
}

/** Normalises, then filters. A rejection by the normaliser counts as its reason, one by a filter as `filtered`. */
export function createJudge({ normalize, filter }: JudgeParts): JudgeUrl {
  return (url) => {
    const normal = normalize?.(url) ?? { ok: true, url }
    if (!normal.ok) return { ok: false, reason: normal.reason, detail: normal.detail }
    const verdict = filter?.judge(new CandidateUrl(normal.url))
    if (verdict?.accepted === false) return { ok: false, reason: 'filtered', detail: verdict.rule }
    return normal
  }
}
