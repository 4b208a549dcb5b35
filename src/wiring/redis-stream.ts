import type { Settings } from '../adapters/config/config-schema.ts'
import { outageNotices } from '../adapters/redis/outage.ts'
import { parseRedisAddress } from '../adapters/redis/redis-address.ts'
import { connectRedis, RedisUnreachable } from '../adapters/redis/redis-connection.ts'
import { RedisStreamWriter } from '../adapters/redis/redis-stream-writer.ts'
import type { StreamTarget } from '../adapters/redis/stream-target.ts'
import { steadyClock } from '../base/clock.ts'
import type { EventLog } from '../base/event-log.ts'
import { IndexUnavailable, type IndexWriter } from '../domain/indexing/index-writer.ts'
import { redisAccess } from './redis-access.ts'

/**
 * Opens a stream of Redis for documents. User, password and certificates are those of the section `redis`, unless the address has its own.
 * @throws IndexUnavailable, ConfigurationError
 */
export async function openRedisStream(
  { name, address: written, ...options }: StreamTarget,
  redis: Settings['redis'],
  log: EventLog,
  signal: AbortSignal,
): Promise<IndexWriter> {
  const { address, ...access } = redisAccess(redis, written)
  const notices = outageNotices(steadyClock, log)
  try {
    const connection = await connectRedis(parseRedisAddress(address), { ...access, ...notices })
    return new RedisStreamWriter(connection, { name, ...options, clock: steadyClock, signal })
  } catch (error) {
    if (error instanceof RedisUnreachable) throw new IndexUnavailable(error.message, { cause: error })
    throw error
  }
}
