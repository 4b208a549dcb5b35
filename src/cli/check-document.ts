import { withoutUndefined } from '../base/without-undefined.ts'
import { pageAiUse } from '../domain/content/page-ai-use.ts'
import type { PageReading } from '../domain/content/page-reading.ts'
import type { FetchOutcome, FetchTimings } from '../domain/fetch/fetch-outcome.ts'
import { PROTOCOL_STATUSES, protocolStatusOf } from '../domain/fetch/fetch-status.ts'
import { type AiUsePreferences, combineAiUse } from '../domain/robots/ai-use.ts'
import type { RobotsRules } from '../domain/robots/robots-rules.ts'
import type { RobotsVerdict } from '../domain/robots/robots-verdict.ts'
import type { UrlCheck } from '../flows/cycle/check-url.ts'

/** The output of `orbweaver check --json` (docs/check.md). Fields are added, never renamed. */
export interface CheckDocument {
  readonly input: string
  /** Normalized; absent if the input is not a valid URL: then `rejected` gives the reason. */
  readonly url?: string
  readonly rejected?: { readonly reason: string; readonly detail: string }
  readonly filter?: { readonly accepted: boolean; readonly rule: string }
  readonly robots?: RobotsPart
  readonly fetch?: FetchPart
  readonly page?: PagePart
  /** AI-use preferences of the site and the page; absent without a statement. */
  readonly aiUse?: AiUsePreferences
  /** With `--follow`: the checks of the redirecting URLs, in order. */
  readonly via?: readonly CheckDocument[]
}

export interface RobotsPart extends RobotsVerdict {
  readonly crawlDelaySeconds?: number
  readonly sitemaps: readonly string[]
  /** Content-Signal and Content-Usage lines that apply to the URL, as written. */
  readonly usage: readonly string[]
}

export interface FetchPart {
  readonly outcome: FetchOutcome['kind']
  readonly protocolStatus: string
  readonly fetchStatus: string
  readonly status?: number
  readonly cause?: string
  readonly detail?: string
  readonly redirectTo?: string
  readonly permanent?: boolean
  readonly retryAt?: string
  readonly address?: string
  readonly protocol?: string
  readonly headers?: ReadonlyArray<readonly [string, string]>
  readonly timings: FetchTimings
  readonly wireBytes?: number
  readonly bytes?: number
  readonly decoded?: readonly string[]
  readonly truncated?: string
}

export interface PagePart extends Omit<PageReading, 'url' | 'text' | 'links' | 'sitemap'> {
  readonly text: { readonly characters: number; readonly beginning: string }
  readonly links: { readonly count: number; readonly first: PageReading['links'] }
}

/** @param maxLinks maximum number of links to list; all are counted */
export function checkDocument(check: UrlCheck, maxLinks: number): CheckDocument {
  const { input, normalized, filter, robots, robotsRules, outcome, page } = check
  if (!normalized.ok) return { input, rejected: { reason: normalized.reason, detail: normalized.detail } }
  return {
    input,
    url: normalized.url,
    ...(filter && { filter }),
    ...(robots && { robots: robotsPart(normalized.url, robots, robotsRules) }),
    ...(outcome && { fetch: fetchPart(outcome) }),
    ...(page && { page: pagePart(page, maxLinks) }),
    ...withoutUndefined({ aiUse: aiUseOf(check) }),
  }
}

function aiUseOf({ siteAiUse = [], page }: UrlCheck): AiUsePreferences | undefined {
  return combineAiUse([...siteAiUse, ...(page === undefined ? [] : pageAiUse(page))])
}

function robotsPart(url: string, verdict: RobotsVerdict, rules: RobotsRules | undefined): RobotsPart {
  const usage = rules === undefined ? [] : [...rules.contentSignals.lines, ...rules.contentUsage(url).lines]
  return {
    ...verdict,
    ...(rules?.crawlDelayMs !== undefined && { crawlDelaySeconds: rules.crawlDelayMs / 1000 }),
    sitemaps: rules?.sitemaps ?? [],
    usage: usage.map(({ text }) => text),
  }
}

function fetchPart(outcome: FetchOutcome): FetchPart {
  const protocolStatus = protocolStatusOf(outcome)
  const { kind, timings } = outcome
  return {
    outcome: kind,
    protocolStatus,
    fetchStatus: PROTOCOL_STATUSES[protocolStatus].fetchStatus,
    ...('response' in outcome && outcome.response),
    ...('cause' in outcome && { cause: outcome.cause }),
    ...('detail' in outcome && { detail: outcome.detail }),
    ...(kind === 'moved' && { redirectTo: outcome.to, permanent: outcome.permanent }),
    ...('retryAt' in outcome && { retryAt: new Date(outcome.retryAt).toISOString() }),
    timings: rounded(timings),
    ...('body' in outcome && {
      wireBytes: outcome.body.wireBytes,
      bytes: outcome.body.bytes.length,
      decoded: outcome.body.decoded,
      ...withoutUndefined({ truncated: outcome.body.truncated }),
    }),
  }
}

function rounded(timings: FetchTimings): FetchTimings {
  const entries = Object.entries(timings).map(([name, ms]: [string, number]) => [
    name,
    Math.round(ms * 10) / 10,
  ])
  return Object.fromEntries(entries) as FetchTimings
}

const BEGINNING_CHARACTERS = 200

function pagePart(page: PageReading, maxLinks: number): PagePart {
  const { url: _url, text, links, sitemap: _sitemap, ...rest } = page
  return {
    ...rest,
    text: { characters: text.length, beginning: text.slice(0, BEGINNING_CHARACTERS) },
    links: { count: links.length, first: links.slice(0, maxLinks) },
  }
}
