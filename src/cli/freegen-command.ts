import { Command } from 'commander'
import { formatCount, formatJson } from '../base/format-values.ts'
import type { FreegenResult } from '../wiring/cycle-options.ts'
import { type CommandContext, EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { injectReport } from './inject-report.ts'
import { addPartitionOptions, type PartitionFlags } from './list-flags.ts'

interface FreegenFlags extends CrawlFlags, PartitionFlags {
  readonly filter: boolean
  readonly normalize: boolean
}

const HELP = `
The URLs are fetched whether they are due or not. New ones are added to the CrawlDb, as inject does. URLs that are on another fetch list,
and URLs of hosts that must wait, are left out.

Examples:
  orbweaver freegen crawl https://example.org/changed.html
  orbweaver freegen crawl urls.txt && orbweaver fetch crawl && orbweaver updatedb crawl
  cat urls.txt | orbweaver freegen crawl -`

export function freegenCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('freegen')
    .description('Create a segment from a list of URLs')
    .argument('<dir>', 'Crawl directory; created on first use')
    .argument('<urls...>', 'URLs, files, directories of files, or - for standard input')
    .option('--no-filter', 'Do not apply the URL filters')
    .option('--no-normalize', 'Do not normalize URLs')
  return addCrawlOptions(addPartitionOptions(command))
    .addHelpText(
      'after',
      helpNotes(
        {
          1: 'no URL was given, or none can be fetched now',
          3: 'failure or interruption; new URLs may have been added, no segment was made',
        },
        HELP,
      ),
    )
    .action(async (dir: string, urls: string[], flags: FreegenFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      const { numFetchers, partition, filter, normalize } = flags
      await using crawl = await openCrawl(dir, { ...openOptions(flags, 'freegen', terminal), create: true })
      const result = await crawl.freegen(
        { files: urls, input: terminal.input },
        { numFetchers, partition, filter, normalize, signal: terminal.interrupted },
      )
      const document = { ...result, segments: result.segments.map(({ name }) => name) }
      terminal.out(flags.json ? formatJson(document) : freegenReport(dir, result))
      if (result.selected === 0) exitWith(EXIT.nothing)
    })
}

function freegenReport(dir: string, { segments, injected, leftOut }: FreegenResult): string {
  const lines = segments.map(
    ({ name, urls }) => `segment ${name}: ${formatCount(urls, 'URL')}; next: orbweaver fetch ${dir} ${name}`,
  )
  const left =
    leftOut === 0
      ? []
      : [`${formatCount(leftOut, 'URL')} left out: on another fetch list, or the host must wait`]
  return `${injectReport(dir, injected)}${[...lines, ...left].map((line) => `${line}\n`).join('')}`
}
