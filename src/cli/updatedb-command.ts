import { Command } from 'commander'
import { formatCount, formatJson, formatNumber } from '../base/format-values.ts'
import type { UpdatedDb } from '../wiring/cycle-options.ts'
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

interface UpdateFlags extends CrawlFlags, SegmentsFlag {
  readonly filter: boolean
  readonly normalize: boolean
  readonly additions: boolean
  readonly again: boolean
  readonly purgeGone: boolean
  readonly purgeOrphans: boolean
  readonly abandon: boolean
}

export function updatedbCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('updatedb')
    .description('Update the CrawlDb with fetch results: statuses, fetch times, scores and new URLs')
    .argument('<dir>', 'Crawl directory')
    .argument('[segments...]', 'Names of segments (default: all with new results)')
    .option(
      '--filter',
      'Apply the URL filters to all URLs, including known ones, and remove rejected ones',
      false,
    )
    .option('--normalize', 'Normalize all URLs, including known ones', false)
    .option('--no-additions', 'Do not add new URLs')
    .option('--purge-gone', 'Remove the records of gone pages', false)
    .option(
      '--purge-orphans',
      'Remove records that an earlier update marked db_orphan (see orphans in the configuration)',
      false,
    )
    .option('--abandon', 'Merge the results of the named segments, and release their unfetched URLs', false)
    .option('--again', 'Merge segments that were merged before; their links count twice', false)
  return addSegmentsOption(addCrawlOptions(command))
    .addHelpText(
      'after',
      helpNotes({ 1: 'no new results', 3: 'failure or interruption; run the command again to resume' }),
    )
    .action(async (dir: string, segments: string[], flags: UpdateFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      await using crawl = await openCrawl(
        dir,
        openOptions(flags, 'updatedb', terminal, segmentsConfig(flags)),
      )
      const { filter, normalize, additions, purgeGone, purgeOrphans, abandon, again } = flags
      const result = await crawl.update({
        ...{ segments, filter, normalize, additions, purgeGone, purgeOrphans, abandon, again },
        signal: terminal.interrupted,
      })
      terminal.out(flags.json ? formatJson(result) : updateReport(result))
      if (result.partsLeft !== undefined) exitWith(EXIT.failed)
      else if (isUnchanged(result)) exitWith(EXIT.nothing)
    })
}

function isUnchanged({ parts, changed, purged, freed }: UpdatedDb): boolean {
  return parts + changed + purged + freed === 0
}

function updateReport(result: UpdatedDb): string {
  const { fetched, links, added, changed, purged, pending, freed, partsLeft } = result
  if (isUnchanged(result) && partsLeft === undefined) return 'no new results\n'
  const waiting = Object.entries(pending).filter(([, n]) => n > 0)
  return [
    `${formatCount(fetched, 'fetch result')} and ${formatCount(links, 'link')} merged: ${formatCount(added, 'new URL')}, ${formatNumber(changed)} changed`,
    ...(purged > 0 ? [`${formatCount(purged, 'URL')} removed`] : []),
    ...(freed > 0 ? [`${formatCount(freed, 'URL')} released`] : []),
    ...waiting.map(([segment, n]) => `segment ${segment}: ${formatCount(n, 'URL')} not fetched yet`),
    ...(partsLeft === undefined
      ? []
      : [`interrupted; ${formatCount(partsLeft, 'part')} not merged yet: run the command again`]),
    '',
  ].join('\n')
}
