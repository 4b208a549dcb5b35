import { Command, Option } from 'commander'
import type { CrawlCounts } from '../flows/cycle/count-urls.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { positiveNumber } from './option-values.ts'
import { addCsvOption, formatRows, type RowFlags } from './row-output.ts'

interface CompletionFlags extends CrawlFlags, RowFlags {
  readonly by: 'host' | 'domain'
  readonly limit?: number
}

const HELP = `
A URL is complete when it was requested at least once: it was fetched, redirects, or is gone. Groups with the most unfetched URLs come first.

Examples:
  orbweaver crawlcomplete crawl --by domain`

/** Nutch's crawlcomplete. */
export function crawlcompleteCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('crawlcomplete')
    .description('Show how much of each host or domain has been crawled')
    .argument('<dir>', 'Crawl directory')
    .addOption(new Option('--by <key>', 'What to count by').choices(['host', 'domain']).default('host'))
    .option('--limit <n>', 'Only the n groups with the most unfetched URLs (default: all)', positiveNumber)
  return addCsvOption(addCrawlOptions(command))
    .addHelpText('after', helpNotes({ 1: 'the CrawlDb is empty' }, HELP))
    .action(async (dir: string, flags: CompletionFlags) => {
      const { withCrawlToRead } = await import('../wiring/crawl-session.ts')
      const { countBy } = await import('../flows/cycle/count-urls.ts')
      const counts = await withCrawlToRead(sessionOptions(dir, flags, 'crawlcomplete'), ({ reader }) =>
        countBy(reader, flags.by),
      )
      const rows = counts
        .map(completion)
        .sort((a, b) => b.unfetched - a.unfetched || b.fetched - a.fetched)
        .slice(0, flags.limit)
      terminal.out(formatRows(rows, { ...HEADINGS, name: flags.by }, flags))
      if (rows.length === 0) exitWith(EXIT.nothing)
    })
}

/** @returns with the share of URLs that were requested, in percent with one digit */
function completion({ name, fetched, unfetched, redirected, gone, urls }: CrawlCounts) {
  const percent = Math.floor((1000 * (urls - unfetched)) / urls) / 10
  return { name, percent, fetched, unfetched, redirected, gone }
}

const HEADINGS = {
  name: 'host',
  percent: 'complete %',
  fetched: 'fetched',
  unfetched: 'unfetched',
  redirected: 'redirected',
  gone: 'gone',
} as const
