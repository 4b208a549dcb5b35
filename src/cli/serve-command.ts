import { once } from 'node:events'
import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatJson, printableLine } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CrawlServer } from '../wiring/serve-crawls.ts'
import type { CommandContext } from './command-context.ts'
import { addMemoryOption } from './crawl-flags.ts'
import { failureText } from './failure-text.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { collected, wholeNumber } from './option-values.ts'
import { type RedisFlags, redisOption, sessionEvents } from './redis-flags.ts'
import { notLoadedNote } from './report-texts.ts'
import { controlText, DEFAULT_PORT, LOOPBACK, serveToken, tokenText } from './serve-flags.ts'
import { addConfigOption } from './web-flags.ts'

interface ServeFlags extends RedisFlags {
  readonly port: number
  readonly host: string
  readonly token?: string
  readonly tokenFile?: string
  readonly readOnly: boolean
  readonly control: boolean
  readonly allowHost?: readonly string[]
  readonly json: boolean
  readonly memory?: number
}

const HELP = `
The server can run during a crawl: the page shows what the crawl does now, and clients on this machine can pause, resume and stop it. With --redis
the arguments are names of crawls in Redis: the page shows their workers, queues and failures. Without names it shows all crawls that are in Redis when
it starts.

By default only this machine can connect. With --host, everyone who can reach the address can see the crawl, and those who open the printed URL with
the token can act. Behind a reverse proxy, the token is needed as well.

With --control, the argument is a folder of crawl directories (or one of them), and clients with the token can create, configure, start and stop crawls over
HTTP (docs/control-api.md). All requests for data need the token, also from this machine. Ctrl-C stops the running crawls;
the next start resumes them.

Examples:
  orbweaver serve crawl
  orbweaver serve news shop --read-only
  orbweaver serve --redis redis://queue.example.org/0
  orbweaver serve --redis redis://queue.example.org/0 shop
  orbweaver serve crawl --port 0 --json
  orbweaver serve crawls --control --token-file token.txt`

export function serveCommand({ terminal }: CommandContext): Command {
  const command = new Command('serve')
    .argument('[dirs...]', 'Crawl directories; with --redis, names of crawls (default: all of them)')
    .addOption(redisOption('Show crawls in Redis'))
    .option('--port <number>', 'Port to listen on; 0 for any free port', wholeNumber, DEFAULT_PORT)
    .option('--host <address>', 'Address or name to listen on', LOOPBACK)
    .option(
      '--token <token>',
      'Token for actions from other machines, at least 16 characters (default: ORBWEAVER_SERVE_TOKEN, or with --host a random one)',
    )
    .option('--token-file <file>', 'File that contains the token')
    .option('--read-only', 'Turn off all actions', false)
    .option('--control', 'Create, configure, start and stop crawls over HTTP; needs the token', false)
    .option(
      '--allow-host <host>',
      'With --control: host that may resolve to a private address, as a seed or link of any crawl; repeatable',
      collected,
    )
  return addMemoryOption(addJsonOption(addConfigOption(command), 'Print the URL as one JSON document'))
    .addHelpText(
      'after',
      helpNotes(
        { 0: 'stopped by Ctrl-C', 2: 'usage error, no crawl in this directory, or the port is in use' },
        HELP,
      ),
    )
    .action(async (names: string[], flags: ServeFlags) => {
      if (flags.port > 65_535)
        throw new ConfigurationError('OPTION_INVALID', `--port is ${flags.port}; the maximum is 65535`)
      const server = await startServer(names, flags)
      for (const source of server.sources) terminal.err(notLoadedNote(source))
      try {
        const { url } = server
        // With --control, a token that the user chose is not printed.
        const isChosen = flags.control && serveToken(flags.token, flags.tokenFile) !== undefined
        const token = isChosen ? undefined : server.token
        if (flags.json) terminal.out(formatJson({ url, ...withoutUndefined({ token }) }))
        else {
          const shown = flags.control ? names : server.names
          terminal.out(`Serving ${shown.map((name) => printableLine(name)).join(', ')} on ${url}\n`)
          for (const { name, url: page } of await server.running())
            terminal.out(`${printableLine(name)} is running; watch it on ${page}\n`)
          if (flags.control) terminal.err(controlText(url, token))
          else if (token !== undefined) terminal.err(tokenText(url, token))
          terminal.err('Press Ctrl-C to stop.\n')
        }
        terminal.release?.()
        if (!terminal.interrupted.aborted) await once(terminal.interrupted, 'abort')
      } finally {
        await server.close()
      }
    })

  async function startServer(names: readonly string[], flags: ServeFlags): Promise<CrawlServer> {
    const { redis, control, tokenFile, allowHost, ...rest } = flags
    checkControl(names, flags)
    if (redis === undefined && names.length === 0)
      throw new ConfigurationError(
        'OPTION_INVALID',
        'which crawl? Name its directory, such as orbweaver serve crawl, or show those in Redis with --redis',
      )
    const token = serveToken(flags.token, tokenFile)
    const options = {
      ...rest,
      ...withoutUndefined({ token }),
      onFailure: (error: Error) => terminal.err(`error: ${failureText(error)}\n`),
    }
    if (control) {
      const { serveControl } = await import('../wiring/control/serve-control.ts')
      return serveControl(names[0] ?? '', { ...options, allowHosts: allowHost ?? [] })
    }
    if (redis === undefined) {
      const { serveCrawls } = await import('../wiring/serve-crawls.ts')
      return serveCrawls(names, options)
    }
    const { serveFleets } = await import('../wiring/serve-fleets.ts')
    return serveFleets(names, { ...options, redis, log: sessionEvents(terminal).log })
  }
}

/** @throws ConfigurationError for flags that contradict each other */
function checkControl(names: readonly string[], flags: ServeFlags): void {
  const problem = controlProblem(names, flags)
  if (problem !== undefined) throw new ConfigurationError('OPTION_INVALID', problem)
}

function controlProblem(names: readonly string[], flags: ServeFlags): string | undefined {
  if (!flags.control)
    return flags.allowHost === undefined
      ? undefined
      : '--allow-host needs --control: other servers send no requests'
  if (flags.redis !== undefined) return '--control works on crawl directories: leave out --redis'
  if (flags.readOnly) return '--control and --read-only contradict each other: leave out one of them'
  if (names.length !== 1)
    return 'give --control one folder of crawl directories, or one crawl directory, such as orbweaver serve crawls --control'
  return undefined
}
