import { steadyClock } from '../../base/clock.ts'
import type { FleetCounts, FleetState, FleetWorker } from '../../domain/frontier/fleet.ts'
import { type CrawlDelays, crawlDelays } from './crawl-delays.ts'
import { crawlShards, guestOf } from './job.ts'
import { crawlOfKey, jobKeys, KEYS, type StartKeysOptions, startKeys } from './keys.ts'
import { addByName, addCounts, mergeWorkers } from './merge-status.ts'
import { readCounts, readWorkers } from './read-status.ts'
import type { RedisConnection, SearchableConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { serverFacts } from './server-facts.ts'
import { StartMessages } from './start-messages.ts'

/** A crawl at one moment. */
export interface CrawlSnapshot {
  /** By the clock of its Redis, as all times of its workers are (ms since the epoch). */
  readonly now: number
  readonly shards: number
  /** Absent: it is neither paused nor draining. */
  readonly state?: FleetState
  readonly counts: FleetCounts
  /** When something was last added or settled (ms since the epoch); 0: never. */
  readonly activeAt: number
  /** Failed requests by code, and retries by reason, since the crawl began. */
  readonly failures: Readonly<Record<string, number>>
  readonly retries: Readonly<Record<string, number>>
  /** Why requests are not handed out yet. */
  readonly delays: CrawlDelays
  readonly workers: readonly FleetWorker[]
  /** Start messages that are not in the frontier yet. */
  readonly startMessages: number
  /** Those that could not be read, and the list where they are. Absent: none. */
  readonly malformedStarts?: { readonly count: number; readonly key: string }
}

/** Read-only, for a process that is not a worker of the crawl. `undefined`: there is no crawl of that name: no workers, requests, items or start messages. */
export async function inspectCrawl(
  connection: RedisConnection,
  crawl: string,
  options: StartKeysOptions = {},
): Promise<CrawlSnapshot | undefined> {
  const shards = await crawlShards(connection, crawl, options)
  const keys = startKeys(crawl, connection.isCluster, options)
  const starts = new StartMessages(connection, steadyClock, crawl, options)
  const jobs = shards.map((shard) => guestOf(connection, shard))
  const [{ now }, read, delays, workersOf, { waiting: startMessages, malformed }] = await Promise.all([
    serverFacts(connection, keys),
    Promise.all(jobs.map(async (job) => readCounts(await job.run(SCRIPTS.counts, {}, [])))),
    crawlDelays(jobs),
    Promise.all(jobs.map(async (job) => readWorkers(await job.run(SCRIPTS.workers, {}, [])))),
    starts.counts(),
  ])
  const counts = addCounts(read.map((one) => one.counts))
  const state = read[0]?.state
  const activeAt = read.reduce((last, one) => Math.max(last, one.activeAt), 0)
  const failures = addByName(read.map((one) => one.failures))
  const retries = addByName(read.map((one) => one.retries))
  const workers = mergeWorkers(workersOf)
  const isThere = counts.added > 0 || counts.itemsLeft > 0 || workers.length > 0 || startMessages > 0
  if (!isThere) return undefined
  return {
    now,
    shards: shards.length,
    ...((state === 'paused' || state === 'draining') && { state }),
    ...{ counts, activeAt, failures, retries, delays, workers, startMessages },
    ...(malformed > 0 && { malformedStarts: { count: malformed, key: keys.malformedStarts } }),
  }
}

/** The names of all crawls in this Redis, in alphabetical order. Cleared ones are left out, finished ones are not. */
export async function listCrawls(connection: SearchableConnection): Promise<string[]> {
  const { base } = jobKeys('*', connection.isCluster)
  const crawls: string[] = []
  for (const key of await connection.keysLike(`${base}:${KEYS.counts[0]}`)) {
    const crawl = crawlOfKey(key)
    // A cleared crawl keeps its counters.
    if (crawl !== undefined && (await inspectCrawl(connection, crawl)) !== undefined) crawls.push(crawl)
  }
  return crawls.sort()
}

/** Whether a crawl is finished, for a process that is not a worker of it and checks from time to time. */
export class CrawlEndCheck {
  readonly #connection: RedisConnection
  readonly #crawl: string
  readonly #options: StartKeysOptions
  #wasThere = false

  constructor(connection: RedisConnection, crawl: string, options: StartKeysOptions = {}) {
    this.#connection = connection
    this.#crawl = crawl
    this.#options = options
  }

  /** The queue is empty and no worker waits. A crawl that did not exist yet has not started; one that is gone was cleared when it finished. */
  async isReached(): Promise<boolean> {
    const first = await this.#look()
    // Shards are not read at the same moment: see `ShardedFrontier.pending`.
    return first.isOver && (first.added === undefined || first.added === (await this.#look()).added)
  }

  /** `added`: requests that were ever added; `undefined` if there is no crawl. */
  async #look(): Promise<{ readonly isOver: boolean; readonly added?: number }> {
    const view = await inspectCrawl(this.#connection, this.#crawl, this.#options)
    // Items alone do not make a crawl: they outlive it.
    if (view === undefined || view.counts.added + view.workers.length + view.startMessages === 0)
      return { isOver: this.#wasThere }
    this.#wasThere = true
    const { counts, workers, startMessages, now } = view
    const left = counts.waiting + counts.delayed + counts.leased + startMessages
    return { isOver: left === 0 && workers.every(({ expiresAt }) => expiresAt <= now), added: counts.added }
  }
}
