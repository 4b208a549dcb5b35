import { Command } from 'commander'
import { wallClock } from '../base/clock.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { type MergeSegmentsResult, mergeSegments } from '../flows/cycle/merge-segments.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { withCrawl } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { formatCount, formatJson } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { positiveNumber } from './option-values.ts'
import { chosenSegments } from './segment-choice.ts'

interface MergeFlags extends CrawlFlags {
  readonly filter: boolean
  readonly normalize: boolean
  readonly slice?: number
  readonly delete: boolean
  readonly again: boolean
}

export function mergesegsCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('mergesegs')
    .description('Makes one segment of several; of a page that is in many, the newest good version stays.')
    .argument('<dir>', 'the crawl directory')
    .argument('[segments...]', 'default: all')
    .option('--filter', 'leave out URLs that the rules reject', false)
    .option('--normalize', 'normalise URLs', false)
    .option('--slice <n>', 'URLs in each new segment', positiveNumber)
    .option('--delete', 'delete the old segments when the new one stands', false)
    .option('--again', 'merge once more what was merged in this way before', false)
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no segments to merge', 3: 'failure; nothing was changed' }))
    .action(async (dir: string, named: string[], flags: MergeFlags) => {
      const result = await withCrawl(
        { dir, flags, config: crawlConfig(flags), command: 'mergesegs' },
        async ({ db, segments, rules }) => {
          const names = await chosenSegments(segments, named)
          let unfolded: readonly string[] = []
          const merged = await mergeSegments(segments, wallClock, {
            names,
            again: flags.again,
            // What the old ones brought is in the CrawlDb, or has to come in now: the new one must not count again.
            onWritten: async (written) => {
              unfolded = await db.adopt(written, names)
            },
            ...(flags.filter && { filter: rules.filter }),
            ...(flags.normalize && { normalize: rules.normalize }),
            ...withoutUndefined({ slice: flags.slice }),
          })
          // They are known since they have their names; but the CrawlDb may be a newer one, with nothing folded in.
          if (merged.already) unfolded = await db.adopt([], names)
          const kept = [...unfolded, ...merged.segments]
          const deleted = flags.delete ? names.filter((name) => !kept.includes(name)) : []
          for (const name of deleted) await segments.remove(name)
          return { ...merged, deleted, unfolded }
        },
      )
      terminal.out(flags.json ? formatJson(result) : mergeReport(dir, result))
      const { segments, already, deleted } = result
      if (segments.length === 0 || (already && deleted.length === 0)) exitWith(EXIT.nothing)
    })
}

interface Merged extends MergeSegmentsResult {
  readonly deleted: readonly string[]
  readonly unfolded: readonly string[]
}

function mergeReport(dir: string, { segments, pages, already, deleted, unfolded }: Merged): string {
  if (segments.length === 0) return 'there is no segment yet\n'
  return [
    `segment ${segments.join(', ')}: ${formatCount(pages, 'page')}${already ? ', merged before' : ''}`,
    ...(deleted.length > 0 ? [`${formatCount(deleted.length, 'old segment')} deleted`] : []),
    ...(unfolded.length > 0
      ? [`to be folded in before they may go: orbweaver updatedb ${dir} ${unfolded.join(' ')}`]
      : []),
    '',
  ].join('\n')
}
