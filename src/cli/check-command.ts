import { Command } from 'commander'
import { buildRules } from '../adapters/config/build-rules.ts'
import { fetcherOptions } from '../adapters/config/fetcher-options.ts'
import { loadSettings } from '../adapters/config/load-settings.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import { HttpFetcher } from '../adapters/http/http-fetcher.ts'
import { privateNames } from '../adapters/http/private-names.ts'
import { steadyClock } from '../base/clock.ts'
import { formatJson } from '../base/format-values.ts'
import { packageVersion } from '../base/package-version.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { PoliteFetcher } from '../domain/politeness/polite-fetcher.ts'
import { RobotsCache } from '../domain/robots/robots-cache.ts'
import { hostOf } from '../domain/url/host-of.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import { type CheckParts, checkUrl, redirectTarget } from '../flows/cycle/check-url.ts'
import { type CheckDocument, checkDocument } from './check-document.ts'
import { checkReport } from './check-report.ts'
import type { CommandContext } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { usableUrl, wholeNumber } from './option-values.ts'
import type { Terminal } from './terminal.ts'
import { addWebOptions, type WebFlags, webConfig } from './web-flags.ts'

interface CheckFlags extends WebFlags {
  readonly json: boolean
  readonly follow: boolean
  readonly links: number
}

/** Hops after which `--follow` gives up, as a crawl does. */
const MAX_REDIRECTS = 5

const HELP = `
Fetches robots.txt and the page with the politeness of a crawl (--delay) and shows the result of each step: the normalized URL, the URL filters,
robots.txt, the response, the parsed page and its links. The host of the URL may have a private address; hosts that it redirects to need
--allow-host for that.

Examples:
  orbweaver check https://example.org/
  orbweaver check --json --agent mybot https://example.org/ | jq .robots
  orbweaver check --rules rules.txt 'https://example.org/?page=2'`

export function checkCommand({ terminal }: CommandContext): Command {
  const command = new Command('check')
    .argument('<url>', 'HTTP or HTTPS URL')
    .option('--follow', `Follow up to ${MAX_REDIRECTS} redirects`, false)
    .option('--links <n>', 'Maximum number of links to list', wholeNumber, 10)
  return addJsonOption(addWebOptions(command))
    .addHelpText(
      'after',
      helpNotes({ 0: 'the check was made, whatever its result', 2: 'invalid URL or option' }, HELP),
    )
    .action(async (url: string, flags: CheckFlags) => {
      const document = await check(url, flags, terminal)
      terminal.out(flags.json ? formatJson(document) : checkReport(document))
    })
}

async function check(input: string, flags: CheckFlags, terminal: Terminal): Promise<CheckDocument> {
  const parts = await checkParts(usableUrl(input), flags, terminal)
  const stop = (): void => void parts.fetcher.close()
  terminal.interrupted.addEventListener('abort', stop)
  try {
    const checks = [await checkUrl(parts, input)]
    for (let next = follow(checks, flags); next !== undefined; next = follow(checks, flags))
      checks.push(await checkUrl(parts, next))
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

async function checkParts(url: string, flags: CheckFlags, terminal: Terminal): Promise<CheckParts> {
  const clock = steadyClock
  const settings = await loadSettings(
    settingsSource({
      ...withoutUndefined({ named: flags.config }),
      currentDirectory: process.cwd(),
      env: process.env,
      flags: webConfig(flags),
    }),
  )
  const { filter, reading, hosts } = buildRules(settings, { clock })
  const http = new HttpFetcher({
    ...fetcherOptions(settings, packageVersion(), [hostOf(url)], await privateNames([hostOf(url)])),
    onWarning: (message) => terminal.err(`warning: ${message} (--contact, --email)\n`),
  })
  const robots = new RobotsCache(clock, [settings.agent.name], settings.robots)
  const fetcher = new PoliteFetcher(
    { clock, fetcher: http, robots },
    { threads: 1, keyOf: (target) => queueKey(target, 'host'), politeness: hosts },
  )
  return {
    ...{ filter, clock, robots, fetcher },
    reading,
  }
}
