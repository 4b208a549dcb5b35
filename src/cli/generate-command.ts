import { Command } from 'commander'
import { formatCount, formatCounts, formatJson, formatNumber } from '../base/format-values.ts'
import type { GeneratedLists } from '../wiring/cycle-options.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import {
  addCrawlOptions,
  addSegmentsOption,
  type CrawlFlags,
  openOptions,
  type SegmentsFlag,
  segmentsConfig,
} from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import {
  addListOptions,
  addPartitionOptions,
  fetchListOptions,
  type ListFlags,
  type PartitionFlags,
} from './list-flags.ts'
import { positiveNumber, wholeNumber } from './option-values.ts'
import { hostWaitLines } from './report-texts.ts'

interface GenerateFlags extends CrawlFlags, SegmentsFlag, ListFlags, PartitionFlags {
  readonly addDays: number
  readonly filter: boolean
  readonly normalize: boolean
  readonly maxNumSegments: number
}

const HELP = `
Selects due URLs that are on no other fetch list, highest score first. A URL stays on its list until updatedb has merged its result or
the segment is abandoned.

Examples:
  orbweaver generate crawl --top-n 1000
  orbweaver generate crawl --max-count 100 --count-mode domain
  orbweaver generate crawl --expr "score > 0.5 AND host LIKE '%.org'"`

export function generateCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('generate')
    .description('Create a segment with a fetch list of due URLs')
    .argument('<dir>', 'Crawl directory')
    .option('--add-days <n>', 'Include URLs that are due within this many days', wholeNumber, 0)
    .option('--max-num-segments <n>', 'Maximum number of segments to create', positiveNumber, 1)
    .option('--no-filter', 'Do not apply the URL filters')
    .option('--no-normalize', 'Do not normalize URLs')
  return addSegmentsOption(addCrawlOptions(addListOptions(addPartitionOptions(command))))
    .addHelpText(
      'after',
      helpNotes({ 1: 'no URL is due', 3: 'failure or interruption; nothing was changed' }, HELP),
    )
    .action(async (dir: string, flags: GenerateFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      await using crawl = await openCrawl(
        dir,
        openOptions(flags, 'generate', terminal, segmentsConfig(flags)),
      )
      const { numFetchers, addDays, maxNumSegments, partition, filter, normalize } = flags
      const result = await crawl.generate({
        ...fetchListOptions(flags),
        ...{ numFetchers, addDays, maxNumSegments, partition, filter, normalize },
        signal: terminal.interrupted,
      })
      const document = { ...result, segments: result.segments.map(({ name }) => name), urls: result.segments }
      terminal.out(flags.json ? formatJson(document) : generateReport(result))
      if (result.selected === 0) exitWith(EXIT.nothing)
    })
}

function generateReport({
  segments,
  selected,
  rejected,
  held = 0,
  leftOut,
  waiting,
}: GeneratedLists): string {
  const notSelected = [
    ...(Object.keys(rejected).length > 0 ? [`; rejected: ${formatCounts(rejected)}`] : []),
    ...(held > 0 ? [`; ${formatCount(held, 'URL')} held back by the novelty budget`] : []),
    ...(leftOut > 0 ? [`; ${formatCount(leftOut, 'due URL')} left out by the limits of this list`] : []),
  ].join('')
  if (selected === 0) {
    const nothing = `${leftOut > 0 ? 'no URL is selected' : 'nothing is due'}${notSelected}`
    return `${[nothing, ...hostWaitLines(waiting)].join('\n')}\n`
  }
  const lines = segments.map(({ name, urls }) => `segment ${name}: ${formatCount(urls, 'URL')}`)
  return `${lines.join('\n')}\n${formatNumber(selected)} selected${notSelected}\n`
}
