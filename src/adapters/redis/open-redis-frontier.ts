import { type Clock, steadyClock } from '../../base/clock.ts'
import type { FrontierOrder } from '../../domain/frontier/frontier.ts'
import type { RobotsStore } from '../../domain/robots/robots-record.ts'
import { type JobKeys, jobKeys } from './keys.ts'
import { RedisClock } from './redis-clock.ts'
import type { RedisConnection, RedisConnectionOptions } from './redis-connection.ts'
import { RedisFrontier, type RedisFrontierOptions } from './redis-frontier.ts'
import { RedisRobotsStore } from './redis-robots-store.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { checkEviction } from './server-facts.ts'
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
  readonly frontier: RedisFrontier
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
    const keys = jobKeys(crawl, connection.isCluster, options)
    if (options.allowEviction !== true) await checkEviction(connection, keys)
    const time = new RedisClock(options.clock ?? steadyClock, connection, keys, options.wallClock)
    clock = time
    await time.start()
    const order = options.order ?? (await orderOf(connection, keys))
    const frontier = new RedisFrontier(connection, time, crawl, {
      ...options,
      ...(order && { order }),
      onLost() {
        time.resync()
        options.onLost?.()
      },
    })
    return {
      frontier,
      clock: time,
      robots: new RedisRobotsStore(connection, keys, time),
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

async function orderOf(connection: RedisConnection, { base }: JobKeys): Promise<FrontierOrder | undefined> {
  const order = await connection.run(SCRIPTS.readOrder, [base], [])
  return FRONTIER_ORDERS.find((known) => known === order)
}

const FRONTIER_ORDERS: readonly FrontierOrder[] = ['hosts', 'fifo', 'lifo', 'priority']

const LEAVE_MS = 5_000
