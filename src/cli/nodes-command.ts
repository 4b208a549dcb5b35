import { Command, Option } from 'commander'
import type { NodesRequest } from '../flows/cycle/top-nodes.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { positiveNumber } from './option-values.ts'
import { addCsvOption, formatRows, type RowFlags } from './row-output.ts'

interface NodesFlags extends CrawlFlags, RowFlags, Pick<NodesRequest, 'sort' | 'by' | 'type'> {
  readonly top: number
}

const HELP = `
Run orbweaver webgraph first, and orbweaver linkrank for the scores.

Examples:
  orbweaver nodes crawl --top 20
  orbweaver nodes crawl --top 20 --sort inlinks
  orbweaver nodes crawl --by domain --type max --csv`

/** Nutch's nodedumper. */
export function nodesCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('nodes')
    .description('List the nodes of the web graph with the highest scores or the most links')
    .argument('<dir>', 'Crawl directory')
    .option('--top <n>', 'Number of nodes', positiveNumber, 10)
    .addOption(
      new Option('--sort <value>', 'What to sort by')
        .choices(['score', 'inlinks', 'outlinks'])
        .default('score'),
    )
    .addOption(new Option('--by <unit>', 'What to list').choices(['url', 'host', 'domain']).default('url'))
    .addOption(
      new Option('--type <type>', 'Value of a host or domain: sum or maximum of its pages')
        .choices(['sum', 'max'])
        .default('sum'),
    )
  return addCsvOption(addCrawlOptions(command))
    .addHelpText('after', helpNotes({ 1: 'the graph is empty' }, HELP))
    .action(async (dir: string, flags: NodesFlags) => {
      const { withCrawlToRead } = await import('../wiring/crawl-session.ts')
      const { topNodes } = await import('../flows/cycle/top-nodes.ts')
      const { top: limit, sort, by, type } = flags
      const rows = await withCrawlToRead(sessionOptions(dir, flags, 'nodes'), ({ reader }) =>
        topNodes(reader, { sort, by, type, limit }),
      )
      if (rows.length === 0) exitWith(EXIT.nothing)
      if (rows.length === 0 && !flags.json && !flags.csv)
        terminal.out(`the web graph is empty: run orbweaver webgraph ${dir} first\n`)
      else
        terminal.out(
          formatRows(rows, { score: 'score', inlinks: 'inlinks', outlinks: 'outlinks', name: by }, flags),
        )
    })
}
