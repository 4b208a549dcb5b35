import { Command, Option } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { openCrawl } from '../wiring/open-crawl.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addDirectoryOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { crawlReport, runWithProgress } from './crawl-report.ts'
import { nothingFetchedText } from './failure-report.ts'
import { addFetchOptions, type FetchFlags, fetchConfig, fetchRunOptions } from './fetch-flags.ts'
import { formatJson } from './format-values.ts'
import { addOptionGroup, helpNotes } from './help-notes.ts'
import { indexJson, indexReport } from './index-report.ts'
import { injectReport } from './inject-command.ts'
import { addListOptions, fetchListOptions, type ListFlags } from './list-flags.ts'
import { collected, positiveNumber, wholeNumber } from './option-values.ts'

interface CrawlCommandFlags extends CrawlFlags, FetchFlags, ListFlags {
  readonly rounds?: number
  readonly maxPages?: number
  readonly depth?: number
  readonly scope?: 'host' | 'domain' | 'any'
  readonly index?: boolean
  readonly indexTo?: readonly string[]
}

const HELP = `
Injects the seeds, then fetches due URLs in rounds until no URL is due or a limit is reached. Rounds overlap, so that a slow host does
not delay the others. Ctrl-C stops the crawl; the same command resumes it. A later run fetches only the URLs that are due then.

With --index, links are inverted, duplicates are marked and the search index is updated after each round.

Examples:
  orbweaver crawl crawl https://example.org/ --index
  orbweaver crawl crawl seeds.txt --scope domain --max-pages 1000 --depth 3
  orbweaver crawl crawl`

export function crawlCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('crawl')
    .description('Crawl from seeds, round by round, until no URL is due')
    .argument('<dir>', 'Crawl directory; created on first use')
    .argument('[seeds...]', 'URLs, files, directories of files, or - for standard input')
    .addOption(
      new Option(
        '--scope <scope>',
        'Follow links to the hosts of the seeds, to their domains, or to any host (default: host)',
      ).choices(['host', 'domain', 'any']),
    )
    .option('--index', 'Update a search index after each round (see orbweaver index --help)')
    .option(
      '--index-to <index>',
      'Index to update; repeatable (default: sqlite, in the crawl directory)',
      collected,
    )
  addOptionGroup(command, 'Limits', (group) =>
    group
      .option('--max-pages <n>', 'Maximum number of fetched pages (default: none)', positiveNumber)
      .option('--depth <n>', 'Maximum number of links between a seed and a page (default: none)', wholeNumber)
      .option('--rounds <n>', 'Maximum number of rounds (default: none)', positiveNumber),
  )
  return addDirectoryOptions(addFetchOptions(addListOptions(command)))
    .addHelpText(
      'after',
      helpNotes(
        {
          1: 'no URL was due',
          3: 'failure, no page could be fetched, or interruption; run the command again to resume',
        },
        HELP,
      ),
    )
    .action(async (dir: string, seeds: string[], flags: CrawlCommandFlags) => {
      await using crawl = await openCrawl(dir, {
        ...openOptions(flags, 'crawl', terminal, crawlConfig(flags)),
        create: seeds.length > 0,
      })
      if (seeds.length > 0)
        terminal.err(injectReport(dir, await crawl.inject({ files: seeds, input: terminal.input })))
      const { rounds, index, indexTo } = flags
      const result = await runWithProgress(crawl, terminal, {
        ...fetchRunOptions(flags),
        ...fetchListOptions(flags),
        ...withoutUndefined({ rounds, index: indexTo ?? index }),
      })
      const { index: indexed, ...crawled } = result
      const document = indexed === undefined ? crawled : { ...crawled, index: indexJson(indexed) }
      terminal.out(
        flags.json ? formatJson(document) : `${crawlReport(dir, result)}${indexReport(indexed ?? [])}`,
      )
      const isFailed = result.pages === 0 && result.failures.length > 0
      if (isFailed) terminal.err(`error: ${nothingFetchedText(result.failures)}\n`)
      if (isFailed || result.ended === 'interrupted' || indexed?.some(({ ended }) => ended !== 'done'))
        exitWith(EXIT.failed)
      else if (result.segments.length === 0) exitWith(EXIT.nothing)
    })
}

function crawlConfig(flags: CrawlCommandFlags): OrbweaverConfig {
  const config = fetchConfig(flags)
  const { scope, depth, maxPages } = flags
  return {
    ...config,
    filters: { ...config.filters, ...withoutUndefined({ scope, maxDepth: depth }) },
    limits: { ...config.limits, ...withoutUndefined({ maxPages }) },
  }
}
