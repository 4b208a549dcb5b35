import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError } from '../base/crawl-error.ts'
import { printableLine } from '../base/format-values.ts'
import type { RedisFlags } from './redis-flags.ts'

/** Help of the argument of commands for a crawl in a directory or in Redis. */
export const CRAWL_OR_DIRECTORY = 'Crawl directory; or the name of a crawl in Redis, with --redis'

/** Whether a command means a crawl directory: there is one of this name, and no Redis is given. */
export function isCrawlDirectory(name: string, { redis }: Pick<RedisFlags, 'redis'>): boolean {
  if (redis !== undefined) return false
  return ['crawldb.duckdb', 'engine.json', 'segments', '.control'].some((file) =>
    existsSync(join(name, file)),
  )
}

/** Adds to the error of a missing Redis that there is no crawl directory of this name, either: the user may have meant one. */
export async function namingDirectory<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.code !== 'REDIS_ADDRESS_INVALID') throw error
    throw new ConfigurationError(
      error.code,
      `${error.message}. There is no crawl directory ${printableLine(name)}, either`,
      { cause: error },
    )
  }
}
