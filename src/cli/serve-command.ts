import { once } from 'node:events'
import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { serveCrawl } from '../wiring/serve-crawl.ts'
import type { CommandContext } from './command-context.ts'
import { addMemoryOption } from './crawl-flags.ts'
import { failureText } from './failure-text.ts'
import { formatJson } from './format-values.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { wholeNumber } from './option-values.ts'
import { notLoadedNote } from './report-texts.ts'
import { addConfigOption } from './web-flags.ts'

interface ServeFlags {
  readonly port: number
  readonly host: string
  readonly json: boolean
  readonly config?: string
  readonly memory?: number
}

const HELP = `
The server can run during a crawl: it shows the current pages and index, and the CrawlDb as of the last time that no other process used it.
There is no login. By default only this machine can connect; with --host, everyone who can reach the address can see the crawl.

Examples:
  orbweaver serve crawl
  orbweaver serve crawl --port 0 --json`

export function serveCommand({ terminal }: CommandContext): Command {
  const command = new Command('serve')
    .argument('<dir>', 'Crawl directory')
    .option('--port <number>', 'Port to listen on; 0 for any free port', wholeNumber, 8090)
    .option('--host <address>', 'Address or name to listen on', '127.0.0.1')
  return addMemoryOption(addJsonOption(addConfigOption(command), 'Print the URL as one JSON document'))
    .addHelpText(
      'after',
      helpNotes(
        { 0: 'stopped by Ctrl-C', 2: 'usage error, no crawl in this directory, or the port is in use' },
        HELP,
      ),
    )
    .action(async (dir: string, flags: ServeFlags) => {
      if (flags.port > 65_535)
        throw new ConfigurationError('OPTION_INVALID', `--port is ${flags.port}; the maximum is 65535`)
      const server = await serveCrawl(dir, {
        ...flags,
        onFailure: (error) => terminal.err(`error: ${failureText(error)}\n`),
      })
      terminal.err(notLoadedNote(server.source))
      try {
        terminal.out(flags.json ? formatJson({ url: server.url }) : `Serving ${dir} on ${server.url}\n`)
        if (!flags.json) terminal.err('Press Ctrl-C to stop.\n')
        if (!terminal.interrupted.aborted) await once(terminal.interrupted, 'abort')
      } finally {
        await server.close()
      }
    })
}
