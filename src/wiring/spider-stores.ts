import type { Rules } from '../adapters/config/build-rules.ts'
import type { Settings } from '../adapters/config/config-schema.ts'
import { HostStateFile } from '../adapters/crawl-directory/host-state-file.ts'
import { SessionFile } from '../adapters/crawl-directory/session-file.ts'
import type { CrawlDirectory } from '../adapters/duckdb/open-crawl-directory.ts'
import { CookieFile } from '../adapters/http/cookie-file.ts'
import type { CookieMemory } from '../adapters/http/keep-cookies.ts'
import { rememberPrivateHosts } from '../adapters/http/private-hosts-file.ts'
import { type Clock, steadyClock } from '../base/clock.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { DeadLetters } from '../domain/frontier/dead-letters.ts'
import type { Fleet, FleetControl } from '../domain/frontier/fleet.ts'
import type { Frontier } from '../domain/frontier/frontier.ts'
import type { HostCookies } from '../domain/frontier/host-cookies.ts'
import type { ItemLog } from '../domain/frontier/item-log.ts'
import type { PageBudget } from '../domain/frontier/page-budget.ts'
import type { SessionStore } from '../domain/frontier/session-store.ts'
import type { HostStateStore } from '../domain/politeness/persist-host-states.ts'
import type { RobotsStore } from '../domain/robots/robots-record.ts'
import { hostOf } from '../domain/url/host-of.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import type { AnySpider } from '../flows/spider/spider-definition.ts'
import type { SpiderStats } from '../flows/spider/spider-stats.ts'
import type { StartSource } from '../flows/spider/start-feeder.ts'
import { SpiderPages } from './spider-pages.ts'

/** The stores of a spider's crawl. */
export interface SpiderStores {
  /** A monotonic clock; the same for all processes of a fleet. */
  readonly clock: Clock
  /** Start requests that other programs push during the crawl. */
  readonly startSource?: StartSource
  /** If other processes share the crawl. */
  readonly fleet?: Fleet
  /** Sets the function that returns the statistics of this process, for the status of the fleet. */
  readonly reportOf?: (stats: () => SpiderStats) => void
  /** With `fleet`: the page limit of all its workers together. */
  readonly pageBudget?: (maxPages: number) => PageBudget
  /** With `fleet`: moves these cookies from worker to worker, with their hosts. */
  readonly carryCookies?: (cookies: HostCookies) => void
  /** With `fleet`: controls all workers of the crawl. */
  readonly fleetControl?: FleetControl
  readonly frontier: Frontier
  readonly deadLetters: DeadLetters
  readonly items: ItemLog
  /** Stores pages; absent: pages are not stored. */
  readonly pages?: SpiderPages
  readonly hosts: HostStateStore
  /** Stores robots.txt records. @default in memory */
  readonly robots?: RobotsStore
  readonly cookies: CookieMemory
  readonly sessions: SessionStore
  /** Stores the positions of the exports; `undefined`: they start from the beginning. */
  readonly feeds: string | undefined
  /** URLs of start requests of earlier runs, at least one for each of their hosts. */
  readonly starts: readonly string[]
  /**
   * Those of `hosts` that had a private address when the crawl first found them, in any run or process.
   * @param lookUp the names among its argument that have one now
   */
  privateHosts(
    hosts: readonly string[],
    lookUp: (hosts: Iterable<string>) => Promise<readonly string[]>,
  ): Promise<readonly string[]>
  /** Pages of each host in earlier runs; only where the spider limits them, and the frontier does not count them. */
  readonly hostPages: ReadonlyArray<readonly [host: string, pages: number]>
}

/**
 * The stores of a crawl directory.
 * @param keep whether it stays, and whether its pages do
 */
export async function embeddedStores(
  directory: CrawlDirectory,
  spider: AnySpider,
  settings: Settings,
  rules: Rules,
  keep: { readonly directory: boolean; readonly pages: boolean },
): Promise<SpiderStores> {
  const starts = await directory.db.seeds()
  return {
    clock: steadyClock,
    frontier: directory.frontier({
      keyOf: (url) => queueKey(url, settings.politeness.queueMode),
      rules: { schedule: rules.schedule, scoring: rules.scoring, retryMax: settings.limits.retryMax },
      ...withoutUndefined({ order: spider.order }),
    }),
    deadLetters: directory.deadLetters,
    items: directory.items,
    ...(keep.pages && { pages: new SpiderPages(directory, rules, steadyClock) }),
    hosts: new HostStateFile(directory.path),
    cookies: new CookieFile(directory.path),
    sessions: new SessionFile(directory.path),
    feeds: keep.directory ? directory.path : undefined,
    starts,
    privateHosts: (hosts, lookUp) => rememberPrivateHosts(directory.path, starts.map(hostOf), hosts, lookUp),
    hostPages: spider.limits?.maxPagesPerHost === undefined ? [] : await fetchedByHost(directory),
  }
}

async function fetchedByHost({ reader }: CrawlDirectory): Promise<Array<readonly [string, number]>> {
  const { rows } = await reader.sql(
    `SELECT host, count(*)::INTEGER FROM crawldb WHERE status IN ('db_fetched', 'db_notmodified') GROUP BY host`,
  )
  return rows.map(([host, pages]) => [String(host), Number(pages)] as const)
}
