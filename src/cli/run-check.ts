import { buildRules } from '../adapters/config/build-rules.ts'
import type { Settings } from '../adapters/config/config-schema.ts'
import { fetcherOptions } from '../adapters/config/fetcher-options.ts'
import { loadSettings } from '../adapters/config/load-settings.ts'
import { enabledSchemes } from '../adapters/config/protocol-section.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import { privateNames } from '../adapters/http/private-names.ts'
import { steadyClock } from '../base/clock.ts'
import { packageVersion } from '../base/package-version.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { PoliteFetcher } from '../domain/politeness/polite-fetcher.ts'
import { RobotsCache } from '../domain/robots/robots-cache.ts'
import { hostOf } from '../domain/url/host-of.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import { type CheckParts, checkUrl, redirectTarget } from '../flows/cycle/check-url.ts'
import { openFetcher } from '../wiring/open-fetcher.ts'
import { type CheckDocument, checkDocument } from './check-document.ts'
import { usableUrl } from './option-values.ts'
import type { Terminal } from './terminal.ts'
import { type WebFlags, webConfig } from './web-flags.ts'

export interface CheckFlags extends WebFlags {
  readonly json: boolean
  readonly follow: boolean
  readonly index: boolean
  readonly links: number
}

/** Hops after which `--follow` gives up, as a crawl does. */
const MAX_REDIRECTS = 5

/** Fetches and parses a URL with the rules of a crawl, and its redirect targets with `follow`. */
export async function runCheck(input: string, flags: CheckFlags, terminal: Terminal): Promise<CheckDocument> {
  const parts = await checkParts(input, flags, terminal)
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

/** The settings of a check: those of a crawl without a directory. */
export function checkSettings(flags: WebFlags): Promise<Settings> {
  return loadSettings(
    settingsSource({
      ...withoutUndefined({ named: flags.config }),
      currentDirectory: process.cwd(),
      env: process.env,
      flags: webConfig(flags),
    }),
  )
}

async function checkParts(input: string, flags: CheckFlags, terminal: Terminal): Promise<CheckParts> {
  const clock = steadyClock
  const settings = await checkSettings(flags)
  const url = usableUrl(input, enabledSchemes(settings.protocols))
  const { filter, reading, hosts } = buildRules(settings, { clock })
  const http = await openFetcher(settings, {
    ...fetcherOptions(
      settings,
      packageVersion(),
      [hostOf(url)],
      await privateNames([hostOf(url)].filter((host) => host !== '')),
    ),
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
