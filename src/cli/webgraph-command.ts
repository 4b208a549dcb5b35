import { Command, Option } from 'commander'
import { formatCount, formatJson } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { positiveNumber } from './option-values.ts'

interface GraphFlags extends CrawlFlags {
  readonly ignoreInternal: 'none' | 'host' | 'domain'
  readonly duplicates: boolean
  readonly maxPerPage?: number
  readonly maxPerDomain?: number
}

const HELP = `
Parts of segments that the graph has are not read again. The links of the newest version of a page replace the links of earlier versions. With other options than the last time, the graph is built again from the given segments.

Examples:
  orbweaver webgraph crawl
  orbweaver webgraph crawl --ignore-internal domain --max-per-domain 1
  orbweaver linkrank crawl --update-scores`

/** Nutch's webgraph. */
export function webgraphCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('webgraph')
    .description('Build the graph of links between pages, the input of linkrank')
    .argument('<dir>', 'Crawl directory')
    .argument('[segments...]', 'Names of segments (default: all)')
    .addOption(
      new Option('--ignore-internal <scope>', 'Leave out links within one host or registered domain')
        .choices(['none', 'host', 'domain'])
        .default('none'),
    )
    .option('--duplicates', 'Count each repetition of a link on a page', false)
    .option('--max-per-page <n>', 'Maximum number of links of one page (default: none)', positiveNumber)
    .option(
      '--max-per-domain <n>',
      'Maximum number of links of one page to the same domain (default: none)',
      positiveNumber,
    )
  return addCrawlOptions(command)
    .addHelpText(
      'after',
      helpNotes({ 1: 'the graph is empty', 3: 'failure or interruption; nothing was changed' }, HELP),
    )
    .action(async (dir: string, segments: string[], flags: GraphFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      await using crawl = await openCrawl(dir, openOptions(flags, 'webgraph', terminal))
      const { ignoreInternal, duplicates, maxPerPage, maxPerDomain } = flags
      const result = await crawl.buildGraph({
        ...{ segments, ignoreInternal, duplicates, signal: terminal.interrupted },
        ...withoutUndefined({ maxPerPage, maxPerDomain }),
      })
      const { pages, nodes, links, rebuilt } = result
      const text = `${formatCount(nodes, 'node')} and ${formatCount(links, 'link')} in the web graph, links of ${formatCount(pages, 'page')} ${rebuilt ? 'read again, because the options have changed' : 'added or replaced'}\n`
      terminal.out(flags.json ? formatJson(result) : text)
      if (nodes === 0) exitWith(EXIT.nothing)
    })
}
