import { Command } from 'commander'
import { formatJson, printableLine } from '../base/format-values.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { storedUrl } from './option-values.ts'

interface ReadLinksFlags extends CrawlFlags {
  readonly url: string
}

const HELP = `
The inlinks of a page are the links to it, each with its anchor text. Run orbweaver invertlinks first, or crawl with --index.

Examples:
  orbweaver readlinkdb crawl --url https://example.org/`

export function readlinkdbCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('readlinkdb')
    .argument('<dir>', 'Crawl directory')
    .requiredOption('--url <url>', 'URL of the linked page')
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no inlinks' }, HELP))
    .action(async (dir: string, flags: ReadLinksFlags) => {
      const { withCrawlToRead } = await import('../wiring/crawl-session.ts')
      const url = storedUrl(flags.url)
      const inlinks = await withCrawlToRead(sessionOptions(dir, flags, 'readlinkdb'), ({ links }) =>
        links.inlinks(url),
      )
      const lines = inlinks.map(
        ({ from, anchor }) =>
          `${printableLine(from, 2_000)}${anchor === '' ? '' : `  “${printableLine(anchor)}”`}\n`,
      )
      const text =
        lines.length === 0
          ? `no inlinks; run orbweaver invertlinks ${dir} first, with --internal for links within a host\n`
          : lines.join('')
      terminal.out(flags.json ? formatJson({ url, inlinks }) : text)
      if (inlinks.length === 0) exitWith(EXIT.nothing)
    })
}
