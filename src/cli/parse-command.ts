import { Command } from 'commander'
import { steadyClock } from '../base/clock.ts'
import { parseSegment } from '../flows/cycle/parse-segment.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { withCrawl } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { pageParser } from './fetch-session.ts'
import { formatJson, formatNumber } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { wholeNumber } from './option-values.ts'
import { chosenSegment, isUnparsed } from './segment-choice.ts'

interface ParseFlags extends CrawlFlags {
  readonly parseThreads: number
}

export function parseCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('parse')
    .description('Parses the pages of a segment that were fetched with --no-parse.')
    .argument('<dir>', 'the crawl directory')
    .argument('[segment]', 'default: the oldest with pages that are not parsed')
  return addCrawlOptions(command)
    .option('--parse-threads <n>', 'threads that parse pages; 0: the main one does', wholeNumber, 2)
    .addHelpText(
      'after',
      helpNotes({
        1: 'every page is already parsed',
        3: 'failure or interruption; run the command again to resume',
      }),
    )
    .action(async (dir: string, named: string | undefined, flags: ParseFlags) => {
      const result = await withCrawl(
        { dir, flags, config: crawlConfig(flags), command: 'parse' },
        async (session) => {
          const name = await chosenSegment(session.segments, named, (one) =>
            isUnparsed(session.segments, one),
          )
          if (name === undefined) return undefined
          const parser = await pageParser(session, flags.parseThreads, steadyClock)
          try {
            const { markFailed } = session.rules
            const signal = terminal.interrupted
            return await parseSegment(session.segments, name, parser, { markFailed, signal })
          } finally {
            await parser.close()
          }
        },
      )
      if (result === undefined) {
        terminal.out(flags.json ? '{"segment":null}\n' : 'every page is parsed\n')
        exitWith(EXIT.nothing)
        return
      }
      const { segment, parsed, failed, skipped, complete } = result
      const text = `segment ${segment}: ${formatNumber(parsed)} parsed, ${formatNumber(failed)} failed, ${formatNumber(skipped)} skipped\n`
      terminal.out(flags.json ? formatJson(result) : text)
      if (!complete) exitWith(EXIT.failed)
    })
}
