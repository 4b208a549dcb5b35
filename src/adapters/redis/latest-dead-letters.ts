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
  keys: JobKeys,
  limit: number,
): Promise<LatestDeadLetters> {
  const reply = await guestOf(connection, keys).run(SCRIPTS.readLatestDead, {}, [String(limit)])
  const [total, letters] = reply as [unknown, string[]]
  return {
    total: numberIn(total),
    latest: letters.map(readLetter).filter((letter) => letter !== undefined),
  }
}
