import { ConfigurationError } from '../../base/crawl-error.ts'
import type { JobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'

export interface ServerFacts {
  /** The time of the crawl (ms since the epoch). */
  readonly now: number
  readonly maxmemoryPolicy: string
}

/** Of the server that holds the crawl. */
export async function serverFacts(connection: RedisConnection, { base }: JobKeys): Promise<ServerFacts> {
  const [now, maxmemoryPolicy = ''] = (await connection.run(SCRIPTS.serverFacts, [base], [])) as string[]
  return { now: Number(now), maxmemoryPolicy }
}

/** @throws ConfigurationError when the server may throw parts of the crawl away */
export async function checkEviction(connection: RedisConnection, keys: JobKeys): Promise<void> {
  const { maxmemoryPolicy } = await serverFacts(connection, keys)
  if (maxmemoryPolicy === 'noeviction' || maxmemoryPolicy === '') return
  throw new ConfigurationError(
    'REDIS_UNSUITABLE',
    `this Redis has maxmemory-policy ${maxmemoryPolicy}: when its memory is full it would evict parts of the crawl, and pages would be lost or fetched twice. ` +
      'Set it to noeviction (CONFIG SET maxmemory-policy noeviction), or allow it if you know that memory suffices',
  )
}
