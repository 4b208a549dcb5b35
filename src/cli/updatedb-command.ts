import { Command } from 'commander'
import { wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { UpdateResult } from '../domain/crawldb/crawl-db-requests.ts'
import { createJudge } from '../flows/cycle/create-judge.ts'
import { freeLostSegments } from '../flows/cycle/free-lost-segments.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { updateRules, withCrawl } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { formatCount, formatJson, formatNumber } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { chosenSegments } from './segment-choice.ts'

interface UpdateFlags extends CrawlFlags {
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
    .description(
      'Folds what was fetched and found back into the CrawlDb: statuses, due times, scores, new URLs.',
    )
    .argument('<dir>', 'the crawl directory')
    .argument('[segments...]', 'default: all that have something new')
    .option(
      '--filter',
      'ask the URL rules about every URL, known ones too: what they reject is removed',
      false,
    )
    .option('--normalize', 'normalise every URL, known ones too', false)
    .option('--no-additions', 'do not add URLs that are not known')
    .option('--purge-gone', 'forget pages that are gone', false)
    .option(
      '--purge-orphans',
      'remove pages that earlier updates marked db_orphan; see orphans in the configuration',
      false,
    )
    .option('--abandon', 'fold in what these segments have, and free the rest of their lists', false)
    .option('--again', 'fold segments once more that were folded before; their links count twice', false)
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no new results', 3: 'failure; nothing was changed' }))
    .action(async (dir: string, named: string[], flags: UpdateFlags) => {
      if (flags.abandon && named.length === 0)
        throw new ConfigurationError('OPTION_INVALID', '--abandon needs the names of the segments')
      const result = await withCrawl(
        { dir, flags, config: crawlConfig(flags), command: 'updatedb' },
        async (session) => {
          const { db, segments, rules } = session
          const { normalize, filter } = rules
          if (flags.purgeOrphans && rules.orphans === undefined)
            throw new ConfigurationError(
              'OPTION_INVALID',
              '--purge-orphans needs the rule that marks orphans: set orphans.enabled to true in the configuration',
            )
          const names = await chosenSegments(segments, named)
          const updated = await db.update({
            segments: names,
            rules: { ...updateRules(session), additionsAllowed: flags.additions },
            now: wallClock.now(),
            purgeGone: flags.purgeGone,
            purgeOrphans: flags.purgeOrphans,
            force: flags.again,
            ...((flags.filter || flags.normalize) && {
              judge: createJudge({ ...(flags.normalize && { normalize }), ...(flags.filter && { filter }) }),
            }),
          })
          let freed = await freeLostSegments(db, segments)
          if (!flags.abandon) return { ...updated, freed }
          for (const name of names) freed += await db.abandon(name)
          return { ...updated, pending: {}, freed }
        },
      )
      terminal.out(flags.json ? formatJson(result) : updateReport(result))
      if (isNothing(result)) exitWith(EXIT.nothing)
    })
}

interface Update extends UpdateResult {
  /** URLs of abandoned and deleted segments that may be generated again. */
  readonly freed: number
}

function isNothing({ parts, changed, purged, freed }: Update): boolean {
  return parts + changed + purged + freed === 0
}

function updateReport(result: Update): string {
  if (isNothing(result)) return 'nothing new to fold in\n'
  const { fetched, links, added, changed, purged, pending, freed } = result
  const waiting = Object.entries(pending).filter(([, n]) => n > 0)
  return [
    `${formatCount(fetched, 'visit')} and ${formatCount(links, 'link')} folded in: ${formatCount(added, 'new URL')}, ${formatNumber(changed)} changed`,
    ...(purged > 0 ? [`${formatCount(purged, 'URL')} removed`] : []),
    ...(freed > 0 ? [`${formatCount(freed, 'URL')} free again`] : []),
    ...waiting.map(([segment, n]) => `segment ${segment}: ${formatCount(n, 'URL')} not fetched yet`),
    '',
  ].join('\n')
}
