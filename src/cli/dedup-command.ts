import { Command, Option } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
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
  readonly near?: true
  readonly mark?: true
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
    .option(
      '--near',
      'Group pages with nearly the same text (SimHash, at most 3 of 64 bits differ); they keep their status. Needs the DuckDB engine',
    )
    .option('--mark', 'With --near: mark all but one page of each group as duplicates')
  return addCrawlOptions(command)
    .addHelpText(
      'after',
      helpNotes({ 1: 'no duplicates', 3: 'failure or interruption; nothing was changed' }),
    )
    .action(async (dir: string, flags: DedupFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      const { group, compareOrder, near, mark } = flags
      if (mark && !near) throw new ConfigurationError('OPTION_INVALID', '--mark needs --near')
      if (near && compareOrder !== undefined)
        throw new ConfigurationError(
          'OPTION_INVALID',
          '--compare-order does not apply to --near, which keeps the page with the highest score',
        )
      const order = compareOrder === undefined ? undefined : parseDuplicateOrder(compareOrder)
      await using crawl = await openCrawl(dir, openOptions(flags, 'dedup', terminal))
      const result = await crawl.dedup({
        ...{ group, signal: terminal.interrupted },
        ...withoutUndefined({ order, near, mark }),
      })
      const { groups, duplicates } = result
      const kind = near ? 'near-duplicate' : 'duplicate'
      const text =
        duplicates === 0
          ? `no ${kind}s\n`
          : `${formatCount(duplicates, kind)} of ${formatCount(groups, 'page')}\n`
      terminal.out(flags.json ? formatJson(result) : text)
      if (duplicates === 0) exitWith(EXIT.nothing)
    })
}
