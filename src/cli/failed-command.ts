import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import {
  columnWidth,
  formatCount,
  formatCounts,
  formatJson,
  formatNumber,
  formatTime,
  printableLine,
  printableLines,
} from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { DeadLetters, FailedRequest, FailureChoice } from '../domain/frontier/dead-letters.ts'
import { redisArgument } from '../wiring/redis-access.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { positiveNumber } from './option-values.ts'
import { noteMissingCrawl, redisOption, suggestingRedis, withRedisCrawl } from './redis-flags.ts'

interface FailedFlags extends CrawlFlags {
  readonly code?: string
  readonly host?: string
  readonly limit?: number
  readonly retry: boolean
  readonly stack: boolean
  readonly redis?: string | true
}

/** What is listed for people who did not say how many they want. */
const LISTED = 20

const HELP = `
A request has failed when its last retry failed or its handler threw an error. It is kept until it is retried. --code, --host and --limit
(oldest first) select the requests to list or to retry. While a crawl runs, --retry requeues all of them at once.

Examples:
  orbweaver failed crawl
  orbweaver failed crawl --code handler-threw --stack
  orbweaver failed crawl --host shop.example.org --retry
  orbweaver failed shop --redis redis://host/0`

export function failedCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('failed')
    .argument('<dir>', 'Crawl directory; with --redis, the name of the crawl')
    .option('--code <code>', 'Only failures with this code, such as http-404')
    .option('--host <host>', 'Only requests to this host')
    .option(
      '--limit <n>',
      `Maximum number of requests (default: ${LISTED} to list, all to retry)`,
      positiveNumber,
    )
    .option('--stack', 'Show the stack traces of handlers', false)
    .option('--retry', 'Requeue the requests, with all their retries', false)
    .addOption(redisOption('Read the failed requests of a crawl in Redis'))
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no request has failed' }, HELP))
    .action((dir: string, flags: FailedFlags) => (flags.retry ? retry(dir, flags) : list(dir, flags)))

  async function list(dir: string, flags: FailedFlags): Promise<void> {
    const { withCrawlToRead } = await import('../wiring/crawl-session.ts')
    const { limit, ...all } = choiceOf(flags)
    const read = ({ deadLetters }: { readonly deadLetters: DeadLetters }) => deadLetters.failed(all)
    const failed = await (flags.redis === undefined
      ? suggestingRedis(flags, () => withCrawlToRead(sessionOptions(dir, flags, 'failed'), read))
      : withRedisCrawl(flags, dir, terminal, read))
    const codes = countCodes(failed)
    if (flags.json) {
      const document = { total: failed.length, codes, failed: failed.slice(0, limit) }
      terminal.out(formatJson(document))
    } else if (failed.length === 0) terminal.out(nothingText(flags))
    else {
      terminal.out(`${formatNumber(failed.length)} failed: ${printableLine(formatCounts(codes))}\n\n`)
      terminal.out(tableText(failed.slice(0, limit ?? LISTED), flags.stack))
      terminal.out(restText(failed.length - (limit ?? LISTED)))
      terminal.out(`\nto requeue them: orbweaver failed ${dir}${chosenText(flags)} --retry\n`)
    }
    if (failed.length === 0) await nothing(dir, flags)
  }

  async function retry(dir: string, flags: FailedFlags): Promise<void> {
    if (flags.redis === undefined && (await retryInRunning(dir, flags))) return
    const { withCrawl } = await import('../wiring/crawl-session.ts')
    const requeue = ({ deadLetters }: { readonly deadLetters: DeadLetters }) =>
      deadLetters.retryFailed(choiceOf(flags))
    const retried = await (flags.redis === undefined
      ? suggestingRedis(flags, () => withCrawl(sessionOptions(dir, flags, 'failed'), requeue))
      : withRedisCrawl(flags, dir, terminal, requeue))
    if (flags.json) terminal.out(formatJson({ retried }))
    else if (retried === 0) terminal.out(nothingText(flags))
    else
      terminal.out(
        `${formatCount(retried, 'request')} requeued; to continue: orbweaver run <file>${flags.redis === undefined ? ` --dir ${dir}` : redisArgument(flags.redis, true)}\n`,
      )
    if (retried === 0) await nothing(dir, flags)
  }

  /** The process that runs the crawl requeues them itself. Returns whether one does. */
  async function retryInRunning(dir: string, flags: FailedFlags): Promise<boolean> {
    const { findLiveCrawl } = await import('../adapters/crawl-directory/control/remote-live-crawl.ts')
    const live = await findLiveCrawl(dir)
    if (live === undefined) return false
    if (Object.keys(choiceOf(flags)).length > 0)
      throw new ConfigurationError(
        'OPTION_INVALID',
        `${dir} is being crawled: only all failed requests can be retried meanwhile; leave out --code, --host and --limit, or wait for the crawl to end`,
      )
    const { ok, message, data = {} } = await live.act({ action: 'retry-failed' })
    terminal.out(flags.json ? formatJson(data) : `${message}\n`)
    if (!ok) exitWith(EXIT.nothing)
    return true
  }

  async function nothing(dir: string, flags: FailedFlags): Promise<void> {
    exitWith(EXIT.nothing)
    if (flags.redis !== undefined) await noteMissingCrawl(flags, dir, terminal)
  }
}

function choiceOf({ code, host, limit }: FailedFlags): FailureChoice {
  return {
    ...withoutUndefined({ code }),
    ...(host !== undefined && { host: host.toLowerCase() }),
    ...withoutUndefined({ limit }),
  }
}

function countCodes(failed: readonly FailedRequest[]): Record<string, number> {
  const codes: Record<string, number> = {}
  for (const { code } of failed) codes[code] = (codes[code] ?? 0) + 1
  return codes
}

/** The flags of the selection, for the next command. */
function chosenText({ code, host, redis }: FailedFlags): string {
  return [
    ...(redis === undefined ? [] : [redisArgument(redis, true)]),
    ...(code === undefined ? [] : [` --code ${code}`]),
    ...(host === undefined ? [] : [` --host ${host}`]),
  ].join('')
}

function nothingText({ code, host }: FailedFlags): string {
  return code === undefined && host === undefined
    ? 'no request has failed\n'
    : 'no matching request has failed\n'
}

function restText(more: number): string {
  return more > 0 ? `… and ${formatNumber(more)} more; use --limit to show them\n` : ''
}

const MAX_URL_COLUMNS = 70

function tableText(failed: readonly FailedRequest[], withStack: boolean): string {
  const rows = failed.map(({ code, attempts, failedAt, request, reason }) => [
    printableLine(code),
    String(attempts),
    formatTime(failedAt),
    printableLine(`${request.method === undefined ? '' : `${request.method} `}${request.url}`, 2_000),
    printableLine(reason),
  ])
  const head = ['code', 'tries', 'when', 'URL', 'reason']
  const widths = head.map((_, i) => columnWidth([head, ...rows].map((row) => row[i])))
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(Math.min(widths[i] ?? 0, MAX_URL_COLUMNS)))
      .join('  ')
      .trimEnd()
  const lines = failed.flatMap(({ stack }, i) => [
    lineOf(rows[i] ?? []),
    ...(withStack && stack !== undefined ? [indented(printableLines(stack))] : []),
  ])
  return [lineOf(head), ...lines].map((line) => `${line}\n`).join('')
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
