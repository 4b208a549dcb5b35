import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { PAGE_STATUSES } from '../flows/cycle/crawl-rounds.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import type { OfferProgress } from '../flows/cycle/offer-segment.ts'
import { type Crawl, openCrawl } from '../wiring/open-crawl.ts'
import { redisArgument } from '../wiring/redis-access.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addDirectoryOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { nothingFetchedText } from './failure-report.ts'
import { addFetchOptions, type FetchFlags, fetchConfig, fetchRunOptions } from './fetch-flags.ts'
import { FetchStatusLine } from './fetch-status-line.ts'
import {
  formatBytes,
  formatCount,
  formatCounts,
  formatDuration,
  formatJson,
  formatNumber,
} from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { ProgressLine } from './progress-line.ts'
import { redisOption } from './redis-flags.ts'
import type { Terminal } from './terminal.ts'

interface FetchCommandFlags extends FetchFlags, CrawlFlags {
  readonly parse: boolean
  readonly redis?: string | true
  readonly work: boolean
}

const HELP = `
Fetches the URLs of a segment's fetch list, with the delay of each host, and parses the pages. Every URL gets a result: fetched, failed,
or not reached with the reason. After an interruption or a crash, the same command resumes.

With --redis the list is offered to a fleet: each orbweaver worker --dir <dir> with the same Redis fetches some of its hosts. All workers
must see the crawl directory.

Examples:
  orbweaver fetch crawl
  orbweaver fetch crawl 20261115180830 --threads 100 --delay 2
  orbweaver fetch crawl --redis redis://queue.example.org:6379/0`

export function fetchCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('fetch')
    .description('Fetch the pages of a segment')
    .argument('<dir>', 'Crawl directory')
    .argument('[segment]', 'Name of a segment (default: the oldest one that is not fetched)')
    .option('--no-parse', 'Store pages, and parse them later with orbweaver parse')
    .addOption(redisOption('Share the fetch list with the workers that use the same Redis'))
    .option('--no-work', 'With --redis: do not fetch in this process, only in workers')
  return addDirectoryOptions(addFetchOptions(command))
    .addHelpText(
      'after',
      helpNotes(
        {
          1: 'every segment is already fetched',
          3: 'failure, no page could be fetched, or interruption; run the command again to resume',
        },
        HELP,
      ),
    )
    .action(async (dir: string, segment: string | undefined, flags: FetchCommandFlags) => {
      if (!flags.work && flags.redis === undefined)
        throw new ConfigurationError(
          'OPTION_INVALID',
          '--no-work leaves the fetching to workers: add --redis',
        )
      await using crawl = await openCrawl(dir, openOptions(flags, 'fetch', terminal, fetchConfig(flags)))
      const result = await fetchWithProgress(crawl, segment, flags, terminal)
      if (result === undefined) {
        terminal.out(flags.json ? '{"segment":null}\n' : 'every segment is fetched\n')
        exitWith(EXIT.nothing)
        return
      }
      terminal.out(flags.json ? formatJson(result) : fetchReport(dir, result, flags.redis))
      const pages = PAGE_STATUSES.reduce((sum, status) => sum + (result.statuses[status] ?? 0), 0)
      const isFailed = pages === 0 && result.failures.length > 0
      if (isFailed) terminal.err(`error: ${nothingFetchedText(result.failures)}\n`)
      if (isFailed || !result.complete) exitWith(EXIT.failed)
    })
}

function fetchWithProgress(
  crawl: Crawl,
  segment: string | undefined,
  flags: FetchCommandFlags,
  terminal: Terminal,
): Promise<FetchResult | undefined> {
  const { redis, parse, work } = flags
  const options = {
    ...fetchRunOptions(flags),
    ...{ parse, signal: terminal.interrupted },
    ...withoutUndefined({ segment }),
  }
  if (redis !== undefined) {
    const line = new ProgressLine(terminal)
    const onProgress = (progress: OfferProgress) =>
      line.show(progress.elapsedMs, () => fleetProgressText(progress))
    return crawl.fetchWithFleet({ ...options, redis, work, onProgress }).finally(() => line.clear())
  }
  const line = new FetchStatusLine(terminal)
  return crawl
    .fetch({
      ...options,
      onStart: ({ urls }) => line.expect(urls),
      onProgress: (progress) => line.update(progress),
    })
    .finally(() => line.clear())
}

function fleetProgressText({ left, workers, pages, pagesPerSecond }: OfferProgress): string {
  return [
    `${formatNumber(left)} URLs left`,
    formatCount(workers, 'worker'),
    `${pagesPerSecond.toFixed(1)} pages/s`,
    formatCount(pages, 'page'),
  ].join(' · ')
}

function fetchReport(dir: string, result: FetchResult, redis: string | true | undefined): string {
  const { segment, complete, statuses, notReached, bytes, durationMs } = result
  const lines = [
    `segment ${segment}: ${formatCounts(statuses) || 'no URLs to fetch'}`,
    `${formatBytes(bytes)} in ${formatDuration(durationMs)}`,
    ...Object.entries(notReached).map(([reason, n]) => `${formatCount(n, 'URL')} not reached: ${reason}`),
    ...(complete
      ? []
      : [
          `interrupted; to resume: orbweaver fetch ${dir} ${segment}${redis === undefined ? '' : redisArgument(redis, true)}`,
        ]),
  ]
  return `${lines.join('\n')}\n`
}
