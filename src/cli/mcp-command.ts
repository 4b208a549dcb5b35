import { Command } from 'commander'
import { wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { printableLine } from '../base/format-values.ts'
import type { CommandContext } from './command-context.ts'
import { addMemoryOption, sessionOptions } from './crawl-flags.ts'
import { failureText } from './failure-text.ts'
import { addOptionGroup, helpNotes } from './help-notes.ts'
import { collected, positiveNumber, positiveSeconds, seconds } from './option-values.ts'
import { addConfigOption, webConfig } from './web-flags.ts'

interface McpFlags {
  readonly config?: string
  readonly memory?: number
  readonly allowCrawl: boolean
  readonly allowHost?: readonly string[]
  readonly maxPages: number
  readonly maxTime: number
  readonly delay?: number
  readonly agent?: string
  readonly contact?: string
  readonly email?: string
}

const HELP = `
Speaks the Model Context Protocol on standard input and output: an MCP client starts it. The tools search, fetch_page, explain and status read the crawl,
also while another process runs it. With --allow-crawl there is also crawl_site, which crawls the hosts of --allow-host into the directory, one call at a time.

It needs the package @modelcontextprotocol/sdk. Logs and errors go to standard error.

Examples:
  orbweaver mcp crawl
  orbweaver mcp crawl --allow-crawl --allow-host example.org --max-pages 200 --email me@example.org`

export function mcpCommand({ terminal }: CommandContext): Command {
  const command = new Command('mcp')
    .description('Serve a crawl directory to language models over the Model Context Protocol')
    .argument('<dir>', 'Crawl directory')
  addOptionGroup(command, 'Crawling', (group) =>
    group
      .option('--allow-crawl', 'Offer the tool crawl_site; needs --allow-host', false)
      .option(
        '--allow-host <host>',
        'Host that crawl_site may crawl, even with a private address; repeatable',
        collected,
      )
      .option('--max-pages <n>', 'Maximum number of pages of one crawl_site call', positiveNumber, 100)
      .option(
        '--max-time <seconds>',
        'Maximum time of one crawl_site call (default: 300)',
        positiveSeconds,
        300_000,
      )
      .option('--delay <seconds>', 'Minimum delay between requests to the same host (default: 1)', seconds)
      .option('--agent <name>', 'Name of the crawler in User-Agent and for robots.txt')
      .option('--contact <url>', 'Page about your crawler, sent in User-Agent')
      .option('--email <address>', 'Address for site owners, sent with every request'),
  )
  return addMemoryOption(addConfigOption(command))
    .addHelpText(
      'after',
      helpNotes(
        {
          0: 'the client closed the connection, or Ctrl-C',
          2: 'usage error, no crawl in this directory, or the package is missing',
        },
        HELP,
      ),
    )
    .action(async (dir: string, flags: McpFlags) => {
      const hosts = allowedHosts(flags)
      const { explainText } = await import('./explain-report.ts')
      const { directoryStatus } = await import('./directory-status.ts')
      const { serveMcp } = await import('../wiring/mcp/serve-mcp.ts')
      const settings = {
        ...webConfig({ ...flags, ...(hosts.length > 0 && { allowHost: hosts }), http2: true }),
        ...(flags.memory !== undefined && { memoryMb: flags.memory }),
      }
      await serveMcp({
        session: sessionOptions(dir, flags, 'mcp', terminal),
        texts: {
          explain: (report) => explainText(report, wallClock.now()),
          status: () => directoryStatus(dir, flags.config),
        },
        ...(flags.allowCrawl && {
          crawl: {
            ...{ dir, hosts, maxPages: flags.maxPages, maxSeconds: Math.ceil(flags.maxTime / 1000) },
            settings: {
              ...settings,
              ...{ command: 'mcp', openLog: (log) => terminal.openLog(log) },
              ...(flags.config !== undefined && { config: flags.config }),
            },
          },
        }),
        ...{ input: process.stdin, output: process.stdout, signal: terminal.interrupted },
        onError: (error) => terminal.err(`error: ${failureText(error)}\n`),
      })
    })
}

/** @throws ConfigurationError if they do not fit --allow-crawl */
function allowedHosts({ allowCrawl, allowHost = [] }: McpFlags): string[] {
  if (allowCrawl && allowHost.length === 0)
    throw new ConfigurationError(
      'OPTION_INVALID',
      '--allow-crawl needs the hosts that may be crawled: add --allow-host example.org',
    )
  if (!allowCrawl && allowHost.length > 0)
    throw new ConfigurationError('OPTION_INVALID', '--allow-host has no effect without --allow-crawl')
  return allowHost.map((host) => {
    const url = URL.parse(`http://${host}/`)
    if (url === null || url.host !== url.hostname || url.href !== `http://${url.hostname}/`)
      throw new ConfigurationError(
        'OPTION_INVALID',
        `--allow-host ${printableLine(host)} is not a host: give a name or an address, without scheme and port`,
      )
    return url.hostname
  })
}
