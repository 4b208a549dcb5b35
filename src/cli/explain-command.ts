import { Command } from 'commander'
import { wallClock } from '../base/clock.ts'
import type { DropCounts } from '../base/drop-counts.ts'
import type { CrawlRecord } from '../domain/crawldb/crawl-record.ts'
import type { FetchRow } from '../domain/segment/segment-rows.ts'
import { explainUrl, type UrlStory } from '../flows/cycle/explain-url.ts'
import { withCrawlToRead } from '../wiring/crawl-session.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { dropTexts } from './drop-report.ts'
import { EXIT } from './exit-code.ts'
import { formatCount, formatDuration, formatJson, formatTime, printableLine } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { waitReason } from './host-wait-text.ts'
import { notLoadedNote } from './not-loaded-note.ts'
import { outcomeText } from './outcome-text.ts'

const HELP = `
Shows where the URL was found, the results of the URL filters and robots.txt, each fetch with its status, the next fetch time, and whether the page is in
the search index. For a URL that the crawl does not have, it shows which rule or limit dropped it, and on which pages.

Examples:
  orbweaver explain crawl https://example.org/page
  orbweaver explain crawl https://example.org/page --json`

export function explainCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('explain')
    .argument('<dir>', 'Crawl directory')
    .argument('<url>', 'HTTP or HTTPS URL')
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'the URL is not in the crawl' }, HELP))
    .action(async (dir: string, url: string, flags: CrawlFlags) => {
      const story = await withCrawlToRead(
        sessionOptions(dir, flags, 'explain'),
        async ({ db, links, segments, rules, seeds, source }) => {
          terminal.err(notLoadedNote(source))
          const { normalize, filter } = rules
          const known = await explainUrl(
            { db, links, segments, normalize, filter, rules, clock: wallClock },
            url,
          )
          return {
            ...known,
            seed: known.normalized.ok && seeds.includes(known.normalized.url),
            ...(known.record === undefined && { dropped: (await db.stats()).dropped }),
          }
        },
      )
      terminal.out(flags.json ? formatJson(story) : storyText(story, wallClock.now()))
      if (story.record === undefined) exitWith(EXIT.nothing)
    })
}

interface Story extends UrlStory {
  /** It is the seed that is remembered for its host; others look like links that are no more. */
  readonly seed: boolean
  /** Of a URL that is not in the CrawlDb: what the whole crawl has dropped, by reason. */
  readonly dropped?: DropCounts
}

function storyText(story: Story, now: number): string {
  const { input, normalized, filter, foundOn, inlinks, record, visits, seed } = story
  if (!normalized.ok) return `${printableLine(input)} is never crawled: ${printableLine(normalized.detail)}\n`
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
    ...visits.map(
      ({ segment, fetch }) =>
        `visit    ${segment}  ${fetch === undefined ? 'listed, not fetched yet' : visitText(fetch)}`,
    ),
    ...spiderVisit(record),
    ...(record === undefined ? unknownLines(story) : recordLines(record, story, now)),
  ]
  return `${lines.join('\n')}\n`
}

/** No segment has a link to it. */
function unlistedText({ metadata }: CrawlRecord): string {
  const { foundOn, handler } = metadata
  if (foundOn !== undefined) return `found    by a spider on ${printableLine(foundOn, 2_000)}`
  return handler === undefined
    ? 'found    a seed, or a link of a segment that is no more'
    : 'found    a start request of a spider'
}

/** What a spider wrote into the record: it need not keep segments. */
function spiderVisit(record: CrawlRecord | undefined): string[] {
  const { handler, outcome } = record?.metadata ?? {}
  if (record === undefined || outcome === undefined) return []
  return [
    `visit    ${formatTime(record.lastFetchTime)}  ${printableLine(outcome, 2_000)}, for the handler ${printableLine(handler ?? '')}`,
  ]
}

function visitText(fetch: FetchRow): string {
  const { status, protocolStatus, fetchedAt, httpStatus, redirectTo, retryAt, reason } = fetch
  return [
    formatTime(fetchedAt),
    `${status} (${protocolStatus})`,
    ...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]),
    ...(redirectTo === undefined || reason?.includes(redirectTo)
      ? []
      : [`to ${printableLine(redirectTo, 2_000)}`]),
    ...(reason === undefined || reason === `HTTP ${httpStatus}` ? [] : [printableLine(reason, 2_000)]),
    ...(retryAt === undefined ? [] : [`not before ${formatTime(retryAt)}`]),
  ].join('  ')
}

function recordLines(record: CrawlRecord, { filter, hostWait: wait }: UrlStory, now: number): string[] {
  const { status, score, retries, fetchTime, lastFetchTime, generatedIn, lastOutcome } = record
  const due =
    generatedIn !== undefined
      ? `on the fetch list of segment ${generatedIn}, until updatedb has its result or the segment is abandoned`
      : filter?.accepted === false
        ? 'never: generate leaves out what the filters reject'
        : wait !== undefined && wait.until > now && wait.until >= fetchTime
          ? `${formatTime(wait.until)}: its host must wait (${waitReason(wait)})`
          : fetchTime <= now
            ? `since ${formatTime(fetchTime)}: the next generate takes it, if its score suffices`
            : `${formatTime(fetchTime)}, in ${formatDuration(fetchTime - now)}: ${whyLater(record)}`
  return [
    `record   ${status}, score ${Number(score.toPrecision(4))}, ${formatCount(retries, 'failure')} in a row`,
    `fetched  ${formatTime(lastFetchTime)}${lastOutcome === undefined ? '' : `  ${outcomeText(lastOutcome)}`}`,
    `due      ${due}`,
  ]
}

function whyLater({ status, retries, fetchInterval }: NonNullable<UrlStory['record']>): string {
  const interval = formatDuration(fetchInterval * 1000)
  if (status === 'db_gone') return `it is gone or forbidden, and asked for again after ${interval}`
  if (retries > 0) return `it is tried again after ${formatCount(retries, 'failure')}`
  return status === 'db_unfetched' ? 'it was put off' : `it is visited every ${interval}`
}

const MAX_LISTED = 5

/** The record of a URL that has none: the decision that kept it out of the CrawlDb. */
function unknownLines({ filter, foundOn, lost, dropped = {} }: Story): string[] {
  if (filter?.accepted === false) return ['record   none: the filters reject it']
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
      ? 'record   none: no page that was fetched links to it, and it is not a seed'
      : 'record   none: no link to it was found, and it is not a seed',
    ...unsure,
    ...total,
  ]
}
