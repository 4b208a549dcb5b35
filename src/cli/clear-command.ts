import { Command } from 'commander'
import type { CrawlSnapshot } from '../adapters/redis/inspect-crawl.ts'
import { startKeys } from '../adapters/redis/keys.ts'
import { CrawlError } from '../base/crawl-error.ts'
import { formatCount, formatJson, printableLine } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { redisArgument, redisKeys } from '../wiring/redis-access.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { noCrawlText } from './fleet-report.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { addRedisOptions, CRAWL_ARGUMENT, type RedisFlags, withRedisCrawl } from './redis-flags.ts'

interface ClearFlags extends RedisFlags {
  readonly key?: string
  readonly items: boolean
  readonly starts: boolean
  readonly yes: boolean
  readonly force: boolean
  readonly json: boolean
}

const HELP = `
Deletes the queue, the seen set, the failed requests and all statistics of a crawl; the next run starts from scratch. Items and start URLs stay
unless you add --items or --starts. The throttle state of hosts stays, too, so that no host is requested too soon. Without --yes, the command
only shows what it would delete. It deletes in small steps and does not block Redis; if it is killed, run it again.

Examples:
  orbweaver clear books --redis redis://queue.example.org/0
  orbweaver clear books --redis redis://localhost --yes --items --starts`

export function clearCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('clear').argument('<crawl>', CRAWL_ARGUMENT)
  return addJsonOption(addRedisOptions(command))
    .option('--yes', 'Delete; without it, only show what would be deleted', false)
    .option('--items', 'Delete the items, too', false)
    .option('--starts', 'Delete pending start URLs, too', false)
    .option('--key <key>', 'Key of the start URLs (default: <crawl>:start_urls)')
    .option('--force', 'Delete even if the crawl has workers, which then stop', false)
    .addHelpText(
      'after',
      helpNotes({ 1: 'no such crawl, or --yes is missing', 3: 'the crawl has workers, or failure' }, HELP),
    )
    .action(async (crawl: string, flags: ClearFlags) => {
      const view = await clear(crawl, flags)
      const removed = view === undefined ? undefined : removedBy(view, flags)
      if (flags.json) terminal.out(formatJson({ crawl, cleared: flags.yes, removed: removed ?? null }))
      else if (view === undefined || removed === undefined) terminal.out(noCrawlText(crawl))
      else terminal.out(reportText(printableLine(crawl), view, removed, flags))
      if (view === undefined || !flags.yes) exitWith(EXIT.nothing)
    })

  /** The crawl before it was deleted; `undefined` if there is none. Keys left by an earlier call that was killed are deleted in any case. */
  async function clear(crawl: string, flags: ClearFlags): Promise<CrawlSnapshot | undefined> {
    const { inspectCrawl } = await import('../adapters/redis/inspect-crawl.ts')
    return withRedisCrawl(flags, crawl, terminal, async ({ control, connection, settings }) => {
      const { yes, force, items, starts, key } = flags
      const options = { ...redisKeys(settings, crawl), ...withoutUndefined({ startUrls: key }) }
      const view = await inspectCrawl(connection, crawl, options)
      if (!yes) return view
      const { startUrls, malformedStarts } = startKeys(crawl, connection.isCluster, options)
      const cleared = await control.clear({
        ...{ force, items },
        ...(starts && { starts: [startUrls, malformedStarts] }),
      })
      if (!cleared.ok)
        throw new CrawlHasWorkers(`${crawl}${redisArgument(flags.redis)}`, crawl, cleared.workers)
      return view
    })
  }
}

/**
 * `orbweaver clear` was called while workers of the crawl are active.
 * Remedy: Stop the workers with `orbweaver drain`, then run the command again.
 */
class CrawlHasWorkers extends CrawlError {
  readonly code = 'CRAWL_HAS_WORKERS'
  readonly retryable = true

  /** @param drainArguments arguments of `orbweaver drain` for this crawl */
  constructor(drainArguments: string, crawl: string, workers: number) {
    super(
      `${crawl} has ${formatCount(workers, 'worker')}; nothing was deleted. Stop them first (orbweaver drain ${drainArguments}), or use --force`,
    )
  }
}

interface Removed {
  readonly requests: number
  readonly seen: number
  readonly failed: number
  readonly items: number
  readonly startMessages: number
}

function removedBy({ counts, startMessages }: CrawlSnapshot, { items, starts }: ClearFlags): Removed {
  const { waiting, delayed, leased, seen, failed, itemsLeft } = counts
  return {
    requests: waiting + delayed + leased,
    ...{ seen, failed },
    items: items ? itemsLeft : 0,
    startMessages: starts ? startMessages : 0,
  }
}

function reportText(
  crawl: string,
  view: CrawlSnapshot,
  removed: Removed,
  { yes, items, starts }: ClearFlags,
): string {
  const what = [
    formatCount(removed.requests, 'pending request'),
    formatCount(removed.seen, 'seen URL'),
    formatCount(removed.failed, 'failed request'),
    ...(items ? [formatCount(removed.items, 'item')] : []),
    ...(starts ? [formatCount(removed.startMessages, 'start message')] : []),
  ]
  const kept = [
    ...(items || view.counts.itemsLeft === 0
      ? []
      : [`${formatCount(view.counts.itemsLeft, 'item')} (--items)`]),
    ...(starts || view.startMessages === 0
      ? []
      : [`${formatCount(view.startMessages, 'start message')} (--starts)`]),
  ]
  const keptText = kept.length === 0 ? '' : `; kept: ${kept.join(', ')}`
  return yes
    ? `${crawl} was deleted: ${what.join(', ')}${keptText}\n`
    : `nothing was deleted. --yes deletes ${what.join(', ')}${keptText}\n`
}
