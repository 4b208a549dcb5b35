import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { withCrawl } from './crawl-session.ts'
import { formatCount, formatJson } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { chosenSegments } from './segment-choice.ts'

interface InvertFlags extends CrawlFlags {
  readonly internal: boolean
  readonly ignoreExternal: boolean
}

const HELP = `
The links that a page had when it was last fetched replace its earlier ones.`

export function invertlinksCommand({ terminal }: CommandContext): Command {
  const command = new Command('invertlinks')
    .description('Turns the links of the fetched pages round: who links to a page, and with which words.')
    .argument('<dir>', 'the crawl directory')
    .argument('[segments...]', 'default: all')
    .option('--internal', 'take links within one host too', false)
    .option('--ignore-external', 'leave out links to other hosts', false)
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 3: 'failure; nothing was changed' }, HELP))
    .action(async (dir: string, named: string[], flags: InvertFlags) => {
      if (flags.ignoreExternal && !flags.internal)
        throw new ConfigurationError(
          'OPTION_INVALID',
          '--ignore-external without --internal leaves no link at all',
        )
      const result = await withCrawl(
        { dir, flags, config: crawlConfig(flags), command: 'invertlinks' },
        async ({ links, segments }) =>
          links.invert({
            segments: await chosenSegments(segments, named),
            ignoreInternal: !flags.internal,
            ignoreExternal: flags.ignoreExternal,
          }),
      )
      const text = `${formatCount(result.links, 'link')} of ${formatCount(result.pages, 'page')}\n`
      terminal.out(flags.json ? formatJson(result) : text)
    })
}
