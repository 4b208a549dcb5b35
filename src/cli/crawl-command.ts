import { Command, Option } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { hostDelayMs } from '../adapters/config/host-queues-options.ts'
import { wallClock } from '../base/clock.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { type CrawlResult, crawl, type RoundReport } from '../flows/cycle/crawl.ts'
import { createJudge } from '../flows/cycle/create-judge.ts'
import { FetchLoop } from '../flows/cycle/fetch-loop.ts'
import type { TargetResult } from '../flows/cycle/index-pages.ts'
import type { CommandContext } from './command-context.ts'
import { addDirectoryOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { type CrawlSession, updateRules, withCrawl, withNewCrawl, withNewSeeds } from './crawl-session.ts'
import { dropTexts } from './drop-report.ts'
import { EXIT } from './exit-code.ts'
import { nothingFetchedText } from './failure-report.ts'
import { addFetchOptions, type FetchFlags, fetchConfig } from './fetch-flags.ts'
import { withFetching } from './fetch-session.ts'
import { FetchStatusLine } from './fetch-status-line.ts'
import {
  formatBytes,
  formatCount,
  formatCounts,
  formatDuration,
  formatJson,
  formatNumber,
  formatTime,
} from './format-values.ts'
import { addListOptions, type ListFlags, listRequest } from './generate-command.ts'
import { addOptionGroup, helpNotes } from './help-notes.ts'
import { hostText, hostWaitLines } from './host-wait-text.ts'
import { indexJson, indexReport } from './index-report.ts'
import { injectReport, injectSeeds } from './inject-command.ts'
import { collected, positiveNumber, wholeNumber } from './option-values.ts'
import { robotsForbiddenText } from './robots-forbidden-text.ts'
import { RoundIndexer } from './round-indexer.ts'
import type { Terminal } from './terminal.ts'

export interface CrawlCommandFlags extends CrawlFlags, FetchFlags, ListFlags {
  readonly rounds?: number
  readonly maxPages?: number
  readonly depth?: number
  readonly scope?: 'host' | 'domain' | 'any'
  readonly index?: boolean
  readonly indexTo?: readonly string[]
}

export interface CrawlCommandResult extends CrawlRoundsResult {
  /** With `--index`. */
  readonly index?: readonly TargetResult[]
}

interface CrawlRoundsResult extends CrawlResult {
  /** Number of sites whose robots.txt returned 401 or 403. */
  readonly robotsForbidden: number
}

const HELP = `
Injects the seeds, then fetches round by round what is due, until nothing is or a limit is reached. Rounds overlap: a slow host never
holds up the others. Ctrl-C ends it cleanly; the same command goes on. Run it again later, and only what is due is fetched again.

With --index, what links call pages is gathered, duplicates are marked and the index is brought up to date at the end of each round.

Examples:
  orbweaver crawl crawl https://example.org/ --index
  orbweaver crawl crawl seeds.txt --scope domain --max-pages 1000 --depth 3
  orbweaver crawl crawl`

export function crawlCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('crawl')
    .description('Crawls from seeds, round by round, until nothing is due.')
    .argument('<dir>', 'the crawl directory; created on first use')
    .argument('[seeds...]', 'files, directories of files, URLs, or - for standard input')
    .addOption(
      new Option(
        '--scope <scope>',
        'Follow links to the hosts of the seeds, to their domains, or to any host (default: host)',
      ).choices(['host', 'domain', 'any']),
    )
    .option('--index', 'Update a search index after each round (see orbweaver index --help)')
    .option(
      '--index-to <index>',
      'Index to update; repeatable (default: sqlite, in the crawl directory)',
      collected,
    )
  addOptionGroup(command, 'Limits', (group) =>
    group
      .option('--max-pages <n>', 'Maximum number of fetched pages (default: none)', positiveNumber)
      .option('--depth <n>', 'Maximum number of links between a seed and a page (default: none)', wholeNumber)
      .option('--rounds <n>', 'Maximum number of rounds (default: none)', positiveNumber),
  )
  return addDirectoryOptions(addFetchOptions(addListOptions(command)))
    .addHelpText(
      'after',
      helpNotes(
        {
          1: 'no URL was due',
          3: 'failure, no page could be fetched, or interruption; run the command again to resume',
        },
        HELP,
      ),
    )
    .action(async (dir: string, seeds: string[], flags: CrawlCommandFlags) => {
      const result = await runCrawl(dir, seeds, flags, terminal)
      const { index, ...crawled } = result
      const document = index === undefined ? crawled : { ...crawled, index: indexJson(index) }
      terminal.out(
        flags.json ? formatJson(document) : `${crawlReport(dir, result)}${indexReport(index ?? [])}`,
      )
      const gotNothing = result.pages === 0 && result.failures.length > 0
      if (gotNothing) terminal.err(`error: ${nothingFetchedText(result.failures)}\n`)
      if (gotNothing || result.ended === 'interrupted' || index?.some(({ ended }) => ended !== 'done'))
        exitWith(EXIT.failed)
      else if (result.segments.length === 0) exitWith(EXIT.nothing)
    })
}

