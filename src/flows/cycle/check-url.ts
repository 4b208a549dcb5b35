import type { PageReading } from '../../domain/content/page-reading.ts'
import { type DocumentOptions, readDocument } from '../../domain/content/read-document.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { PoliteFetcher } from '../../domain/politeness/polite-fetcher.ts'
import type { RobotsCache } from '../../domain/robots/robots-cache.ts'
import type { RobotsRules } from '../../domain/robots/robots-rules.ts'
import type { RobotsVerdict } from '../../domain/robots/robots-verdict.ts'
import { CandidateUrl } from '../../domain/url/candidate-url.ts'
import type { NormalizedUrl } from '../../domain/url/normalize-url.ts'
import type { DecidingFilter, FilterVerdict } from '../../domain/url/url-filter.ts'

/** What the crawler is made of, as far as one URL needs it. */
export interface CheckParts {
  readonly filter: DecidingFilter
  readonly robots: RobotsCache
  readonly fetcher: PoliteFetcher
  readonly reading: DocumentOptions
}

/** What the crawler thinks of a URL, step by step. A step that was not reached is absent: the one before it said no. */
export interface UrlCheck {
  readonly input: string
  readonly normalized: NormalizedUrl
  readonly filter?: FilterVerdict
  readonly robots?: RobotsVerdict
  /** Absent, too, when there is no robots.txt to have rules. */
  readonly robotsRules?: RobotsRules
  readonly outcome?: FetchOutcome
  readonly page?: PageReading
}

/** Walks one URL through the steps Judged, Waiting, Asked and Read. Redirects are reported, not followed. */
export async function checkUrl(parts: CheckParts, input: string, signal?: AbortSignal): Promise<UrlCheck> {
  const normalized = parts.reading.normalize(input)
  if (!normalized.ok) return { input, normalized }
  const { url } = normalized
  const filter = parts.filter.judge(new CandidateUrl(url))
  if (!filter.accepted) return { input, normalized, filter }

  const abort = signal === undefined ? {} : { signal }
  const robots = await parts.robots.load(url, (request) => parts.fetcher.fetch({ ...request, ...abort }))
  if (robots.outcome !== undefined) return { input, normalized, filter, outcome: { ...robots.outcome, url } }
  const rules = parts.robots.rules(url)
  const judged = { input, normalized, filter, robots, ...(rules === undefined ? {} : { robotsRules: rules }) }
  if (!robots.allowed) return judged

  parts.fetcher.setCrawlDelay(url, rules?.crawlDelayMs ?? 0)
  const outcome = await parts.fetcher.fetch({ url, ...abort })
  if (outcome.kind !== 'success') return { ...judged, outcome }
  const { response, body } = outcome
  const page = await readDocument(
    { url, headers: response.headers, bytes: body.bytes, truncated: body.truncated !== undefined },
    parts.reading,
  )
  return { ...judged, outcome, page }
}

/** Where a check that ended in a redirect points, normalised; `undefined` when it did not. */
export function redirectTarget({ outcome, page }: UrlCheck): string | undefined {
  return outcome?.kind === 'moved' ? outcome.to : page?.refresh?.url
}
