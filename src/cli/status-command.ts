import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { ConnectionClosed } from '../redis/connection.ts'
import { type CrawlView, lookAtCrawl } from '../redis/look-at-crawl.ts'
import { redisKeys } from '../runner/redis-access.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './exit-code.ts'
import { fleetReport, noCrawlText } from './fleet-report.ts'
import { positiveSeconds } from './option-values.ts'
import { OptionalValue } from './optional-value.ts'
import { addRedisOptions, type RedisFlags, withRedis } from './redis-session.ts'

interface StatusFlags extends RedisFlags {
  readonly key?: string
  readonly json: boolean
  /** Ms; `true` for the usual time. */
  readonly watch?: number | true
}

const HELP = `
A worker says every few seconds that it lives; one that is "lost" did not for so long that the others take over its hosts. Looking
changes nothing, and costs the same however large the crawl is.

Examples:
  orbweaver status books --redis redis://queue.example.org/0
  orbweaver status books --redis redis://localhost --watch 5
  orbweaver status books --redis redis://localhost --json | jq .counts.waiting

Exit codes: 0 done; 1 there is no such crawl; 2 wrong usage; 3 it failed.`

export function statusCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('status')
    .description('Shows how far the crawl of a spider in Redis is, and who works on it.')
    .argument('<spider>', 'the name of the crawl: that of its spider, unless it was given another')
  return addRedisOptions(command)
    .option('--key <key>', 'of the start messages (default: <spider>:start_urls)')
    .addOption(
      new OptionalValue(
        '--watch [seconds]',
        'show it again and again, until Ctrl-C (default: every 2)',
        isNumber,
      )
        .argParser(positiveSeconds)
        .conflicts('json'),
    )
    .option('--json', 'print one JSON document', false)
    .addHelpText('after', HELP)
    .action(async (spider: string, flags: StatusFlags) => {
      const { key, watch } = flags
      await withRedis(flags, terminal, async (connection, settings) => {
        const options = { ...redisKeys(settings, spider), ...(key !== undefined && { startUrls: key }) }
        const look = () => lookAtCrawl(connection, spider, options)
        const view = await look()
        if (flags.json) terminal.out(`${JSON.stringify(view ?? null, undefined, 2)}\n`)
        else if (view === undefined) terminal.out(noCrawlText(spider))
        else if (watch === undefined) terminal.out(fleetReport(spider, view))
        else await watchFrom(view, look, watch === true ? WATCH_MS : watch, spider)
        if (view === undefined) exitWith(EXIT.nothing)
      })
    })

  async function watchFrom(
    first: CrawlView,
    look: () => Promise<CrawlView | undefined>,
    everyMs: number,
    spider: string,
  ): Promise<void> {
    const { interrupted: signal } = terminal
    terminal.out(`${frameStart()}${fleetReport(spider, first)}`)
    for (let last = first; ; ) {
      await sleep(everyMs, undefined, { signal }).catch(() => {})
      const view = await look().catch((error: unknown) => {
        // Ctrl-C closes the connection.
        if (error instanceof ConnectionClosed) return undefined
        throw error
      })
      if (signal.aborted) return
      if (view === undefined) return terminal.out(noCrawlText(spider))
      terminal.out(`${frameStart()}${fleetReport(spider, view, speedOf(last, view))}`)
      last = view
    }
  }

  /** A screen is written over; elsewhere frames follow one another. */
  function frameStart(): string {
    return terminal.columns === undefined ? '\n' : '\x1b[H\x1b[J'
  }
}

const WATCH_MS = 2_000

function isNumber(word: string): boolean {
  return Number.isFinite(Number(word))
}

function speedOf(before: CrawlView, after: CrawlView): number {
  return ((after.counts.done - before.counts.done) * 1000) / Math.max(1, after.now - before.now)
}
