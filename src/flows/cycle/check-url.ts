import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { PageReading } from '../../domain/content/page-reading.ts'
import { type DocumentOptions, readDocument } from '../../domain/content/read-document.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { PoliteFetcher } from '../../domain/politeness/polite-fetcher.ts'
import { outcomeOf } from '../../domain/politeness/polite-result.ts'
import type { AiUseStatement } from '../../domain/robots/ai-use.ts'
import type { RobotsCache } from '../../domain/robots/robots-cache.ts'
import type { RobotsRules } from '../../domain/robots/robots-rules.ts'
import type { RobotsVerdict } from '../../domain/robots/robots-verdict.ts'
import { CandidateUrl } from '../../domain/url/candidate-url.ts'
import type { NormalizedUrl } from '../../domain/url/normalize-url.ts'
import type { DecidingFilter, FilterVerdict } from '../../domain/url/url-filter.ts'

/** The parts of a crawler that the check of one URL needs. */
export interface CheckParts {
  readonly filter: DecidingFilter
  readonly clock: Clock
  /** The cache that `fetcher` uses. */
  readonly robots: RobotsCache
  readonly fetcher: PoliteFetcher
  readonly reading: DocumentOptions
}

/** The result of each step. A step that was not reached is absent. */
export interface UrlCheck {
  readonly input: string
  readonly normalized: NormalizedUrl
  readonly filter?: FilterVerdict
  readonly robots?: RobotsVerdict
  /** Absent, too, when there is no robots.txt to have rules. */
  readonly robotsRules?: RobotsRules
  readonly outcome?: FetchOutcome
  /** The statements of the site about the URL, if it was fetched. */
  readonly siteAiUse?: readonly AiUseStatement[]
  readonly page?: PageReading
}

/**
 * Takes one URL through the filters, robots.txt, the fetch and the parser. Redirects are reported, not followed.
 * @example
 * const check = await checkUrl(parts, 'https://example.org/')
 * console.log(check.filter?.accepted, check.robots?.allowed, check.outcome?.kind, check.page?.title)
 */
export async function checkUrl(parts: CheckParts, input: string): Promise<UrlCheck> {
  const normalized = parts.reading.normalize(input)
  if (!normalized.ok) return { input, normalized }
  const { url } = normalized
  const filter = parts.filter.judge(new CandidateUrl(url))
  if (!filter.accepted) return { input, normalized, filter }

  const result = await parts.fetcher.fetch({ request: { url } })
  if (result.kind === 'fetched') result.release()
  const outcome = outcomeOf(result, url, parts.clock.now())
  // No robots.txt decided if the host could not be reached, or if the check was interrupted before.
  const known = result.kind === 'host-failed' ? undefined : parts.robots.known(url)
  const robots = known?.verdict
  const robotsRules = known?.rules
  const siteAiUse = result.kind === 'fetched' ? result.aiUse : undefined
  const steps = withoutUndefined({ robots, robotsRules, outcome, siteAiUse })
  const check = { input, normalized, filter, ...steps }
  if (outcome?.kind !== 'success') return check
  const { response, body } = outcome
  const page = await readDocument(
    { url, headers: response.headers, bytes: body.bytes, truncated: body.truncated !== undefined },
    parts.reading,
  )
  return { ...check, page }
}

/** Where a check that ended in a redirect points, normalised; `undefined` when it did not. */
export function redirectTarget({ outcome, page }: UrlCheck): string | undefined {
  return outcome?.kind === 'moved' ? outcome.to : page?.refresh?.url
}
