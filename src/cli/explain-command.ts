import { Command } from 'commander'
import { wallClock } from '../base/clock.ts'
import { formatJson } from '../base/format-values.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { notLoadedNote } from './report-texts.ts'

const HELP = `
Shows where the URL was found, the results of the URL filters and robots.txt, each fetch with its status, the next fetch time, and whether the page is in
the search index. For a URL that the crawl does not have, it shows which rule or limit dropped it, and on which pages.

Examples:
  orbweaver explain crawl https://example.org/page
  orbweaver explain crawl https://example.org/page --json`

export function explainCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('explain')
    .argument('<dir>', 'Crawl directory')
    .argument('<url>', 'HTTP or HTTPS URL')
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'the URL is not in the crawl' }, HELP))
    .action(async (dir: string, url: string, flags: CrawlFlags) => {
      const { explainText } = await import('./explain-report.ts')
      const { withCrawlToRead } = await import('../wiring/crawl-session.ts')
      const { explainStep } = await import('../wiring/explain-step.ts')
      const report = await withCrawlToRead(
        sessionOptions(dir, flags, 'explain', terminal),
        async (session) => {
          terminal.err(notLoadedNote(session.source))
          return explainStep(session, url)
        },
      )
      terminal.out(flags.json ? formatJson(report) : explainText(report, wallClock.now()))
      if (report.record === undefined) exitWith(EXIT.nothing)
    })
}
