import { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { addCsvOption, formatRows, type RowFlags } from './row-output.ts'

const HELP = `
URLs are counted by the outcome of their last fetch and by scheme, requests with a response by protocol version.`

/** Nutch's protocolstats. */
export function protocolstatsCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('protocolstats')
    .description('Count URLs by protocol status, HTTP status, scheme and protocol version')
    .argument('<dir>', 'Crawl directory')
  return addCsvOption(addCrawlOptions(command))
    .addHelpText('after', helpNotes({ 1: 'nothing was fetched yet' }, HELP))
    .action(async (dir: string, flags: CrawlFlags & RowFlags) => {
      const { withCrawlToRead } = await import('../wiring/crawl-session.ts')
      const { protocolStatistics } = await import('../flows/cycle/protocol-statistics.ts')
      const counts = await withCrawlToRead(sessionOptions(dir, flags, 'protocolstats'), ({ reader }) =>
        protocolStatistics(reader),
      )
      terminal.out(formatRows(counts, { kind: 'kind', value: 'value', count: 'count' }, flags))
      if (counts.length === 0) exitWith(EXIT.nothing)
    })
}
