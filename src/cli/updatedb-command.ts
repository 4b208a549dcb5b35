import { Command } from 'commander'
import { wallClock } from '../base/clock.ts'
import type { UpdateResult } from '../crawldb/update-request.ts'
import { createJudge } from '../cycle/create-judge.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { updateRules, withCrawl } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { segmentName } from './segment-choice.ts'
import { count, counted } from './shown.ts'

interface UpdateFlags extends CrawlFlags {
  readonly filter: boolean
  readonly normalize: boolean
  readonly additions: boolean
  readonly again: boolean
  readonly purgeGone: boolean
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
    .option('--again', 'fold segments once more that were folded before; their links count twice', false)
  return addCrawlOptions(command)
    .addHelpText(
      'after',
      '\nExit codes: 0 done; 1 there was nothing new; 2 wrong usage; 3 it failed, and nothing was changed.',
    )
    .action(async (dir: string, named: string[], flags: UpdateFlags) => {
      const result = await withCrawl(
        { dir, flags, config: crawlConfig(flags), command: 'updatedb' },
        async (session) => {
          const { db, segments, rules } = session
          const { normalize, filter } = rules
          return db.update({
            segments: named.length > 0 ? named.map(segmentName) : await segments.list(),
            rules: { ...updateRules(session), additionsAllowed: flags.additions },
            now: wallClock.now(),
            purgeGone: flags.purgeGone,
            force: flags.again,
            ...((flags.filter || flags.normalize) && {
              judge: createJudge({ ...(flags.normalize && { normalize }), ...(flags.filter && { filter }) }),
            }),
          })
        },
      )
      terminal.out(flags.json ? `${JSON.stringify(result, undefined, 2)}\n` : updateReport(result))
      if (result.parts === 0 && result.purged === 0) exitWith(EXIT.nothing)
    })
}

function updateReport({ fetched, links, added, changed, purged, parts, pending }: UpdateResult): string {
  if (parts === 0 && purged === 0) return 'nothing new to fold in\n'
  const waiting = Object.entries(pending).filter(([, n]) => n > 0)
  return [
    `${counted(fetched, 'visit')} and ${counted(links, 'link')} folded in: ${counted(added, 'new URL')}, ${count(changed)} changed`,
    ...(purged > 0 ? [`${counted(purged, 'URL')} removed`] : []),
    ...waiting.map(([segment, n]) => `segment ${segment}: ${counted(n, 'URL')} not fetched yet`),
    '',
  ].join('\n')
}
