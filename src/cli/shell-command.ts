import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { CommandContext } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import type { ShellFlags } from './run-shell.ts'
import { addWebOptions } from './web-flags.ts'

const HELP = `
Fetches the page as a spider would (robots.txt, --delay, redirects) and opens a JavaScript prompt. Standard input is read as if it
were typed. --eval prints the value of one expression and exits: strings as they are, elements as HTML.

Available at the prompt:
  page               the page, as in a handler
  css(selector)      elements selected with CSS
  xpath(expression)  elements selected with XPath
  view()             the text of the page
  await fetch(url)   fetch another page, the new value of page

Examples:
  orbweaver shell https://example.org/
  orbweaver shell https://example.org/ --eval "css('h1').text()"
  orbweaver shell https://example.org/ --json --eval "page.links()" | jq '.[].url'
  orbweaver shell https://example.org/ --eval "(await fetch('/next')).css('a::attr(href)')"`

export function shellCommand({ terminal }: CommandContext): Command {
  const command = new Command('shell')
    .argument('<url>', 'HTTP or HTTPS URL')
    .option('--eval <code>', 'Print the value of this expression and exit')
    .option('--history <file>', 'File for the history of the prompt (default: none)')
  return addJsonOption(addWebOptions(command), 'With --eval: print the value as one JSON document')
    .addHelpText('after', helpNotes({ 3: 'the page could not be fetched, or --eval failed' }, HELP))
    .action(async (input: string, flags: ShellFlags) => {
      if (flags.json && flags.eval === undefined)
        throw new ConfigurationError(
          'OPTION_INVALID',
          '--json needs --eval: it prints the value of the expression',
        )
      const { runShell } = await import('./run-shell.ts')
      await runShell(input, flags, terminal)
    })
}
