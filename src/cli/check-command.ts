import { Command } from 'commander'
import { steadyClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { type CheckParts, checkUrl, redirectTarget } from '../cycle/check-url.ts'
import { HostQueues } from '../politeness/host-queues.ts'
import { PoliteFetcher, type Turn } from '../politeness/polite-fetcher.ts'
import { RobotsCache } from '../robots/robots-cache.ts'
import { hostOf } from '../url/host-of.ts'
import { normalizeUrl } from '../url/normalize-url.ts'
import { queueKey } from '../url/queue-key.ts'
import { type CheckDocument, checkDocument } from './check-document.ts'
import { checkReport } from './check-report.ts'
import { addHttpOptions, type HttpFlags, httpFetcher } from './http-options.ts'
import { seconds, wholeNumber } from './option-values.ts'
import { packageVersion } from './package-version.ts'
import type { Terminal } from './terminal.ts'
import { urlRules } from './url-rules.ts'

interface CheckFlags extends HttpFlags {
  readonly json: boolean
  readonly rules?: string
  readonly follow: boolean
  readonly links: number
  readonly delay: number
}

/** Hops after which `--follow` gives up, as a crawl does. */
const MAX_REDIRECTS = 5

const HELP = `
Asks robots.txt and the page, politely (--delay), and tells what happened at each step. The URL's own host may
have a private address, because you named it; hosts it redirects to may not, unless --allow-host names them.

Examples:
  orbweaver check https://example.org/
  orbweaver check --json --agent mybot https://example.org/ | jq .robots
  orbweaver check --rules rules.txt 'https://example.org/?page=2'

Exit codes: 0 it was checked, whatever came of it; 2 the URL or an option is wrong; 3 it failed.`

export function checkCommand(terminal: Terminal): Command {
  const command = new Command('check')
    .summary('show what the crawler thinks of a URL')
    .description(
      'Shows what the crawler thinks of a URL: its normal form, the filter, robots.txt, the answer, the page.',
    )
    .argument('<url>', 'an http or https URL')
    .option('--json', 'print one JSON document', false)
    .option('--rules <file>', 'URL rules in place of the built-in ones: lines of +regex and -regex')
    .option('--follow', `follow redirects, up to ${MAX_REDIRECTS}`, false)
    .option('--links <n>', 'how many links to list', wholeNumber, 10)
    .option('--delay <seconds>', 'rest between two requests to one host', seconds, 1_000)
  return addHttpOptions(command)
    .addHelpText('after', HELP)
    .action(async (url: string, flags: CheckFlags) => {
      const document = await check(url, flags, terminal)
      terminal.out(flags.json ? `${JSON.stringify(document, undefined, 2)}\n` : checkReport(document))
    })
}

async function check(input: string, flags: CheckFlags, terminal: Terminal): Promise<CheckDocument> {
  const parts = checkParts(usableUrl(input), flags, terminal)
  const stop = (): void => void parts.fetcher.close()
  terminal.interrupted.addEventListener('abort', stop)
  try {
    const checks = [await checkUrl(parts, input, terminal.interrupted)]
    for (let next = follow(checks, flags); next !== undefined; next = follow(checks, flags))
      checks.push(await checkUrl(parts, next, terminal.interrupted))
    const documents = checks.map((done) => checkDocument(done, flags.links))
    const via = documents.slice(0, -1)
    return { ...(documents.at(-1) as CheckDocument), ...(via.length > 0 && { via }) }
  } finally {
    terminal.interrupted.removeEventListener('abort', stop)
    await parts.fetcher.close()
  }
}

function follow(
  checks: readonly Parameters<typeof redirectTarget>[0][],
  flags: CheckFlags,
): string | undefined {
  const last = checks.at(-1)
  return flags.follow && last !== undefined && checks.length <= MAX_REDIRECTS
    ? redirectTarget(last)
    : undefined
}

function checkParts(url: string, flags: CheckFlags, terminal: Terminal): CheckParts {
  const clock = steadyClock
  // The rules first: a mistake in them is all there is to say then.
  const filter = urlRules(flags.rules, clock)
  const http = httpFetcher(flags, packageVersion(), [hostOf(url)], (message) =>
    terminal.err(`warning: ${message} (--contact, --email)\n`),
  )
  const queues = new HostQueues<Turn>(clock, { delayMs: flags.delay })
  return {
    filter,
    robots: new RobotsCache(clock, [flags.agent]),
    fetcher: new PoliteFetcher(http, queues, clock, { keyOf: (target) => queueKey(target, 'host') }),
    reading: { agent: flags.agent, normalize: normalizeUrl, pdf: { clock } },
  }
}

/** The normal form of what the user typed. @throws ConfigurationError when it has none */
function usableUrl(input: string): string {
  const normalized = normalizeUrl(input)
  if (normalized.ok) return normalized.url
  const guess = normalizeUrl(`https://${input}`)
  const hint = guess.ok && /^[^\s/:]+\.[^\s/:]+/.test(input) ? `; did you mean ${guess.url}` : ''
  throw new ConfigurationError(
    `${JSON.stringify(input)} is not a URL that can be crawled: ${normalized.detail}${hint}`,
  )
}
