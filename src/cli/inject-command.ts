import { Command } from 'commander'
import { formatJson } from '../base/format-values.ts'
import { type CommandContext, EXIT } from './command-context.ts'
import {
  addCrawlOptions,
  addSegmentsOption,
  type CrawlFlags,
  openOptions,
  type SegmentsFlag,
  segmentsConfig,
} from './crawl-flags.ts'
import { addEngineOptions, type EngineFlags, engineConfig } from './engine-flags.ts'
import { helpNotes } from './help-notes.ts'
import { injectReport, isNothingInjected } from './inject-report.ts'

interface InjectFlags extends CrawlFlags, EngineFlags, SegmentsFlag {
  readonly overwrite: boolean
  readonly update: boolean
  readonly filter: boolean
  readonly normalize: boolean
}

const HELP = `
A line of a seed file is a URL, optionally followed by TAB-separated key=value items: nutch.score, nutch.fetchInterval and
nutch.fetchInterval.fixed (in seconds; the prefix "nutch." is optional). Other items are kept as metadata. Blank lines and lines that
start with # are skipped.

Examples:
  orbweaver inject crawl https://example.org/
  orbweaver inject crawl seeds.txt more-seeds/
  cat seeds.txt | orbweaver inject crawl -`

export function injectCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('inject')
    .description('Add seed URLs to a crawl; known URLs stay unchanged')
    .argument('<dir>', 'Crawl directory; created on first use')
    .argument('<seeds...>', 'URLs, files, directories of files, or - for standard input')
    .option('--overwrite', 'Replace the records of known URLs; their history is lost', false)
    .option('--update', 'Set score, interval and metadata of known URLs from their lines', false)
    .option('--no-filter', 'Do not apply the URL filters')
    .option('--no-normalize', 'Do not normalize URLs')
  return addEngineOptions(addSegmentsOption(addCrawlOptions(command)))
    .addHelpText(
      'after',
      helpNotes(
        { 1: 'no URL was given, or all were rejected', 3: 'failure or interruption; nothing was changed' },
        HELP,
      ),
    )
    .action(async (dir: string, seeds: string[], flags: InjectFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      await using crawl = await openCrawl(dir, {
        ...openOptions(flags, 'inject', terminal, { ...segmentsConfig(flags), ...engineConfig(flags) }),
        create: true,
      })
      const summary = await crawl.inject(
        { files: seeds, input: terminal.input },
        {
          existing: flags.overwrite ? 'overwrite' : flags.update ? 'update' : 'keep',
          filter: flags.filter,
          normalize: flags.normalize,
          signal: terminal.interrupted,
        },
      )
      terminal.out(flags.json ? formatJson(summary) : injectReport(dir, summary))
      if (isNothingInjected(summary)) exitWith(EXIT.nothing)
    })
}
