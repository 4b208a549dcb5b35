import { Command } from 'commander'
import { formatCount, formatJson } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { MergedSegments } from '../wiring/cycle-options.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { positiveNumber } from './option-values.ts'

interface MergeFlags extends CrawlFlags {
  readonly filter: boolean
  readonly normalize: boolean
  readonly slice?: number
  readonly delete: boolean
  readonly again: boolean
}

export function mergesegsCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('mergesegs')
    .description('Merge segments into one, with the newest successfully fetched version of each page')
    .argument('<dir>', 'Crawl directory')
    .argument('[segments...]', 'Names of segments (default: all)')
    .option('--filter', 'Drop URLs that the URL filters reject', false)
    .option('--normalize', 'Normalize URLs', false)
    .option(
      '--slice <n>',
      'Create several segments with at most this many URLs each (default: one segment)',
      positiveNumber,
    )
    .option('--delete', 'Delete the merged segments afterwards', false)
    .option('--again', 'Merge the segments even if they were merged with the same options before', false)
  return addCrawlOptions(command)
    .addHelpText(
      'after',
      helpNotes({ 1: 'no segments to merge', 3: 'failure or interruption; nothing was changed' }),
    )
    .action(async (dir: string, named: string[], flags: MergeFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      await using crawl = await openCrawl(dir, openOptions(flags, 'mergesegs', terminal))
      const { filter, normalize, slice, again } = flags
      const result = await crawl.mergeSegments({
        ...{ segments: named, filter, normalize, delete: flags.delete, again },
        signal: terminal.interrupted,
        ...withoutUndefined({ slice }),
      })
      terminal.out(flags.json ? formatJson(result) : mergeReport(dir, result))
      const { segments, already, deleted } = result
      if (segments.length === 0 || (already && deleted.length === 0)) exitWith(EXIT.nothing)
    })
}

function mergeReport(dir: string, { segments, pages, already, deleted, unmerged }: MergedSegments): string {
  if (segments.length === 0) return 'no segments to merge\n'
  return [
    `segment ${segments.join(', ')}: ${formatCount(pages, 'page')}${already ? ', merged before' : ''}`,
    ...(deleted.length > 0 ? [`${formatCount(deleted.length, 'old segment')} deleted`] : []),
    ...(unmerged.length > 0
      ? [
          `not deleted, because their results are not merged yet: orbweaver updatedb ${dir} ${unmerged.join(' ')}`,
        ]
      : []),
    '',
  ].join('\n')
}
