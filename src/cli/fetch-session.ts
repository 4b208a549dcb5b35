import { fetcherOptions } from '../adapters/config/fetcher-options.ts'
import { sourceForThreads } from '../adapters/config/load-settings.ts'
import { HostStateFile } from '../adapters/crawl-directory/host-state-file.ts'
import { HttpFetcher } from '../adapters/http/http-fetcher.ts'
import { rememberPrivateHosts } from '../adapters/http/private-hosts-file.ts'
import { ParsePool } from '../adapters/parse-threads/parse-pool.ts'
import { type Clock, steadyClock, wallClock } from '../base/clock.ts'
import { packageVersion } from '../base/package-version.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CrawlDb } from '../domain/crawldb/crawl-db.ts'
import type { PageParser } from '../domain/parse/parsed-page.ts'
import { RobotsCache } from '../domain/robots/robots-cache.ts'
import type { RobotsStore } from '../domain/robots/robots-record.ts'
import { hostOf } from '../domain/url/host-of.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import type { FetchParts } from '../flows/cycle/fetch-loop.ts'
import type { FetchOptions } from '../flows/cycle/fetch-options.ts'
import { RedirectTargets } from '../flows/cycle/redirect-targets.ts'
import type { CrawlSession } from './crawl-session.ts'
import { type FetchFlags, runLimits } from './fetch-flags.ts'
import { printableLine } from './format-values.ts'
import type { Terminal } from './terminal.ts'

/** What fetches and parses the pages of a crawl. */
export interface FetchSession {
  readonly parts: FetchParts & Required<Pick<FetchParts, 'hostStateStore'>>
  readonly options: FetchOptions
}

/** What fetching goes by, also without the directory. */
export type FetchSettings = Pick<CrawlSession, 'settings' | 'rules' | 'source' | 'seeds'>

/** @param parse whether pages are parsed as they come */
export async function withFetching<T>(
  session: CrawlSession,
  flags: FetchFlags,
  terminal: Terminal,
  parse: boolean,
  work: (fetching: FetchSession) => Promise<T>,
): Promise<T> {
  return withWeb(session, { ...flags, parse }, terminal, { clock: steadyClock }, (web) => {
    const hostStateStore = new HostStateFile(session.path)
    const parts = { ...web, hostStateStore, shouldFollow: followedBy(session.db) }
    return work({ parts, options: fetchOptions(session, flags) })
  })
}

/**
 * What asks the web and reads its pages.
 * @param clock a steady one, by which the records of robots.txt are kept, too
 */
export async function withWeb<T>(
  session: FetchSettings & Pick<CrawlSession, 'path'>,
  { parse, parseThreads }: { readonly parse: boolean; readonly parseThreads: number },
  terminal: Terminal,
  { clock, robotsStore }: { readonly clock: Clock; readonly robotsStore?: RobotsStore },
  work: (parts: FetchParts) => Promise<T>,
): Promise<T> {
  const { settings, rules, seeds, path } = session
  const hosts = seeds.map(hostOf)
  const fetcher = new HttpFetcher({
    ...fetcherOptions(settings, packageVersion(), hosts, await rememberPrivateHosts(path, hosts, hosts)),
    clock,
    onWarning: (message) => terminal.err(`warning: ${message} (--contact, --email)\n`),
    onRefusedHost: (reason) => terminal.err(`warning: ${printableLine(reason)}\n`),
  })
  const parser = parse ? await pageParser(session, parseThreads, clock) : undefined
  try {
    const robots = new RobotsCache(clock, [settings.agent.name], {
      ...settings.robots,
      ...withoutUndefined({ store: robotsStore }),
    })
    return await work({ clock, fetcher, robots, rules, ...withoutUndefined({ parser }) })
  } finally {
    await parser?.close()
    await fetcher.close()
  }
}

/** @returns whether a redirect to a page may be followed now */
export function followedBy(db: CrawlDb): (url: string) => Promise<boolean> {
  const targets = new RedirectTargets(wallClock, db)
  return (url) => targets.mayFollow(url)
}

/** @param threads 0: in the main thread */
export async function pageParser(
  { settings, rules, source, seeds }: FetchSettings,
  threads: number,
  clock: Clock,
): Promise<PageParser> {
  if (threads > 0)
    return new ParsePool(clock, { settings: sourceForThreads(source, settings), seeds }, { threads })
  // Late, as the main thread seldom reads pages itself.
  const { InlineParser } = await import('../domain/parse/parse-page.ts')
  return new InlineParser(rules)
}

export function fetchOptions(
  { settings, rules }: Pick<FetchSettings, 'settings' | 'rules'>,
  flags: FetchFlags,
): FetchOptions {
  const { politeness, limits } = settings
  return {
    ...runLimits(flags),
    threads: politeness.threads,
    redirectMax: limits.redirectMax,
    politeness: rules.hosts,
    keyOf: (url) => queueKey(url, politeness.queueMode),
    ...(limits.timeLimitMinutes !== undefined && { timeLimitMs: limits.timeLimitMinutes * 60_000 }),
  }
}
