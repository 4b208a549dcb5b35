import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { RunWatcher } from '../wiring/run-watcher.ts'
import { OptionalValueOption } from './arrange-arguments.ts'
import { failureText } from './failure-text.ts'
import { addOptionGroup } from './help-notes.ts'
import type { Terminal } from './terminal.ts'

/** The flag of commands that crawl. */
export interface ServeRunFlags {
  /** `[host:]port`; `true`: the default. */
  readonly serve?: string | true
}

export function addServeOption(command: Command): Command {
  return addOptionGroup(command, 'Monitoring', (group) =>
    group.addOption(
      new OptionalValueOption(
        '--serve [[host:]port]',
        'Show the crawl on a web page while it runs; port 0 for any free port (default: 127.0.0.1:8090)',
        isAddress,
        // Any number of seeds may follow.
        true,
      ),
    ),
  )
}

const ADDRESS = /^(?:([^:]+|\[[\da-f:.]+\]):)?(\d+)$/i

/** `8090`, `0.0.0.0:8090`, `[::1]:8090`: neither a seed nor a file. */
function isAddress(word: string): boolean {
  return ADDRESS.test(word)
}

/** Where to listen. @throws ConfigurationError */
export function serveAddress(value: string | true): { readonly host: string; readonly port: number } {
  if (value === true) return { host: LOOPBACK, port: DEFAULT_PORT }
  const [, host = LOOPBACK, digits] = ADDRESS.exec(value) ?? []
  const port = Number(digits)
  if (digits === undefined || port > MAX_PORT)
    throw new ConfigurationError(
      'OPTION_INVALID',
      `--serve is ${JSON.stringify(value)}; give a port from 0 to ${MAX_PORT}, or an address and a port, such as 127.0.0.1:8090`,
    )
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port }
}

export const LOOPBACK = '127.0.0.1'
export const DEFAULT_PORT = 8090
const MAX_PORT = 65_535

/** The URL to open on another machine. Browsers do not send the part after #, so that no server logs the token. */
export function tokenText(url: string, token: string): string {
  return `To act from another machine, open ${reachable(url)}live#token=${encodeURIComponent(token)}\n`
}

/** A server that listens on all addresses is requested by the name of its machine. */
function reachable(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, `//${hostname()}:`)
}

/** How to use a server with the control API. @param token a generated one: it is stored nowhere else */
export function controlText(url: string, token?: string): string {
  const address = reachable(url)
  if (token === undefined)
    return `Open ${address}crawls and enter the token, or send it as Authorization: Bearer to ${address}api/v1/\n`
  return `Token: ${token}\nOpen ${address}crawls#token=${encodeURIComponent(token)}, or send it as Authorization: Bearer to ${address}api/v1/\n`
}

/** The page of a crawl in this process. */
export interface Dashboard extends AsyncDisposable {
  /** To be given to the run. */
  readonly watchers: readonly RunWatcher[]
}

/**
 * With `--serve`, starts the server and prints its URL. Closed when the crawl has ended.
 * @throws ConfigurationError if the port is in use
 */
export async function openDashboard(
  flags: ServeRunFlags & { readonly config?: string },
  terminal: Pick<Terminal, 'err'>,
  crawl: { readonly name: string; readonly dir?: string },
): Promise<Dashboard> {
  if (flags.serve === undefined) return { watchers: [], [Symbol.asyncDispose]: async () => {} }
  // Loaded late: most crawls have no page.
  const { serveRun } = await import('../wiring/serve-run.ts')
  const token = serveToken()
  const { url, watcher, close, ...server } = await serveRun({
    ...serveAddress(flags.serve),
    ...crawl,
    ...withoutUndefined({ config: flags.config, token }),
    flags: { host: '--serve', port: '--serve' },
    onFailure: (error) => terminal.err(`error: ${failureText(error)}\n`),
  })
  terminal.err(`Dashboard: ${url}live\n`)
  if (server.token !== undefined) terminal.err(tokenText(url, server.token))
  return {
    watchers: [watcher],
    async [Symbol.asyncDispose]() {
      await close()
      terminal.err(`The crawl has ended; its dashboard was at ${url}live\n`)
    },
  }
}

/**
 * The token of a flag, of a file or of the environment. Not a flag alone, because all users of a machine can see the flags of a process.
 * @throws ConfigurationError if the file cannot be read
 */
export function serveToken(flag?: string, file?: string): string | undefined {
  if (file === undefined) return flag ?? process.env['ORBWEAVER_SERVE_TOKEN']
  if (flag !== undefined)
    throw new ConfigurationError('OPTION_INVALID', 'give --token or --token-file, not both')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new ConfigurationError(
      'OPTION_INVALID',
      `--token-file ${file} cannot be read: ${(cause as Error).message}`,
      {
        cause,
      },
    )
  }
}
