import { fetcherOptions } from '../adapters/config/fetcher-options.ts'
import { sourceForThreads } from '../adapters/config/load-settings.ts'
import { HostStateFile } from '../adapters/crawl-directory/host-state-file.ts'
import { rememberPrivateHosts } from '../adapters/http/private-hosts-file.ts'
import { OnDemandParser } from '../adapters/parse-threads/on-demand-parser.ts'
import { isSmallPage } from '../adapters/parse-threads/small-page.ts'
import { type Clock, steadyClock, wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { packageVersion } from '../base/package-version.ts'
import { printable } from '../base/printable.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CrawlDb } from '../domain/crawldb/crawl-db.ts'
import type { PageParser } from '../domain/parse/parsed-page.ts'
import { RobotsCache } from '../domain/robots/robots-cache.ts'
import type { RobotsStore } from '../domain/robots/robots-record.ts'
import { hostOf } from '../domain/url/host-of.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import type { FetchParts } from '../flows/cycle/fetch-loop.ts'
import type { FetchOptions } from '../flows/cycle/fetch-options.ts'
import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import { RedirectTargets } from '../flows/cycle/redirect-targets.ts'
import type { CrawlSession } from './crawl-session.ts'
import { openFetcher } from './open-fetcher.ts'
import { openRequestLog } from './open-request-log.ts'
import { openRendering } from './page-rendering.ts'
import { proxyNotices } from './proxy-notices.ts'
import type { RunWatcher } from './run-watcher.ts'

/** The parts and options of a fetch by this process alone. */
export interface FetchSession {
  readonly parts: FetchParts & Required<Pick<FetchParts, 'hostStateStore'>>
  readonly options: FetchOptions
}

/** The settings and rules of a fetch, without a crawl directory. */
export type FetchSettings = Pick<CrawlSession, 'settings' | 'rules' | 'source' | 'seeds' | 'path'>

/** Options of every operation that fetches. */
export interface FetchRunOptions {
  /** Retries per URL after a transient failure, in this run. Later rounds retry in any case. @default 0 */
  readonly retries?: number
  /** Maximum run time; the rest of the fetch list stays due. @default the setting `limits.timeLimitMinutes` */
  readonly maxTimeSeconds?: number
  /** Stop if the rate is lower than this for five seconds, counted from the fifth minute. @default no minimum */
  readonly minPagesPerSecond?: number
  /** Number of threads that parse pages; 0: the main thread parses. @default 1 */
  readonly parseThreads?: number
  /** Stops the operation: running requests finish, and the next call resumes. */
  readonly signal?: AbortSignal
  /** Called every second. */
  readonly onProgress?: (progress: FetchProgress) => void
  /** Watch the run: each is told about its start, its end and every request, and can read its figures and control it. @default none */
  readonly watchers?: readonly RunWatcher[]
}

/** @param parse whether pages are parsed as they arrive */
export async function withFetching<T>(
  session: CrawlSession,
  options: FetchRunOptions & { readonly parse?: boolean },
  log: EventLog,
  work: (fetching: FetchSession) => Promise<T>,
): Promise<T> {
  const { rules, settings } = session
  const politeness =
    settings.hostDb.delayExpr === undefined
      ? rules.hosts
      : await (await import('./host-delay-expression.ts')).withHostDelays(session, rules.hosts)
  return withWeb(session, options, log, { clock: steadyClock }, (web) => {
    const hostStateStore = new HostStateFile(session.path)
    const parts = { ...web, hostStateStore, shouldFollow: followedBy(session.db) }
    const fetching = fetchOptions(session, withRobotsFailures(options, web.robots))
    return work({ parts, options: { ...fetching, politeness } })
  })
}

/** Adds the state of robots.txt to the progress. */
function withRobotsFailures(
  { onProgress, ...options }: FetchRunOptions,
  robots: RobotsCache,
): FetchRunOptions {
  if (onProgress === undefined) return options
  return {
    ...options,
    onProgress: (progress) => onProgress({ ...progress, robotsFailures: robots.failures() }),
  }
}

/**
 * Opens an HTTP client, a robots.txt cache and a parser for `work`.
 * @param clock a monotonic one, also used for the robots.txt records
 */
export async function withWeb<T>(
  session: FetchSettings,
  { parse = true, parseThreads = 1 }: { readonly parse?: boolean; readonly parseThreads?: number },
  log: EventLog,
  { clock, robotsStore }: { readonly clock: Clock; readonly robotsStore?: RobotsStore },
  work: (parts: FetchParts) => Promise<T>,
): Promise<T> {
  const { settings, rules, seeds, path } = session
  const rendering = await openRendering(settings, clock, log)
  const hosts = seeds.map(hostOf)
  const privateHosts = settings.http.allowPrivateSeeds ? await rememberPrivateHosts(path, hosts, hosts) : []
  const fetcher = await openFetcher(settings, {
    ...fetcherOptions(settings, packageVersion(), hosts, privateHosts),
    clock,
    onWarning: (message) => logEvent(log, 'AGENT_CONTACT_MISSING', `${message} (--contact, --email)`),
    onRefusedHost: (reason) => logEvent(log, 'PRIVATE_ADDRESS_REFUSED', printable(reason)),
    onProxyEvent: proxyNotices(log),
  })
  const parser = parse ? await pageParser(session, parseThreads, clock) : undefined
  const requestLog = openRequestLog(path, settings, clock, log)
  try {
    const robots = new RobotsCache(clock, [settings.agent.name], {
      ...settings.robots,
      log,
      ...withoutUndefined({ store: robotsStore }),
    })
    return await work({
      ...{ clock, fetcher, robots, rules, log, rendering },
      ...withoutUndefined({ parser, requestLog }),
    })
  } finally {
    await rendering.renderer.close()
    await parser?.close()
    await fetcher.close()
    await requestLog?.close()
  }
}

/** @returns a function that decides whether a redirect to a URL may be followed now */
export function followedBy(db: CrawlDb): (url: string) => Promise<boolean> {
  const targets = new RedirectTargets(wallClock, db)
  return (url) => targets.mayFollow(url)
}

/** @param threads 0: the calling thread parses */
export async function pageParser(
  { settings, rules, source, seeds }: Omit<FetchSettings, 'path'>,
  threads: number,
  clock: Clock,
): Promise<PageParser> {
  if (settings.parse.detectLanguage) await requireLanguageLibrary()
  // Both loaded late: the first request need not wait for them.
  const inline = async () => {
    const { InlineParser } = await import('../domain/parse/parse-page.ts')
    return new InlineParser(rules)
  }
  if (threads === 0) return inline()
  const forThreads = sourceForThreads(source, settings)
  const pool = async () => {
    const { ParsePool } = await import('../adapters/parse-threads/parse-pool.ts')
    return new ParsePool(clock, { settings: forThreads, seeds }, { threads })
  }
  // Functions of the user may take any time.
  const hasUserCode = forThreads.settings === undefined
  return hasUserCode ? pool() : new OnDemandParser({ clock, inline, threads: pool, isSmall: isSmallPage })
}

/** Fails at the start, and not with each page. @throws ConfigurationError */
async function requireLanguageLibrary(): Promise<void> {
  const { loadEld } = await import('../domain/content/detect-language.ts')
  await loadEld().catch((error: Error) => {
    throw new ConfigurationError('SETTING_INVALID', error.message)
  })
}

export function fetchOptions(
  { settings, rules }: Pick<FetchSettings, 'settings' | 'rules'>,
  { retries = 0, maxTimeSeconds, minPagesPerSecond, onProgress }: FetchRunOptions,
): FetchOptions {
  const { politeness, limits } = settings
  const { timeLimitMinutes } = limits
  const seconds = maxTimeSeconds ?? (timeLimitMinutes === undefined ? undefined : timeLimitMinutes * 60)
  return {
    retries,
    threads: politeness.threads,
    redirectMax: limits.redirectMax,
    politeness: rules.hosts,
    keyOf: (url) => queueKey(url, politeness.queueMode),
    ...(seconds !== undefined && { timeLimitMs: seconds * 1_000 }),
    ...withoutUndefined({ minPagesPerSecond, onProgress }),
  }
}
