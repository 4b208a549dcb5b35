import type { FrontierOrder } from '../../domain/frontier/frontier.ts'
import { type JobKeys, type JobKeysOptions, jobKeys, type ShardKeys, shardKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS, type Script } from './redis-scripts.ts'
import { readSeenText, type SeenRule } from './seen-options.ts'
import { MAX_SHARDS, wrongShards } from './shards.ts'
import { numberIn } from './stored-request.ts'

/** What is the same for every call of one process on one crawl. */
interface JobRules {
  readonly order: FrontierOrder
  /** A worker that is not heard of for so long has lost its hosts. */
  readonly leaseMs: number
  /** A request whose workers were lost so often goes to the dead letters. */
  readonly maxDeliveries: number
  /** How long the failures and the Crawl-delay of a host are kept after its delay has passed. */
  readonly keepThrottleMs: number
}

/** A crawl in Redis, as its scripts see it. */
export class Job {
  readonly keys: JobKeys
  readonly rules: JobRules
  readonly #connection: RedisConnection

  constructor(connection: RedisConnection, keys: JobKeys, rules: JobRules) {
    this.#connection = connection
    this.keys = keys
    this.rules = rules
  }

  /** @param worker who calls, and the number of the call: one that is repeated with the same number takes effect once */
  run<Arguments extends readonly string[]>(
    script: Script<Arguments>,
    worker: { readonly fence?: string; readonly call?: number },
    args: NoInfer<Arguments>,
  ): Promise<unknown> {
    const { order, leaseMs, maxDeliveries, keepThrottleMs } = this.rules
    const { fence = '', call = 0 } = worker
    const rules = [String(leaseMs), String(maxDeliveries), String(keepThrottleMs)]
    const { base, items } = this.keys
    return this.#connection.run(script, [base, items], [order, fence, String(call), ...rules, ...args])
  }
}

/** What all workers of a crawl agree on: its first one decided. */
interface CrawlRules {
  readonly order: FrontierOrder
  readonly seen: SeenRule
}

/** `undefined`: no worker has joined a crawl of that name. */
export async function crawlRules(
  connection: RedisConnection,
  keys: JobKeys,
): Promise<CrawlRules | undefined> {
  const [order, seen] = await readRules(connection, keys)
  const known = FRONTIER_ORDERS.find((one) => one === order)
  return known && { order: known, seen: readSeenText(seen, keys.base) }
}

const FRONTIER_ORDERS: readonly FrontierOrder[] = ['hosts', 'fifo', 'lifo', 'priority']

/**
 * The keys of every shard of a crawl, those of the home shard first.
 * @throws ConfigurationError if the crawl has another number of shards than `options.shards`
 */
export async function crawlShards(
  connection: RedisConnection,
  crawl: string,
  options: JobKeysOptions = {},
): Promise<ShardKeys> {
  const { isCluster } = connection
  const [, , stored] = await readRules(connection, jobKeys(crawl, isCluster, options))
  const wanted = options.shards ?? numberIn(stored)
  // Any program may have written the number.
  const of = Math.min(Math.max(1, Math.floor(stored === '' ? wanted : numberIn(stored))), MAX_SHARDS)
  if (options.shards !== undefined && options.shards !== of) throw wrongShards(options.shards, of)
  return shardKeys(crawl, isCluster, of, options)
}

async function readRules(connection: RedisConnection, keys: JobKeys): Promise<[string, string, string]> {
  const reply = (await guestOf(connection, keys).run(SCRIPTS.crawlRules, {}, [])) as string[]
  const [order = '', seen = '', shards = ''] = reply
  return [order, seen, shards]
}

/** A crawl for the scripts that need no worker. The rules of one do not matter to them. */
export function guestOf(connection: RedisConnection, keys: JobKeys): Job {
  return new Job(connection, keys, { order: 'hosts', leaseMs: 0, maxDeliveries: 0, keepThrottleMs: 0 })
}
