import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { PAGE_STATUSES } from '../flows/cycle/crawl.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import { fetchSegment } from '../flows/cycle/fetch-segment.ts'
import { redisArgument } from '../wiring/redis-access.ts'
import type { CommandContext } from './command-context.ts'
import { addDirectoryOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { withCrawl } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { nothingFetchedText } from './failure-report.ts'
import { addFetchOptions, type FetchFlags, fetchConfig } from './fetch-flags.ts'
import { withFetching } from './fetch-session.ts'
import { FetchStatusLine } from './fetch-status-line.ts'
import { formatBytes, formatCount, formatCounts, formatDuration, formatJson } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { offerFetch } from './offer-fetch.ts'
import { redisOption } from './redis-session.ts'
import { chosenSegment, isUnfetched } from './segment-choice.ts'

interface FetchCommandFlags extends FetchFlags, CrawlFlags {
  readonly parse: boolean
  readonly redis?: string | true
  readonly work: boolean
}

const HELP = `
Fetches the URLs of a segment's fetch list, each host no faster than it allows, and parses the pages meanwhile. Every URL ends with a
record: fetched, failed, or not reached and why. Interrupted or killed, the same command goes on where it was.

With --redis the list is offered to a fleet: each orbweaver worker --dir <dir> with the same Redis fetches some of its hosts. The directory must
be on storage that all of them see.

Examples:
  orbweaver fetch crawl
  orbweaver fetch crawl 20261115180830 --threads 100 --delay 2
  orbweaver fetch crawl --redis redis://queue.example.org:6379/0`

export function fetchCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('fetch')
    .description('Fetches the pages of a segment.')
    .argument('<dir>', 'the crawl directory')
    .argument('[segment]', 'default: the oldest that is not fetched')
    .option('--no-parse', 'store pages, and parse them later with orbweaver parse')
    .addOption(redisOption('fetch with a fleet, over the Redis that its workers know'))
    .option('--no-work', 'with --redis: leave all fetching to the workers')
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
    .action(async (dir: string, named: string | undefined, flags: FetchCommandFlags) => {
      if (!flags.work && flags.redis === undefined)
        throw new ConfigurationError(
          'OPTION_INVALID',
          '--no-work leaves the fetching to a fleet: say which with --redis',
        )
      const config = { ...fetchConfig(flags), ...crawlConfig(flags) }
      const result = await withCrawl({ dir, flags, config, command: 'fetch' }, async (session) => {
        const name = await chosenSegment(session.segments, named, (one) => isUnfetched(session.segments, one))
        if (name === undefined) return undefined
        const { redis } = flags
        if (redis !== undefined) return offerFetch(session, name, { ...flags, redis }, terminal)
        const { generated, fetched } = await session.segments.info(name)
        const line = new FetchStatusLine(terminal)
        line.expect(Math.max(0, generated - fetched))
        return withFetching(session, flags, terminal, flags.parse, ({ parts, options }) =>
          fetchSegment(
            session.segments,
            name,
            parts,
            { ...options, onProgress: (progress) => line.update(progress) },
            terminal.interrupted,
          ).finally(() => line.clear()),
        )
      })
      if (result === undefined) {
        terminal.out(flags.json ? '{"segment":null}\n' : 'every segment is fetched\n')
        exitWith(EXIT.nothing)
        return
      }
      terminal.out(flags.json ? formatJson(result) : fetchReport(dir, result, flags.redis))
      const pages = PAGE_STATUSES.reduce((sum, status) => sum + (result.statuses[status] ?? 0), 0)
      const gotNothing = pages === 0 && result.failures.length > 0
      if (gotNothing) terminal.err(`error: ${nothingFetchedText(result.failures)}\n`)
      if (gotNothing || !result.complete) exitWith(EXIT.failed)
    })
}

function fetchReport(dir: string, result: FetchResult, redis: string | true | undefined): string {
  const { segment, complete, statuses, notReached, bytes, durationMs } = result
  const lines = [
    `segment ${segment}: ${formatCounts(statuses) || 'nothing to fetch'}`,
    `${formatBytes(bytes)} in ${formatDuration(durationMs)}`,
    ...Object.entries(notReached).map(([why, n]) => `${formatCount(n, 'URL')} not reached: ${why}`),
    ...(complete
      ? []
      : [
          `interrupted; to continue: orbweaver fetch ${dir} ${segment}${redis === undefined ? '' : redisArgument(redis, true)}`,
        ]),
  ]
  return `${lines.join('\n')}\n`
}
