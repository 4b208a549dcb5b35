import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { jobKeys } from '../../src/adapters/redis/keys.ts'
import { parseRedisAddress } from '../../src/adapters/redis/redis-address.ts'
import { connectRedis } from '../../src/adapters/redis/redis-connection.ts'
import { brokenInvariants } from '../../testing/redis-invariants.ts'
import type { RedisServer } from '../../testing/redis-server.ts'
import type { SyntheticWeb } from '../../testing/synthetic-web.ts'

export interface WorkerSettings {
  /** A worker leases four hosts at a time per thread. @default that of the program */
  readonly threads?: number
  /** @default 30 */
  readonly leaseSeconds?: number
}

/** The arguments of `orbweaver` for a worker on the crawl `web` of a synthetic web. */
export function runArguments(
  folder: string,
  web: SyntheticWeb,
  redis: RedisServer,
  { threads, leaseSeconds = 30 }: WorkerSettings = {},
): readonly string[] {
  const spider = join(folder, 'web.ts')
  const source = pathToFileURL(join(import.meta.dirname, '../spider/web-spider.ts')).href
  writeFileSync(
    spider,
    `import { webSpider } from '${source}'\nexport default ({ seeds }) => webSpider(seeds.split(' '))\n`,
  )
  const config = join(folder, 'config.json')
  // Error responses of the test sites must not pause their hosts.
  const politeness = { threads, maxFailures: false }
  writeFileSync(config, JSON.stringify({ politeness, redis: { leaseSeconds } }))
  const seeds = `seeds=${web.seeds.join(' ')}`
  return ['run', spider, '--config', config, '--redis', redis.address, '--arg', seeds]
}

/** The sorted page URLs of the items in Redis. */
export async function redisItems(redis: RedisServer): Promise<string[]> {
  return urlsIn(await redis.command('LRANGE', 'web:items', '0', '-1'))
}

/** The sorted page URLs of items, one per line. */
export function urlsIn(lines: string): string[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => String((JSON.parse(line) as { url: unknown }).url))
    .sort()
}

/** The broken invariants of the data in Redis. */
export async function brokenCrawl(redis: RedisServer): Promise<readonly string[]> {
  const connection = await connectRedis(parseRedisAddress(redis.address))
  try {
    return await brokenInvariants(connection, jobKeys('web', false), 'hosts')
  } finally {
    connection.close()
  }
}

/** The keys that exist only while a worker holds a host. */
export async function heldKeys(redis: RedisServer): Promise<string[]> {
  const keys = await redis.command('KEYS', 'orbweaver:{web}:*')
  return keys.split('\n').filter((key) => /:(owners|held:.*|open:.*|leased:.*)$/.test(key))
}

/** The process ids of the workers. */
export async function joinedProcesses(redis: RedisServer): Promise<ReadonlySet<number>> {
  const names = await redis.command('EVAL', NAMES, '1', 'orbweaver:{web}:worker:')
  return new Set(names.split('\n').map((name) => Number(name.slice(name.lastIndexOf(':') + 1))))
}

const NAMES = `
local names = {}
for _, key in ipairs(redis.call('KEYS', KEYS[1] .. '*')) do names[#names + 1] = redis.call('HGET', key, 'name') end
return names`
