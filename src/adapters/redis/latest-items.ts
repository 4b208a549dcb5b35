import type { LoggedItem, LoggedRejection } from '../../domain/frontier/item-log.ts'
import { guestOf } from './job.ts'
import type { JobKeys } from './keys.ts'
import { readCounts } from './read-status.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisItemLog } from './redis-item-log.ts'
import { SCRIPTS } from './redis-scripts.ts'

export interface LatestItems {
  /** The newest of each shard first: shards do not store times. */
  readonly latest: readonly LoggedItem[]
  readonly rejected: readonly LoggedRejection[]
}

/** Read-only; the cost does not grow with the number of items. @param limit for both lists */
export async function latestItems(
  connection: RedisConnection,
  shards: readonly JobKeys[],
  limit: number,
): Promise<LatestItems> {
  const each = Math.ceil(limit / shards.length)
  const read = await Promise.all(
    shards.map(async (keys) => {
      const job = guestOf(connection, keys)
      const log = new RedisItemLog(job)
      const { counts } = readCounts(await job.run(SCRIPTS.counts, {}, []))
      return Promise.all([
        log.items(Math.max(0, counts.items - each), each),
        // From the end of the list.
        log.rejected(-each, each),
      ])
    }),
  )
  return {
    latest: read.flatMap(([items]) => items.toReversed()).slice(0, limit),
    rejected: read.flatMap(([, rejected]) => rejected.toReversed()).slice(0, limit),
  }
}
