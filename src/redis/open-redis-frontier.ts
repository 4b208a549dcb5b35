import { type Clock, steadyClock } from '../base/clock.ts'
import type { RedisConnectionOptions } from './connection.ts'
import { jobKeys } from './keys.ts'
import { RedisClock } from './redis-clock.ts'
import { RedisFrontier, type RedisFrontierOptions } from './redis-frontier.ts'
import { checkEviction } from './server-facts.ts'
import { shareConnection } from './shared-connections.ts'

export interface OpenRedisFrontierOptions extends RedisFrontierOptions, RedisConnectionOptions {
  /** Go on although Redis may throw away parts of the crawl when its memory is full. @default false */
  readonly allowEviction?: boolean
  /** A steady one. */
  readonly clock?: Clock
}

export interface OpenedRedisFrontier {
  readonly frontier: RedisFrontier
  /** The time of the fleet, by which everything that asks hosts must go. */
  readonly clock: Clock
  /** Gives back what is not settled, and closes the connection when nobody else uses it. */
  close(): Promise<void>
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
  const connection = await shareConnection(address, options)
  try {
    const keys = jobKeys(crawl, connection.isCluster, options)
    if (options.allowEviction !== true) await checkEviction(connection, keys)
    const clock = new RedisClock(options.clock ?? steadyClock, connection, keys)
    await clock.start()
    const frontier = new RedisFrontier(connection, clock, crawl, options)
    return {
      frontier,
      clock,
      async close() {
        clock.stop()
        // When Redis is away, the connection is closed over it and the lease ends by itself.
        const cancel = clock.after(LEAVE_MS, () => connection.close())
        await frontier.close().catch(() => {})
        cancel()
        connection.close()
      },
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

const LEAVE_MS = 5_000
