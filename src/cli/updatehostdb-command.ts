import { Command, Option } from 'commander'
import { formatCount, formatJson, printableLine } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { HostChoice } from '../domain/crawldb/host-db.ts'
import type { UpdatedHosts } from '../wiring/update-hosts.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { positiveNumber, someNumber } from './option-values.ts'

interface HostFlags extends CrawlFlags {
  readonly check?: HostChoice
  readonly checkThreads: number
  readonly recheckDays: number
  readonly rebuild: boolean
  readonly purgeFailedHosts?: number
  readonly restoreHost?: string
}

const HELP = `
Every updatedb, also that of crawl, keeps the counts, failures and response times of hosts current. This command adds percentiles, the fields of hostDb.numericFields and hostDb.textFields, and name checks.

A host fails once per segment in which none of its names or connections worked after its last response, and once per failed name check. URLs of purged hosts are db_gone until the maximum fetch interval has passed; their metadata has the reason.

Examples:
  orbweaver updatehostdb crawl
  orbweaver updatehostdb crawl --check failed --purge-failed-hosts 5
  orbweaver updatehostdb crawl --restore-host example.org
  orbweaver readhostdb crawl --top 20 --sort failures_in_a_row`

/** Nutch's updatehostdb. */
export function updatehostdbCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('updatehostdb')
    .description('Update the facts about hosts: percentiles, name checks, dead hosts')
    .argument('<dir>', 'Crawl directory')
    .addOption(
      new Option(
        '--check <hosts>',
        'Resolve the names of hosts: all, never checked, resolved before, with failures',
      ).choices(['all', 'new', 'known', 'failed']),
    )
    .option('--check-threads <n>', 'Names that are resolved at the same time', positiveNumber, 25)
    .option('--recheck-days <n>', 'Skip hosts that were checked within this number of days', someNumber, 0)
    .option(
      '--purge-failed-hosts <n>',
      'Mark the URLs of hosts with at least n failures in a row as gone (default: keep them)',
      positiveNumber,
    )
    .option('--restore-host <host>', 'Make the purged URLs of this host due')
    .option('--rebuild', 'Compute the facts of all fetches again from the stored segments', false)
  return addCrawlOptions(command)
    .addHelpText(
      'after',
      helpNotes({ 1: 'the crawl has no hosts', 3: 'failure or interruption; run the command again' }, HELP),
    )
    .action(async (dir: string, flags: HostFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      await using crawl = await openCrawl(dir, openOptions(flags, 'updatehostdb', terminal))
      const { check, checkThreads, recheckDays, rebuild, purgeFailedHosts: purgeFailed, restoreHost } = flags
      const result = await crawl.updateHosts({
        ...{ checkThreads, recheckDays, rebuild, signal: terminal.interrupted },
        ...withoutUndefined({ check, purgeFailed, restoreHost: restoreHost?.toLowerCase() }),
      })
      terminal.out(flags.json ? formatJson(result) : resultText(result))
      if (result.hosts === 0) exitWith(EXIT.nothing)
    })
}

function resultText({ hosts, checked, purged, restored }: UpdatedHosts): string {
  const lines = [`${formatCount(hosts, 'host')} updated`]
  if (checked !== undefined)
    lines.push(
      `${formatCount(checked.resolved + checked.failed, 'name')} checked, ${checked.failed} could not be resolved`,
    )
  if (restored !== undefined) lines.push(`${formatCount(restored, 'purged URL')} due again`)
  if (purged !== undefined) {
    lines.push(
      `${formatCount(purged.urls, 'URL')} of ${formatCount(purged.hosts, 'dead host')} marked as gone`,
    )
    for (const { host, urls, reason } of purged.first)
      lines.push(`  ${host}: ${formatCount(urls, 'URL')}; ${printableLine(reason)}`)
    const more = purged.hosts - purged.first.length
    if (more > 0) lines.push(`  and ${formatCount(more, 'more host')}`)
  }
  return `${lines.join('\n')}\n`
}
