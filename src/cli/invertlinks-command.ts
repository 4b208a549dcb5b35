import { Command } from 'commander'
import { formatCount, formatJson } from '../base/format-values.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'

interface InvertFlags extends CrawlFlags {
  readonly internal: boolean
  readonly ignoreExternal: boolean
}

const HELP = `
The links of the newest version of a page replace the links of earlier versions.`

export function invertlinksCommand({ terminal }: CommandContext): Command {
  const command = new Command('invertlinks')
    .description('Build the inverted link index: the inlinks of each page with their anchor text')
    .argument('<dir>', 'Crawl directory')
    .argument('[segments...]', 'Names of segments (default: all)')
    .option('--internal', 'Include links within one host', false)
    .option('--ignore-external', 'Leave out links to other hosts', false)
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 3: 'failure or interruption; nothing was changed' }, HELP))
    .action(async (dir: string, segments: string[], flags: InvertFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      await using crawl = await openCrawl(dir, openOptions(flags, 'invertlinks', terminal))
      const { internal, ignoreExternal } = flags
      const result = await crawl.invertLinks({
        ...{ segments, internal, ignoreExternal, signal: terminal.interrupted },
      })
      const text = `${formatCount(result.links, 'link')} of ${formatCount(result.pages, 'page')}\n`
      terminal.out(flags.json ? formatJson(result) : text)
    })
}
