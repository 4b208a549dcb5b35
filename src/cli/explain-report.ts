import { formatCount, formatDuration, formatTime, printableLine } from '../base/format-values.ts'
import type { CrawlRecord } from '../domain/crawldb/crawl-record.ts'
import { PURGED_KEY } from '../domain/crawldb/host-db.ts'
import type { AiUseStatement } from '../domain/robots/ai-use.ts'
import type { FetchRow } from '../domain/segment/segment-rows.ts'
import type { UrlStory } from '../flows/cycle/explain-url.ts'
import type { UrlExplanation } from '../wiring/cycle-options.ts'
import { noveltyLines } from './novelty-texts.ts'
import { aiUseLines, dropTexts, outcomeText, waitReason } from './report-texts.ts'

/** The report as text. */
export function explainText(report: UrlExplanation, now: number): string {
  const { input, normalized, filter, foundOn, inlinks, record, fetches, seed } = report
  if (!normalized.ok)
    return `${printableLine(input)} cannot be crawled: ${printableLine(normalized.detail)}\n`
  const lines = [
    `url      ${printableLine(normalized.url, 2_000)}`,
    ...(filter === undefined
      ? []
      : [`filter   ${filter.accepted ? 'accepted' : 'rejected'} by ${printableLine(filter.rule)}`]),
    ...(seed ? ['found    a seed'] : []),
    ...(record !== undefined && !seed && foundOn.length === 0 ? [unlistedText(record)] : []),
    ...foundOn.map(
      ({ fromUrl, kind, segment }) => `found    ${kind} on ${printableLine(fromUrl, 2_000)} (${segment})`,
    ),
    ...inlinks.map(
      ({ from, anchor }) => `inlink   ${printableLine(from, 2_000)}  “${printableLine(anchor, 60)}”`,
    ),
    ...fetches.map(
      ({ segment, fetch }) =>
        `fetch    ${segment}  ${fetch === undefined ? 'on the fetch list, not fetched yet' : fetchText(fetch)}`,
    ),
    ...aiUseLines(newestAiUse(fetches)).map((text) => `ai-use   ${text}`),
    ...spiderFetch(record),
    ...(record === undefined ? unknownLines(report) : recordLines(record, report, now)),
  ]
  return `${lines.join('\n')}\n`
}

/** The AI-use statements with the newest content. */
function newestAiUse(fetches: UrlStory['fetches']): readonly AiUseStatement[] {
  const stored = fetches.find(({ fetch }) => fetch?.status === 'fetch_success')
  return stored?.fetch?.aiUse?.statements ?? []
}

/** For a URL without a link in the segments. */
function unlistedText({ metadata }: CrawlRecord): string {
  const { foundOn, handler } = metadata
  if (foundOn !== undefined) return `found    by a spider on ${printableLine(foundOn, 2_000)}`
  return handler === undefined
    ? 'found    a seed, or a link in a deleted segment'
    : 'found    a start request of a spider'
}

/** The last fetch of a spider, from the record: spiders need not keep segments. */
function spiderFetch(record: CrawlRecord | undefined): string[] {
  const { handler, outcome } = record?.metadata ?? {}
  if (record === undefined || outcome === undefined) return []
  return [
    `fetch    ${formatTime(record.lastFetchTime)}  ${printableLine(outcome, 2_000)}, for the handler ${printableLine(handler ?? '')}`,
  ]
}

function fetchText(fetch: FetchRow): string {
  const { status, protocolStatus, fetchedAt, httpStatus, redirectTo, retryAt, reason } = fetch
  return [
    formatTime(fetchedAt),
    `${status} (${protocolStatus})`,
    ...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]),
    ...(redirectTo === undefined || reason?.includes(redirectTo)
      ? []
      : [`to ${printableLine(redirectTo, 2_000)}`]),
    ...(reason === undefined || reason === `HTTP ${httpStatus}` ? [] : [printableLine(reason, 2_000)]),
    ...(retryAt === undefined ? [] : [`retry after ${formatTime(retryAt)}`]),
  ].join('  ')
}

