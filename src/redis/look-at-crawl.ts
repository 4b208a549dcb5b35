import { steadyClock } from '../base/clock.ts'
import type { FleetCounts, FleetState, FleetWorker } from '../frontier/fleet.ts'
import type { RedisConnection } from './connection.ts'
import { type StartKeysOptions, startKeys } from './keys.ts'
import { RedisFrontier } from './redis-frontier.ts'
import { serverFacts } from './server-facts.ts'
import { StartMessages } from './start-messages.ts'

/** A crawl at one moment. */
export interface CrawlView {
  /** By the clock of its Redis, as all times of its workers are (ms since the epoch). */
  readonly now: number
  /** Absent: it goes on. */
  readonly state?: FleetState
  readonly counts: FleetCounts
  readonly workers: readonly FleetWorker[]
  /** Start messages that are not in the frontier yet. */
  readonly startMessages: number
  /** Those that could not be read, and the list where they are. Absent: none. */
  readonly malformedStarts?: { readonly count: number; readonly key: string }
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
  const keys = startKeys(crawl, connection.isCluster, options)
  const [{ now }, counts, workers, { waiting: startMessages, malformed }] = await Promise.all([
    serverFacts(connection, keys),
    frontier.counts(),
    frontier.workers(),
    starts.counts(),
  ])
  const isThere = counts.added > 0 || counts.itemsLeft > 0 || workers.length > 0 || startMessages > 0
  const { state } = frontier
  if (!isThere) return undefined
  return {
    now,
    ...(state !== undefined && { state }),
    counts,
    workers,
    startMessages,
    ...(malformed > 0 && { malformedStarts: { count: malformed, key: keys.malformedStarts } }),
  }
}
