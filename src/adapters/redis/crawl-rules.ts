import type { FrontierOrder } from '../../domain/frontier/frontier.ts'
import { Job } from './job.ts'
import type { JobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { readSeenText, type SeenRule } from './seen-options.ts'

/** What all workers of a crawl agree on: its first one decided. */
export interface CrawlRules {
  readonly order: FrontierOrder
  readonly seen: SeenRule
}

/** `undefined`: no worker has joined a crawl of that name. */
export async function crawlRules(
  connection: RedisConnection,
  keys: JobKeys,
): Promise<CrawlRules | undefined> {
  const [order = '', seen = ''] = (await guestOf(connection, keys).run(
    SCRIPTS.crawlRules,
    {},
    [],
  )) as string[]
  if (order === '') return undefined
  return { order: order as FrontierOrder, seen: readSeenText(seen, keys.base) }
}

/** A crawl for the scripts that need no worker. The rules of one do not matter to them. */
export function guestOf(connection: RedisConnection, keys: JobKeys): Job {
  return new Job(connection, keys, { order: 'hosts', leaseMs: 0, maxDeliveries: 0, keepThrottleMs: 0 })
}
