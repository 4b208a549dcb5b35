import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import type { CrawlSnapshot } from '../adapters/redis/inspect-crawl.ts'
import { formatJson } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { redisArgument, redisKeys } from '../wiring/redis-access.ts'
import { OptionalValueOption } from './arrange-arguments.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { CRAWL_OR_DIRECTORY, isCrawlDirectory, namingDirectory } from './directory-crawl.ts'
import { type FleetReportOptions, fleetReport, noCrawlText } from './fleet-report.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { positiveSeconds } from './option-values.ts'
import { addRedisOptions, type RedisFlags, withRedis } from './redis-flags.ts'

interface StatusFlags extends RedisFlags {
  readonly key?: string
  readonly json: boolean
  /** Milliseconds; `true` for the default. */
  readonly watch?: number | true
}

const HELP = `
With a crawl directory it shows the crawl that runs there, or the state of the CrawlDb if none does.

In Redis, workers report every few seconds. A worker is "lost" if it has not reported for a lease (redis.leaseSeconds): other workers take over its hosts. A
warning is shown if no request was finished for four leases although requests are pending. The command changes nothing, and takes the same time for any size of crawl.

Examples:
  orbweaver status crawl --watch
  orbweaver status books --redis redis://queue.example.org/0
  orbweaver status books --redis redis://localhost --watch 5
  orbweaver status books --redis redis://localhost --json | jq .counts.waiting`

export function statusCommand(context: CommandContext): Command {
  const { terminal, exitWith } = context
  const command = new Command('status')
    .description('Show the progress, failures and delays of a running crawl, or its workers in Redis')
    .argument('<crawl>', CRAWL_OR_DIRECTORY)
  return addJsonOption(addRedisOptions(command))
    .option('--key <key>', 'With --redis: key of the start URLs (default: <crawl>:start_urls)')
    .addOption(
      new OptionalValueOption(
        '--watch [seconds]',
        'Update the display at this interval until Ctrl-C (default: 2)',
        isNumber,
      )
        .argParser(positiveSeconds)
        .conflicts('json'),
    )
    .addHelpText('after', helpNotes({ 1: 'no such crawl, or it has no URLs' }, HELP))
    .action(async (crawl: string, flags: StatusFlags) => {
      const { inspectCrawl } = await import('../adapters/redis/inspect-crawl.ts')
      const { key, watch } = flags
      if (isCrawlDirectory(crawl, flags)) {
        const everyMs = watch === true ? WATCH_MS : watch
        const { showDirectoryStatus } = await import('./directory-status.ts')
        return showDirectoryStatus(crawl, { ...flags, watch: everyMs }, context)
      }
      const shown = withRedis(flags, terminal, async (connection, settings) => {
        const options = { ...redisKeys(settings, crawl), ...withoutUndefined({ startUrls: key }) }
        const inspect = () => inspectCrawl(connection, crawl, options)
        const report = {
          redis: redisArgument(flags.redis),
          stallMs: STALL_LEASES * settings.leaseSeconds * 1000,
        }
        const view = await inspect()
        if (flags.json) terminal.out(formatJson(view ?? null))
        else if (view === undefined) terminal.out(noCrawlText(crawl))
        else if (watch === undefined) terminal.out(fleetReport(crawl, view, report))
        else await watchFrom(view, inspect, watch === true ? WATCH_MS : watch, crawl, report)
        if (view === undefined) exitWith(EXIT.nothing)
      })
      await namingDirectory(crawl, shown)
    })

  async function watchFrom(
    first: CrawlSnapshot,
    inspect: () => Promise<CrawlSnapshot | undefined>,
    everyMs: number,
    crawl: string,
    report: FleetReportOptions,
  ): Promise<void> {
    const { ConnectionClosed } = await import('../adapters/redis/redis-connection.ts')
    const { interrupted: signal } = terminal
    terminal.out(`${frameStart()}${fleetReport(crawl, first, report)}`)
    for (let last = first; ; ) {
      await sleep(everyMs, undefined, { signal }).catch(() => {})
      const view = await inspect().catch((error: unknown) => {
        // Ctrl-C closes the connection.
        if (error instanceof ConnectionClosed) return undefined
        throw error
      })
      if (signal.aborted) return
      if (view === undefined) return terminal.out(noCrawlText(crawl))
      const donePerSecond = speedOf(last, view)
      terminal.out(`${frameStart()}${fleetReport(crawl, view, { ...report, donePerSecond })}`)
      last = view
    }
  }

  /** Clears a terminal; in files and pipes, reports follow one another. */
  function frameStart(): string {
    return terminal.columns === undefined ? '\n' : '\x1b[H\x1b[J'
  }
}

const WATCH_MS = 2_000
const STALL_LEASES = 4

function isNumber(word: string): boolean {
  return Number.isFinite(Number(word))
}

function speedOf(before: CrawlSnapshot, after: CrawlSnapshot): number {
  return ((after.counts.done - before.counts.done) * 1000) / Math.max(1, after.now - before.now)
}
