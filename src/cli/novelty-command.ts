import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatCount, formatJson } from '../base/format-values.ts'
import type { NoveltyChange } from '../domain/novelty/novelty-report.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { noveltyText } from './novelty-texts.ts'

interface NoveltyFlags extends CrawlFlags {
  readonly release?: string
  readonly hold?: string
  readonly keepParameter?: string
  readonly ignoreParameter?: string
}

const HELP = `
A pattern is a host, a path and parameters, in which # stands for numbers and * for values that vary. A host alone means all of its patterns.
Released patterns are fetched whatever they bring.

Examples:
  orbweaver novelty crawl
  orbweaver novelty crawl --release 'example.org/wiki/*?do=diff&rev=#'
  orbweaver novelty crawl --release example.org
  orbweaver novelty crawl --keep-parameter 'example.org/list?sort='`

export function noveltyCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('novelty')
    .description('List the URL patterns that the novelty budget has learned, or release them')
    .argument('<dir>', 'Crawl directory')
    .option('--release <pattern>', 'Fetch the URLs of this pattern or host, whatever they bring')
    .option('--hold <pattern>', 'Undo --release')
    .option('--keep-parameter <parameter>', 'Do not ignore this parameter')
    .option('--ignore-parameter <parameter>', 'Undo --keep-parameter')
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no patterns, or none that matches' }, HELP))
    .action(async (dir: string, flags: NoveltyFlags) => {
      const changes = changesOf(flags)
      if (changes.length > 1)
        throw new ConfigurationError('OPTION_INVALID', 'use only one of the options that change a pattern')
      const [change] = changes
      if (change !== undefined) {
        const { withCrawl } = await import('../wiring/crawl-session.ts')
        const changed = await withCrawl(sessionOptions(dir, flags, 'novelty', terminal), ({ db }) =>
          db.changeNovelty(change),
        )
        const text =
          changed === 0
            ? `nothing matches ${change.target}\n`
            : `${formatCount(changed, 'pattern')} changed\n`
        terminal.out(flags.json ? formatJson({ ...change, changed }) : text)
        if (changed === 0) exitWith(EXIT.nothing)
        return
      }
      const { withCrawlToRead } = await import('../wiring/crawl-session.ts')
      const report = await withCrawlToRead(sessionOptions(dir, flags, 'novelty', terminal), ({ db }) =>
        db.novelty(),
      )
      terminal.out(flags.json ? formatJson(report) : noveltyText(report))
      if (report.patterns.length === 0) exitWith(EXIT.nothing)
    })
}

function changesOf({ release, hold, keepParameter, ignoreParameter }: NoveltyFlags): NoveltyChange[] {
  const given = [
    { action: 'release', target: release },
    { action: 'hold', target: hold },
    { action: 'keep-parameter', target: keepParameter },
    { action: 'ignore-parameter', target: ignoreParameter },
  ] as const
  return given.flatMap(({ action, target }) => (target === undefined ? [] : [{ action, target }]))
}
