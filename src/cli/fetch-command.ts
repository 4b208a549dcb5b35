import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatCount, formatJson, formatNumber } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { PAGE_STATUSES } from '../flows/cycle/crawl-rounds.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import type { OfferProgress } from '../flows/cycle/offer-segment.ts'
import type { Crawl } from '../wiring/open-crawl.ts'
import type { RunWatcher } from '../wiring/run-watcher.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addDirectoryOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { NOTHING_FETCHED, nothingFetched, nothingFetchedText } from './failure-report.ts'
import { addFetchOptions, type FetchFlags, fetchConfig, fetchRunOptions } from './fetch-flags.ts'
import { fetchReport } from './fetch-report.ts'
import { FetchStatusLine } from './fetch-status-line.ts'
import { givenFlags } from './given-flags.ts'
import { helpNotes } from './help-notes.ts'
import { addLogOptions, type LogFlags } from './log-flags.ts'
import { addNotifyOptions, commandNotifier, type NotifyFlags, notifyConfig } from './notify-flags.ts'
import { collected } from './option-values.ts'
import { couldFetchNothing } from './outcome-report.ts'
import { ProgressLine } from './progress-line.ts'
import { redisOption, shardsOption } from './redis-flags.ts'
import { repeatableFlags, resumeLine } from './resume-command.ts'
import type { Screen } from './screen.ts'
import { etaFigure, type Figure, joinFigures } from './status-figures.ts'

interface FetchCommandFlags extends FetchFlags, CrawlFlags, LogFlags, NotifyFlags {
  readonly url?: readonly string[]
  readonly parse: boolean
  readonly redis?: string | true
  readonly shards?: number
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
  orbweaver fetch crawl --url https://example.org/changed.html && orbweaver updatedb crawl
  orbweaver fetch crawl --redis redis://queue.example.org:6379/0`

export function fetchCommand(context: CommandContext): Command {
  const { terminal, exitWith, args } = context
  const command = new Command('fetch')
    .description('Fetch the pages of a segment')
    .argument('<dir>', 'Crawl directory')
    .argument('[segment]', 'Name of a segment (default: the oldest one that is not fetched)')
    .option('--url <url>', 'Fetch this URL, due or not, as a segment of its own; repeatable', collected)
    .option('--no-parse', 'Store pages, and parse them later with orbweaver parse')
    .addOption(redisOption('Share the fetch list with the workers that use the same Redis'))
    .addOption(shardsOption())
    .option('--no-work', 'With --redis: do not fetch in this process, only in workers')
  return addNotifyOptions(addLogOptions(addDirectoryOptions(addFetchOptions(command))))
    .addHelpText(
      'after',
      helpNotes(
        {
          1: 'every segment is already fetched, or the segment has no URLs',
          3: 'failure, no page could be fetched, or interruption; run the command again to resume',
        },
        HELP,
      ),
    )
    .action(async (dir: string, segment: string | undefined, flags: FetchCommandFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      if (!flags.work && flags.redis === undefined)
        throw new ConfigurationError(
          'OPTION_INVALID',
          '--no-work leaves the fetching to workers: add --redis',
        )
      if (flags.shards !== undefined && flags.redis === undefined)
        throw new ConfigurationError('OPTION_INVALID', '--shards is for a crawl in Redis: add --redis')
      if (flags.url !== undefined && segment !== undefined)
        throw new ConfigurationError(
          'OPTION_INVALID',
          '--url makes a segment of its own: leave out the name of a segment',
        )
      const notifier = await commandNotifier(dir, flags, context)
      const { shards } = flags
      const config = { ...fetchConfig(flags), ...notifyConfig(flags), redis: withoutUndefined({ shards }) }
      await using crawl = await openCrawl(dir, openOptions(flags, 'fetch', terminal, config))
      const result = await fetchWithProgress(
        crawl,
        await segmentOf(crawl, segment, flags),
        flags,
        terminal,
        notifier,
      )
      if (result === undefined) {
        terminal.out(flags.json ? '{"segment":null}\n' : 'every segment is fetched\n')
        exitWith(EXIT.nothing)
        return
      }
      const pages = PAGE_STATUSES.reduce((sum, status) => sum + (result.statuses[status] ?? 0), 0)
      const isFailed = result.complete && couldFetchNothing(pages, result)
      const again = repeatableFlags(givenFlags(command, args()))
      const resume = resumeLine(terminal, ['fetch', dir, result.segment], again)
      const document = {
        ...result,
        ...(!result.complete && { resume: resume.line }),
        ...(isFailed && nothingFetched(result.failures)),
      }
      notifier.setResult(result.complete ? 'finished' : 'interrupted', document)
      terminal.out(flags.json ? formatJson(document) : fetchReport(dir, result, resume))
      if (isFailed) terminal.fail(NOTHING_FETCHED, nothingFetchedText(result.failures))
      if (isFailed || !result.complete) exitWith(EXIT.failed)
      else if (Object.keys(result.statuses).length === 0) exitWith(EXIT.nothing)
    })
}

/**
 * The segment to fetch, which is made first for chosen URLs; `undefined`: the oldest that is not fetched.
 * @throws ConfigurationError if none of the chosen URLs can be fetched
 */
async function segmentOf(
  crawl: Crawl,
  named: string | undefined,
  { url: urls }: FetchCommandFlags,
): Promise<string | undefined> {
  if (urls === undefined) return named
  const { segments, injected, leftOut } = await crawl.freegen(urls)
  if (segments[0] !== undefined) return segments[0].name
  const [problem] = injected.examples
  throw new ConfigurationError(
    'OPTION_INVALID',
    problem === undefined
      ? `${formatCount(leftOut, 'URL')} cannot be fetched now: on the fetch list of another segment, or the host must wait; orbweaver explain tells which`
      : `${problem.url}: ${problem.reason}`,
  )
}

function fetchWithProgress(
  crawl: Crawl,
  segment: string | undefined,
  flags: FetchCommandFlags,
  terminal: Screen,
  notifier: RunWatcher,
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
      line.show(progress.elapsedMs, (columns) => joinFigures(fleetFigures(progress), columns))
    return crawl.fetchWithFleet({ ...options, redis, work, onProgress }).finally(() => line.clear())
  }
  const line = new FetchStatusLine(terminal)
  return crawl
    .fetch({
      ...options,
      onStart: ({ urls }) => line.expect(urls),
      watchers: [line.watcher, notifier],
      onProgress: (progress) => line.update(progress),
    })
    .finally(() => line.clear())
}

function fleetFigures({ left, workers, pages, pagesPerSecond }: OfferProgress): Figure[] {
  return [
    { text: `${formatNumber(left)} URLs left`, rank: 0 },
    { text: formatCount(workers, 'worker'), rank: 3 },
    { text: `${pagesPerSecond.toFixed(1)} pages/s`, rank: 2 },
    ...etaFigure(pagesPerSecond > 0 ? left / pagesPerSecond : undefined, 1),
    { text: formatCount(pages, 'page'), rank: 4 },
  ]
}
