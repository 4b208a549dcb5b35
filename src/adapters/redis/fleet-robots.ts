import type { RobotsRecord } from '../../domain/robots/robots-record.ts'
import type { JobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { readRobots, robotsBase } from './redis-robots-store.ts'
import { SCRIPTS } from './redis-scripts.ts'

/** The robots.txt of a host as the workers of a crawl share it: of HTTPS, else of HTTP. `undefined`: none is stored. @param now ms since the epoch */
export async function fleetRobots(
  connection: RedisConnection,
  shards: readonly JobKeys[],
  host: string,
  now: number,
): Promise<RobotsRecord | undefined> {
  for (const origin of [`https://${host}`, `http://${host}`]) {
    const json = await connection.run(SCRIPTS.readRobots, [robotsBase(shards, origin)], [origin])
    const record = readRobots(origin, String(json), now)
    if (record !== undefined) return record
  }
  return undefined
}