function recordLines(record: CrawlRecord, story: UrlStory, now: number): string[] {
  const { filter, hostWait: wait, schedule = [] } = story
  const { status, score, retries, fetchTime, lastFetchTime, generatedIn, lastOutcome } = record
  const due =
    generatedIn !== undefined
      ? `on the fetch list of segment ${generatedIn}, until updatedb has its result or the segment is abandoned`
      : filter?.accepted === false
        ? 'never: generate skips URLs that the filters reject'
        : wait !== undefined && wait.until > now && wait.until >= fetchTime
          ? `${formatTime(wait.until)}: the host is paused (${waitReason(wait)})`
          : fetchTime <= now
            ? `since ${formatTime(fetchTime)}; generate selects due URLs by score`
            : `${formatTime(fetchTime)}, in ${formatDuration(fetchTime - now)}: ${whyLater(record)}`
  return [
    `record   ${status}, score ${Number(score.toPrecision(4))}, ${formatCount(retries, 'consecutive failure')}`,
    `fetched  ${formatTime(lastFetchTime)}${lastOutcome === undefined ? '' : `  ${outcomeText(lastOutcome)}`}`,
    ...(record.metadata['rendered'] === undefined
      ? []
      : [`rendered ${printableLine(record.metadata['rendered'])}`]),
    ...(record.metadata[PURGED_KEY] === undefined
      ? []
      : [`purged   dead host: ${printableLine(record.metadata[PURGED_KEY], 2_000)}`]),
    `due      ${due}`,
    ...schedule.map((text) => `schedule ${printableLine(text, 500)}`),
    ...(story.novelty === undefined ? [] : noveltyLines(story.novelty)),
    ...nearText(record.url, story.near),
  ]
}

/** The cluster of a page, and its representative. */
function nearText(url: string, near: UrlStory['near'] = []): string[] {
  const [first] = near
  if (first === undefined) return []
  const kept =
    first.url === url
      ? 'this page is its representative'
      : `represented by ${printableLine(first.url, 2_000)}`
  return [`cluster  ${first.cluster}: ${formatCount(near.length, 'page')} with nearly the same text; ${kept}`]
}

function whyLater({ status, retries, fetchInterval }: NonNullable<UrlStory['record']>): string {
  const interval = formatDuration(fetchInterval * 1000)
  if (status === 'db_gone') return `gone or forbidden; fetched again after ${interval}`
  if (retries > 0) return `retry after ${formatCount(retries, 'failure')}`
  return status === 'db_unfetched' ? 'postponed' : `fetch interval ${interval}`
}

const MAX_LISTED = 5

/** The reason why a URL is not in the CrawlDb. */
function unknownLines({ filter, foundOn, lost, dropped = {} }: UrlExplanation): string[] {
  if (filter?.accepted === false) return ['record   none: rejected by the filters']
  if (foundOn.length > 0) return ['record   none: a fetched page links to it; updatedb has not run since']
  const drops = dropTexts(dropped)
  const total = drops.length === 0 ? [] : [`dropped  by the whole crawl: ${drops.join(', ')}`]
  const found = lost?.dropped ?? []
  const unsure = [
    ...(lost?.truncated ?? [])
      .slice(0, MAX_LISTED)
      .map(
        ({ url, why, segment }) =>
          `maybe    on ${printableLine(url, 2_000)} (${segment}): its body was truncated (${why})`,
      ),
    ...(lost === undefined || lost.notSearched === 0
      ? []
      : [
          `maybe    on one of ${formatCount(lost.notSearched, 'page')} with dropped links that were not searched`,
        ]),
  ]
  if (found.length > 0)
    return [
      'record   none: every link to it was dropped',
      ...found
        .slice(0, MAX_LISTED)
        .map(
          ({ fromUrl, segment, rule }) =>
            `dropped  on ${printableLine(fromUrl, 2_000)} (${segment}) by ${printableLine(rule)}`,
        ),
      ...(found.length > MAX_LISTED
        ? [`dropped  on ${formatCount(found.length - MAX_LISTED, 'more page')}`]
        : []),
    ]
  return [
    unsure.length === 0
      ? 'record   none: not a seed, and no fetched page links to it'
      : 'record   none: not a seed, and no link to it was found',
    ...unsure,
    ...total,
  ]
}
