import { Command } from 'commander'
import { formatCount, formatCounts, formatJson, formatNumber, printableLine } from '../base/format-values.ts'
import type { InjectSummary } from '../flows/cycle/inject.ts'
import { openCrawl } from '../wiring/open-crawl.ts'
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
      helpNotes({ 1: 'no URL was given, or all were rejected', 3: 'failure; nothing was changed' }, HELP),
    )
    .action(async (dir: string, seeds: string[], flags: InjectFlags) => {
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
        },
      )
      terminal.out(flags.json ? formatJson(summary) : injectReport(dir, summary))
      if (isNothingInjected(summary)) exitWith(EXIT.nothing)
    })
}

/** Whether no seed was accepted: none was given, or all were rejected. */
export function isNothingInjected({ injected, merged, repeated }: InjectSummary): boolean {
  return injected + merged + repeated === 0
}

/** The reason for a crawl without a seed. */
export function rejectedSeedsText({ seeds, rejected, examples }: InjectSummary): string {
  if (seeds === 0) return 'nothing to do: no URL was given\n'
  const [first] = examples
  const example = first === undefined ? '' : ` (${printableLine(first.url)}: ${printableLine(first.reason)})`
  return `nothing to do: all seeds were rejected: ${formatCounts(rejected)}${example}\n`
}

/** The result of `inject`, and of the first step of `crawl`. */
export function injectReport(dir: string, summary: InjectSummary): string {
  const { seeds, injected, merged, repeated, rejected, badItems, examples } = summary
  if (seeds === 0) return 'no URL was given\n'
  const parts = [
    `${formatCount(injected, 'new URL')} in ${dir}`,
    ...(merged > 0 ? [`${formatNumber(merged)} known`] : []),
    ...(repeated > 0 ? [`${formatNumber(repeated)} repeated`] : []),
    ...(Object.keys(rejected).length > 0 ? [`rejected: ${formatCounts(rejected)}`] : []),
    ...(badItems > 0 ? [`${formatCount(badItems, 'item')} left out`] : []),
  ]
  const problems = examples.map(
    ({ at, url, reason }) => `  ${printableLine(at)}  ${printableLine(url)}  ${printableLine(reason)}`,
  )
  return `${[parts.join('; '), ...problems].join('\n')}\n`
}
