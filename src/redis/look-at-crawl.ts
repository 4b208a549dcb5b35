import { steadyClock } from '../base/clock.ts'
import type { FleetCounts, FleetWorker } from '../frontier/fleet.ts'
import type { RedisConnection } from './connection.ts'
import { type StartKeysOptions, startKeys } from './keys.ts'
import { RedisFrontier } from './redis-frontier.ts'
import { serverFacts } from './server-facts.ts'
import { StartMessages } from './start-messages.ts'

/** A crawl at one moment. */
export interface CrawlView {
  /** By the clock of its Redis, as all times of its workers are (ms since the epoch). */
  readonly now: number
  readonly counts: FleetCounts
  readonly workers: readonly FleetWorker[]
  /** Start messages that are not in the frontier yet. */
  readonly startMessages: number
}

/** For whoever is no worker of the crawl: nothing of it changes. `undefined`: nobody works on a crawl of that name, or did, or asked for it. */
export async function lookAtCrawl(
  connection: RedisConnection,
  crawl: string,
  options: StartKeysOptions = {},
): Promise<CrawlView | undefined> {
  // A frontier joins a crawl only to change it, so it does not matter what its clock shows.
  const frontier = new RedisFrontier(connection, steadyClock, crawl, options)
  const starts = new StartMessages(connection, steadyClock, crawl, options)
  const [{ now }, counts, workers, startMessages] = await Promise.all([
    serverFacts(connection, startKeys(crawl, connection.isCluster, options)),
    frontier.counts(),
    frontier.workers(),
    starts.count(),
  ])
  const isThere = counts.added > 0 || workers.length > 0 || startMessages > 0
  return isThere ? { now, counts, workers, startMessages } : undefined
}