/** Also what `demo` does. */
export async function runCrawl(
  dir: string,
  seeds: readonly string[],
  flags: CrawlCommandFlags,
  terminal: Terminal,
  config: OrbweaverConfig = crawlCommandConfig(flags),
): Promise<CrawlCommandResult> {
  const request = { dir, flags, config, command: 'crawl' }
  if (seeds.length === 0) return withCrawl(request, (session) => crawlAndIndex(session, flags, terminal))
  return withNewCrawl(request, async (session) => {
    const summary = await injectSeeds(
      session,
      seeds,
      { overwrite: false, update: false, filter: true, norm: true },
      terminal,
    )
    terminal.err(injectReport(dir, summary))
    return crawlAndIndex(await withNewSeeds(session), flags, terminal)
  })
}

async function crawlAndIndex(
  session: CrawlSession,
  flags: CrawlCommandFlags,
  terminal: Terminal,
): Promise<CrawlCommandResult> {
  if (!flags.index && flags.indexTo === undefined) return crawlRounds(session, flags, terminal, () => {})
  // Late, as most crawls do not index.
  const { EMBEDDED, indexCrawl, indexTargets } = await import('./index-session.ts')
  const targets = indexTargets(session, flags.indexTo ?? [EMBEDDED], terminal)
  /** Segments with links that are not gathered yet. */
  const ended = new Set<string>()
  const indexer = new RoundIndexer(async () => {
    const segments = [...ended]
    ended.clear()
    if (segments.length > 0) await session.links.invert({ segments })
    await session.db.markDuplicates()
    return indexCrawl(session, { targets, all: false, deleteGone: true }, terminal)
  })
  const onRound = (report: RoundReport) => {
    if (report.kind === 'fetched') ended.add(report.result.segment)
    if (report.kind === 'folded' && ended.size > 0) indexer.roundEnded()
  }
  try {
    const result = await crawlRounds(session, flags, terminal, onRound)
    return { ...result, index: await indexer.finish() }
  } finally {
    // Whatever happened: nobody may work on the crawl when it is closed.
    await indexer.idle()
  }
}

function crawlRounds(
  session: CrawlSession,
  flags: CrawlCommandFlags,
  terminal: Terminal,
  onRound: (report: RoundReport) => void,
): Promise<CrawlRoundsResult> {
  const { db, segments, settings, rules } = session
  const line = new FetchStatusLine(terminal)
  return withFetching(session, flags, terminal, true, async ({ parts, options }) => {
    const loop = new FetchLoop(parts, { ...options, onProgress: (progress) => line.update(progress) })
    const { maxPages } = settings.limits
    try {
      const result = await crawl(
        {
          db,
          segments,
          loop,
          hostStateStore: parts.hostStateStore,
          rules: updateRules(session),
          clock: wallClock,
        },
        {
          delayMs: hostDelayMs(settings.politeness),
          maxWaitMs: settings.politeness.maxCrawlDelaySeconds * 1000,
          generate: { ...listRequest(flags), judge: createJudge({ filter: rules.filter }) },
          ...withoutUndefined({ rounds: flags.rounds, maxPages }),
          onRound: (report) => {
            line.clear()
            if (report.kind === 'generated' || report.kind === 'resumed') line.expect(report.urls)
            terminal.err(`${roundText(report)}\n`)
            onRound(report)
          },
        },
        terminal.interrupted,
      )
      return { ...result, robotsForbidden: parts.robots.forbidden }
    } finally {
      line.clear()
    }
  })
}

