import { Command, Option } from 'commander'
import { parseDuplicateOrder } from '../domain/crawldb/duplicate-order.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { withCrawl } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { formatCount, formatJson } from './format-values.ts'
import { helpNotes } from './help-notes.ts'

interface DedupFlags extends CrawlFlags {
  readonly group: 'none' | 'host' | 'domain'
  readonly compareOrder?: string
}

export function dedupCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('dedup')
    .description('Marks pages with the same content as duplicates, all but one of each.')
    .argument('<dir>', 'the crawl directory')
    .addOption(
      new Option('--group <what>', 'duplicates only within one host or domain')
        .choices(['none', 'host', 'domain'])
        .default('none'),
    )
    .option(
      '--compare-order <rules>',
      'what decides which one stays: these three in any order, httpsOverHttp too if you like (default: score,fetchTime,urlLength)',
    )
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no duplicates', 3: 'failure; nothing was changed' }))
    .action(async (dir: string, flags: DedupFlags) => {
      const { group, compareOrder } = flags
      const order = compareOrder === undefined ? {} : { order: parseDuplicateOrder(compareOrder) }
      const result = await withCrawl({ dir, flags, config: crawlConfig(flags), command: 'dedup' }, ({ db }) =>
        db.markDuplicates({ group, ...order }),
      )
      const { groups, duplicates } = result
      const text =
        duplicates === 0
          ? 'no duplicates\n'
          : `${formatCount(duplicates, 'duplicate')} of ${formatCount(groups, 'page')}\n`
      terminal.out(flags.json ? formatJson(result) : text)
      if (duplicates === 0) exitWith(EXIT.nothing)
    })
}
