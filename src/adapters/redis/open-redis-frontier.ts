import { type Clock, steadyClock } from '../../base/clock.ts'
import type { FrontierOrder } from '../../domain/frontier/frontier.ts'
import type { RobotsStore } from '../../domain/robots/robots-record.ts'
import type { FleetFrontier } from './fleet-frontier.ts'
import { crawlRules, crawlShards } from './job.ts'
import { type JobKeys, jobKeys } from './keys.ts'
import { RedisClock } from './redis-clock.ts'
import type { RedisConnection, RedisConnectionOptions } from './redis-connection.ts'
import { RedisFrontier, type RedisFrontierOptions } from './redis-frontier.ts'
import { RedisRobotsStore } from './redis-robots-store.ts'
import { checkClocks, checkEviction, serverFacts } from './server-facts.ts'
import { ShardedFrontier } from './sharded-frontier.ts'
import { shareConnection } from './shared-connections.ts'

export interface OpenRedisFrontierOptions extends RedisFrontierOptions, RedisConnectionOptions {
  /** @default that of the crawl; when it is new, 'hosts' */
  readonly order?: FrontierOrder
  /** Continue although Redis may evict parts of the crawl when its memory is full. @default false */
  readonly allowEviction?: boolean
  /** A steady one. */
  readonly clock?: Clock
}

export interface OpenedRedisFrontier {
  readonly frontier: FleetFrontier
  /** The time of the fleet; everything that sends requests to hosts must use it. */
  readonly clock: Clock
  /** What robots.txt said, to all workers of the crawl. */
  readonly robots: RobotsStore
  /** For what else is to be done on this Redis; it ends with `close`. */
  readonly connection: RedisConnection
  /**
   * Requeues unsettled requests, and closes the connection if nothing else uses it; if Redis is unreachable, after five seconds at the latest.
   * @param lastly done in between, as no worker any more
   */
  close(lastly?: () => Promise<void>): Promise<void>
}

/**
 * Joins the crawl of that name.
 * @param address as `parseRedisAddress` reads it
 * @throws RedisUnreachable, ConfigurationError
 */
export async function openRedisFrontier(
  address: string,
  crawl: string,
  options: OpenRedisFrontierOptions = {},
): Promise<OpenedRedisFrontier> {
  let clock: RedisClock | undefined
  const connection = await shareConnection(address, {
    ...options,
    onBack() {
      // It may be another Redis by now.
      clock?.resync()
      options.onBack?.()
    },
  })
  try {
    const shards = await crawlShards(connection, crawl, options)
    const home = jobKeys(crawl, connection.isCluster, options)
    await checkServers(connection, shards, options)
    const time = new RedisClock(options.clock ?? steadyClock, connection, home, options.wallClock)
    clock = time
    await time.start()
    const order = options.order ?? (await crawlRules(connection, home))?.order
    const frontierOptions = {
      ...options,
      ...(order && { order }),
      onLost() {
        time.resync()
        options.onLost?.()
      },
    }
    const frontier =
      shards.length === 1
        ? new RedisFrontier(connection, time, crawl, frontierOptions)
        : new ShardedFrontier(connection, time, crawl, shards.length, frontierOptions)
    return {
      frontier,
      clock: time,
      robots: new RedisRobotsStore(connection, shards, time),
      connection,
      async close(lastly = () => Promise.resolve()) {
        time.stop()
        // When Redis is away, the connection is closed over it and the lease ends by itself.
        const cancel = time.after(LEAVE_MS, () => connection.close())
        await frontier
          .close()
          .then(lastly)
          .catch(() => {})
        cancel()
        connection.close()
      },
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** @throws ConfigurationError when one of the nodes may throw parts of the crawl away, or their clocks differ too much */
async function checkServers(
  connection: RedisConnection,
  shards: readonly JobKeys[],
  { allowEviction = false, leaseMs = 30_000 }: OpenRedisFrontierOptions,
): Promise<void> {
  const sentAt = steadyClock.now()
  const facts = await Promise.all(shards.map((keys) => serverFacts(connection, keys)))
  if (!allowEviction) for (const { maxmemoryPolicy } of facts) checkEviction(maxmemoryPolicy)
  const times = facts.map(({ now }) => now)
  checkClocks(times, steadyClock.now() - sentAt, leaseMs)
}

const LEAVE_MS = 5_000
