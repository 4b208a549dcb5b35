import { Command } from 'commander'
import type { FetchResult } from '../cycle/fetch-result.ts'
import { fetchSegment } from '../cycle/fetch-segment.ts'
import type { CommandContext } from './command-context.ts'
import { addDirectoryOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { withCrawl } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { addFetchOptions, type FetchFlags, fetchConfig } from './fetch-flags.ts'
import { withFetching } from './fetch-session.ts'
import { FetchStatusLine } from './fetch-status-line.ts'
import { chosenSegment, isUnfetched } from './segment-choice.ts'
import { byteCount, counted, duration, tally } from './shown.ts'

interface FetchCommandFlags extends FetchFlags, CrawlFlags {
  readonly parse: boolean
}

const HELP = `
Fetches the URLs of a segment's fetch list, each host no faster than it allows, and parses the pages meanwhile. Every URL ends with a
record: fetched, failed, or not reached and why. Interrupted or killed, the same command goes on where it was.

Examples:
  orbweaver fetch crawl
  orbweaver fetch crawl 20261115180830 --threads 100 --delay 2

Exit codes: 0 done; 1 every segment is fetched; 2 wrong usage; 3 it failed or was interrupted: run it again to go on.`

export function fetchCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('fetch')
    .description('Fetches the pages of a segment.')
    .argument('<dir>', 'the crawl directory')
    .argument('[segment]', 'default: the oldest that is not fetched')
    .option('--no-parse', 'store pages, and parse them later with orbweaver parse')
  return addDirectoryOptions(addFetchOptions(command))
    .addHelpText('after', HELP)
    .action(async (dir: string, named: string | undefined, flags: FetchCommandFlags) => {
      const config = { ...fetchConfig(flags), ...crawlConfig(flags) }
      const result = await withCrawl({ dir, flags, config, command: 'fetch' }, async (session) => {
        const name = await chosenSegment(session.segments, named, (one) => isUnfetched(session.segments, one))
        if (name === undefined) return undefined
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
      terminal.out(flags.json ? `${JSON.stringify(result, undefined, 2)}\n` : fetchReport(dir, result))
      if (!result.complete) exitWith(EXIT.failed)
    })
}

function fetchReport(dir: string, result: FetchResult): string {
  const { segment, complete, statuses, notReached, bytes, durationMs } = result
  const lines = [
    `segment ${segment}: ${tally(statuses) || 'nothing to fetch'}`,
    `${byteCount(bytes)} in ${duration(durationMs)}`,
    ...Object.entries(notReached).map(([why, n]) => `${counted(n, 'URL')} not reached: ${why}`),
    ...(complete ? [] : [`interrupted; to go on: orbweaver fetch ${dir} ${segment}`]),
  ]
  return `${lines.join('\n')}\n`
}
