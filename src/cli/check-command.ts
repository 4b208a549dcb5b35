import { Command } from 'commander'
import { formatJson } from '../base/format-values.ts'
import { checkReport } from './check-report.ts'
import type { CommandContext } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { wholeNumber } from './option-values.ts'
import type { CheckFlags } from './run-check.ts'
import { addWebOptions } from './web-flags.ts'

const HELP = `
Fetches robots.txt and the page with the politeness of a crawl (--delay) and shows the result of each step: the normalized URL, the URL filters,
robots.txt, the response, the parsed page and its links. The host of the URL may have a private address; hosts that it redirects to need
--allow-host for that.

Examples:
  orbweaver check https://example.org/
  orbweaver check --json --agent mybot https://example.org/ | jq .robots
  orbweaver check --index https://example.org/
  orbweaver check --rules rules.txt 'https://example.org/?page=2'`

export function checkCommand({ terminal }: CommandContext): Command {
  const command = new Command('check')
    .argument('<url>', 'URL: http:, https:, or of a protocol that is allowed')
    .option('--index', 'Show the document that would be sent to a search index instead', false)
    .option('--follow', 'Follow up to 5 redirects', false)
    .option('--links <n>', 'Maximum number of links to list', wholeNumber, 10)
  return addJsonOption(addWebOptions(command))
    .addHelpText(
      'after',
      helpNotes({ 0: 'the check was made, whatever its result', 2: 'invalid URL or option' }, HELP),
    )
    .action(async (url: string, flags: CheckFlags) => {
      if (flags.index) {
        const { indexedDocument, indexCheckReport } = await import('./indexed-document.ts')
        const check = await indexedDocument(url, flags, terminal)
        terminal.out(flags.json ? formatJson(check) : indexCheckReport(check))
        return
      }
      const { runCheck } = await import('./run-check.ts')
      const document = await runCheck(url, flags, terminal)
      terminal.out(flags.json ? formatJson(document) : checkReport(document))
    })
}
