import { Command, Option } from 'commander'
import type { StatisticsKey } from '../flows/cycle/count-urls.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { positiveNumber } from './option-values.ts'
import { addCsvOption, formatRows, type RowFlags } from './row-output.ts'

interface CountFlags extends CrawlFlags, RowFlags {
  readonly by: StatisticsKey
  readonly limit?: number
}

const HELP = `
Fetched pages include unmodified pages and duplicates. The public suffix of www.example.co.uk is co.uk, its top-level domain is uk.

Examples:
  orbweaver domainstats crawl --by tld
  orbweaver domainstats crawl --by host --limit 20 --csv`

/** Nutch's domainstats. */
export function domainstatsCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('domainstats')
    .description('Count the fetched pages by host, domain, public suffix or top-level domain')
    .argument('<dir>', 'Crawl directory')
    .addOption(
      new Option('--by <key>', 'What to count by')
        .choices(['host', 'domain', 'suffix', 'tld'])
        .default('domain'),
    )
    .option('--limit <n>', 'Only the n groups with the most fetched pages (default: all)', positiveNumber)
  return addCsvOption(addCrawlOptions(command))
    .addHelpText('after', helpNotes({ 1: 'the CrawlDb is empty' }, HELP))
    .action(async (dir: string, flags: CountFlags) => {
      const { withCrawlToRead } = await import('../wiring/crawl-session.ts')
      const { countBy } = await import('../flows/cycle/count-urls.ts')
      const counts = await withCrawlToRead(sessionOptions(dir, flags, 'domainstats'), ({ reader }) =>
        countBy(reader, flags.by),
      )
      const rows = counts
        .slice(0, flags.limit)
        .map(({ name, fetched, urls }) => ({ name, fetched, notFetched: urls - fetched }))
      terminal.out(formatRows(rows, { name: flags.by, fetched: 'fetched', notFetched: 'not fetched' }, flags))
      if (rows.length === 0) exitWith(EXIT.nothing)
    })
}
