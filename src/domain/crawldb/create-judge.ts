import { CandidateUrl } from '../url/candidate-url.ts'
import type { UrlNormalizer } from '../url/normalize-url.ts'
import type { UrlFilter } from '../url/url-filter.ts'
import type { JudgeUrl } from './crawl-db-requests.ts'

/** Normalises, then filters; without a normaliser and a filter every URL is accepted. A rejection by a filter has the reason `filtered`. */
export function createJudge({
  normalize,
  filter,
}: {
  readonly normalize?: UrlNormalizer
  readonly filter?: UrlFilter
}): JudgeUrl {
  const judge: JudgeUrl = (url) => {
    const normal = normalize?.(url) ?? { ok: true, url }
    if (!normal.ok) return { ok: false, reason: normal.reason, detail: normal.detail }
    const verdict = filter?.judge(new CandidateUrl(normal.url))
    if (verdict?.accepted === false) return { ok: false, reason: 'filtered', detail: verdict.rule }
    return normal
  }
  const steps = { normalizes: normalize !== undefined, filters: filter !== undefined }
  const acceptsPlain =
    (normalize === undefined || normalize.keepsPlain === true) &&
    (filter === undefined || filter.acceptsPlain === true)
  return Object.assign(judge, { steps, ...(acceptsPlain && { acceptsPlain }) })
}
