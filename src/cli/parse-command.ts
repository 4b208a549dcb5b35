import { Command } from 'commander'
import { formatJson, formatNumber } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { addLogOptions, type LogFlags } from './log-flags.ts'
import { wholeNumber } from './option-values.ts'

interface ParseFlags extends CrawlFlags, LogFlags {
  readonly parseThreads: number
}

export function parseCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('parse')
    .description('Parse the pages of a segment that were fetched with --no-parse')
    .argument('<dir>', 'Crawl directory')
    .argument('[segment]', 'Name of a segment (default: the oldest with unparsed pages)')
    .option('--parse-threads <n>', 'Parser threads; 0 parses in the main thread', wholeNumber, 2)
  return addLogOptions(addCrawlOptions(command))
    .addHelpText(
      'after',
      helpNotes({
        1: 'every page is already parsed',
        3: 'failure or interruption; run the command again to resume',
      }),
    )
    .action(async (dir: string, segment: string | undefined, flags: ParseFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      await using crawl = await openCrawl(dir, openOptions(flags, 'parse', terminal))
      const { parseThreads } = flags
      const signal = terminal.interrupted
      const result = await crawl.parse({ parseThreads, signal, ...withoutUndefined({ segment }) })
      if (result === undefined) {
        terminal.out(flags.json ? '{"segment":null}\n' : 'every page is parsed\n')
        exitWith(EXIT.nothing)
        return
      }
      const { parsed, failed, skipped, complete } = result
      const counts = `${formatNumber(parsed)} parsed, ${formatNumber(failed)} failed, ${formatNumber(skipped)} skipped`
      terminal.out(flags.json ? formatJson(result) : `segment ${result.segment}: ${counts}\n`)
      if (!complete) exitWith(EXIT.failed)
    })
}
