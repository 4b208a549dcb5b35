import type { FailedRequest } from '../../domain/frontier/dead-letters.ts'
import { guestOf } from './job.ts'
import type { JobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { readLetter } from './redis-dead-letters.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { numberIn } from './stored-request.ts'

export interface LatestDeadLetters {
  /** Number of all dead letters. */
  readonly total: number
  /** Newest first. */
  readonly latest: readonly FailedRequest[]
}

/** Read-only; the cost does not grow with the number of dead letters. */
export async function latestDeadLetters(
  connection: RedisConnection,
  shards: readonly JobKeys[],
  limit: number,
): Promise<LatestDeadLetters> {
  const replies = await Promise.all(
    shards.map((keys) => guestOf(connection, keys).run(SCRIPTS.readLatestDead, {}, [String(limit)])),
  )
  const read = replies as [unknown, string[]][]
  const latest = read
    .flatMap(([, letters]) => letters.map(readLetter).filter((letter) => letter !== undefined))
    .sort((a, b) => b.failedAt - a.failedAt)
    .slice(0, limit)
  return { total: read.reduce((sum, [total]) => sum + numberIn(total), 0), latest }
}
