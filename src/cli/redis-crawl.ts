import type { DeadLetters } from '../frontier/dead-letters.ts'
import type { ItemLog } from '../frontier/item-log.ts'

/** What a crawl in Redis holds, for commands that do not work on it. */
export interface RedisCrawl {
  readonly items: ItemLog
  readonly deadLetters: DeadLetters
}

/** @param crawl the name of its spider. @throws RedisUnreachable, ConfigurationError */
export async function withRedisCrawl<T>(
  address: string,
  crawl: string,
  work: (crawl: RedisCrawl) => Promise<T>,
): Promise<T> {
  // Late: most crawls are in a directory, and the client takes a while to load.
  const { openRedisFrontier } = await import('../redis/open-redis-frontier.ts')
  const { frontier, close } = await openRedisFrontier(address, crawl)
  try {
    return await work(frontier)
  } finally {
    await close()
  }
}
