import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { nextSecond } from '../base/clock.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { LoggedItem } from '../domain/frontier/item-log.ts'
import { redisAccess, redisKeys } from './redis-access.ts'
import { spiderSettings } from './spider-settings.ts'

/** Options of {@link takeItems}. */
export interface TakeItemsOptions {
  /** As for `runSpider`. @default that of the settings */
  readonly redis?: string
  /**
   * A stable name: after a restart, a consumer of the same name gets its unacknowledged items at once. Only one process may use it.
   * @default a new one
   */
  readonly consumer?: string
  /** Items per batch, at most 1000. @default 500 */
  readonly batch?: number
  /** Items that are not acknowledged within this time go to another consumer. @default 60 */
  readonly keepSeconds?: number
  /** Wait for more until the crawl is finished. @default false */
  readonly follow?: boolean
  /** Stops after the last delivered batch. */
  readonly signal?: AbortSignal
  /** Settings; they replace the environment and the configuration file. */
  readonly settings?: OrbweaverConfig
  /** A configuration file. @default orbweaver.config.* in the current directory */
  readonly config?: string
}

/**
 * The items of a crawl in Redis, in batches. Several consumers share the items.
 *
 * Taking the next batch acknowledges the last one, which is then removed from Redis. If the loop is left before, its items go to the next
 * consumer: each item is delivered at least once, with the same `position`.
 *
 * @example
 * ```ts
 * for await (const items of takeItems('shop', { redis: 'redis://queue.internal/0', follow: true })) await save(items)
 * ```
 * @param crawl its name: that of its spider, or the job's
 * @throws RedisUnreachable, ConfigurationError, ConsumerReplaced
 */
export async function* takeItems(
  crawl: string,
  options: TakeItemsOptions = {},
): AsyncGenerator<readonly LoggedItem[], void, void> {
  const { consumer, batch, keepSeconds = 60, follow = false, settings, config } = options
  const { signal = new AbortController().signal } = options
  const { redis } = await spiderSettings({ settings, own: undefined, dir: process.cwd(), config })
  const { address, ...access } = redisAccess(redis, options.redis)
  const keys = redisKeys(redis, crawl)
  // Late: the client takes a while to load, and most programs have no Redis.
  const { openRedisFrontier } = await import('../adapters/redis/open-redis-frontier.ts')
  const { openItemTaker } = await import('../adapters/redis/sharded-item-taker.ts')
  const { CrawlEndCheck } = await import('../adapters/redis/inspect-crawl.ts')
  const open = { ...access, ...keys, allowEviction: true }
  const { clock, connection, close } = await openRedisFrontier(address, crawl, open)
  const taker = await openItemTaker(connection, clock, crawl, {
    ...keys,
    keepMs: keepSeconds * 1000,
    ...withoutUndefined({ name: consumer, batch }),
  })
  const end = new CrawlEndCheck(connection, crawl, keys)
  try {
    await taker.join()
    while (!signal.aborted) {
      // Checked first, so that the last items are not missed.
      const isLast = !follow || (await end.isReached())
      const { items, acknowledge } = await taker.take()
      if (items.length > 0) {
        yield items
        await acknowledge()
      } else if (isLast && (!follow || (await taker.count()) === 0)) return
      else await nextSecond(clock, signal)
    }
  } finally {
    await close(() => taker.leave())
  }
}
