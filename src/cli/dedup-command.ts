import { Command, Option } from 'commander'
import { formatCount, formatJson } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { parseDuplicateOrder } from '../domain/crawldb/duplicate-order.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'

interface DedupFlags extends CrawlFlags {
  readonly group: 'none' | 'host' | 'domain'
  readonly compareOrder?: string
}

export function dedupCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('dedup')
    .description('Mark all but one of the pages with the same content as duplicates')
    .argument('<dir>', 'Crawl directory')
    .addOption(
      new Option('--group <unit>', 'Compare pages only within one host or domain')
        .choices(['none', 'host', 'domain'])
        .default('none'),
    )
    .option(
      '--compare-order <rules>',
      'Rules that select the page to keep, in order; httpsOverHttp may be added (default: score,fetchTime,urlLength)',
    )
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no duplicates', 3: 'failure; nothing was changed' }))
    .action(async (dir: string, flags: DedupFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      const { group, compareOrder } = flags
      const order = compareOrder === undefined ? undefined : parseDuplicateOrder(compareOrder)
      await using crawl = await openCrawl(dir, openOptions(flags, 'dedup', terminal))
      const result = await crawl.dedup({ group, ...withoutUndefined({ order }) })
      const { groups, duplicates } = result
      const text =
        duplicates === 0
          ? 'no duplicates\n'
          : `${formatCount(duplicates, 'duplicate')} of ${formatCount(groups, 'page')}\n`
      terminal.out(flags.json ? formatJson(result) : text)
      if (duplicates === 0) exitWith(EXIT.nothing)
    })
}