export function crawlCommandConfig(flags: CrawlCommandFlags): OrbweaverConfig {
  const fetch = fetchConfig(flags)
  const { scope, depth, maxPages } = flags
  return {
    ...fetch,
    ...crawlConfig(flags),
    filters: {
      ...fetch.filters,
      ...withoutUndefined({ scope, maxDepth: depth }),
    },
    limits: {
      ...fetch.limits,
      ...withoutUndefined({ maxPages }),
    },
  }
}

function roundText(report: RoundReport): string {
  switch (report.kind) {
    case 'generated':
      return `round ${report.round}: ${formatCount(report.urls, 'URL')} in segment ${report.segment}`
    case 'resumed':
      return `going on with segment ${report.segment}: ${formatCount(report.urls, 'URL')} left`
    case 'fetched':
      return `segment ${report.result.segment}: ${formatCounts(report.result.statuses) || 'nothing fetched'}`
    case 'folded':
      return `${formatCount(report.fetched, 'visit')} folded in, ${formatCount(report.added, 'new URL')}`
    case 'waiting':
      return `waiting until ${formatTime(report.until)} for ${hostText(report.waits.first[0])}; Ctrl-C stops the crawl`
  }
}

const ENDS: Readonly<Record<CrawlResult['ended'], string>> = {
  'nothing due': 'nothing more is due',
  'hosts waiting': 'the remaining URLs must wait',
  'no progress': 'no URL on the last fetch lists could be requested; see: orbweaver explain',
  rounds: 'as many rounds as asked for',
  pages: 'as many pages as asked for',
  interrupted: 'interrupted',
  'time limit': 'the time is over',
  'too few pages a second': 'it was too slow',
}

/** URLs that are due although the crawl is at its end. */
function leftOutTexts({ ended, due, rejected }: CrawlResult): string[] {
  if (due === 0) return []
  if (ended !== 'nothing due') return [`${formatCount(due, 'URL')} still due`]
  return [
    `${formatCount(due, 'due URL')} left out: ${[
      ...(rejected > 0 ? [`${formatNumber(rejected)} rejected by the filters`] : []),
      ...(due > rejected
        ? [`${formatNumber(due - rejected)} by --min-score, --restrict-status, --expr or --max-count`]
        : []),
    ].join(', ')}`,
  ]
}

function crawlReport(dir: string, result: CrawlRoundsResult): string {
  const { ended, rounds, pages, added, statuses, notReached, dropped, bytes, durationMs } = result
  if (ended === 'nothing due' && result.segments.length === 0)
    return [`nothing is due; see: orbweaver readdb ${dir} --stats`, ...leftOutTexts(result), ''].join('\n')
  const drops = dropTexts(dropped)
  const waits = hostWaitLines(result.waiting)
  return [
    `${formatCount(pages, 'page')} in ${formatCount(rounds, 'round')}, ${formatBytes(bytes)}, ${formatDuration(durationMs)}: ${ENDS[ended]}`,
    ...(Object.keys(statuses).length > 0 ? [formatCounts(statuses)] : []),
    ...robotsForbiddenText(result.robotsForbidden),
    ...(Object.keys(notReached).length > 0 ? [`not reached: ${formatCounts(notReached)}`] : []),
    ...(drops.length > 0
      ? [`dropped by rules and limits: ${drops.join(', ')}; for one URL: orbweaver explain ${dir} <url>`]
      : []),
    ...leftOutTexts(result),
    `${formatCount(added, 'URL')} found; look at them with: orbweaver readdb ${dir} --stats`,
    ...waits,
    ...(ended === 'nothing due' ? [] : [continueText(dir, result)]),
    '',
  ].join('\n')
}

function continueText(dir: string, { ended, waiting: { nextAt } }: CrawlResult): string {
  const when =
    ended === 'hosts waiting' && nextAt !== undefined
      ? `run it again after ${formatTime(nextAt)}`
      : 'to continue'
  return `${when}: orbweaver crawl ${dir}`
}
