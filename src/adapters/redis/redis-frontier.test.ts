import { afterAll, beforeAll, describe } from 'vitest'
import { frontierContract } from '../../../testing/frontier-contract.ts'
import type { OpenFrontier } from '../../../testing/frontier-plan.ts'
import { startRedis, startRedisCluster } from '../../../testing/redis-server.ts'
import { withTimeOf } from '../../../testing/redis-time.ts'
import { repeatCalls } from '../../../testing/repeat-calls.ts'
import type { Clock } from '../../base/clock.ts'
import type { FrontierOptions } from '../../domain/frontier/frontier.ts'
import { parseRedisAddress } from './redis-address.ts'
import { connectRedis, type RedisConnection } from './redis-connection.ts'
import { RedisFrontier } from './redis-frontier.ts'
import { ShardedFrontier } from './sharded-frontier.ts'

describe.each([
  ['RedisFrontier', startRedis, asItIs, 300, {}, 1],
  ['RedisFrontier whose every call is repeated', startRedis, repeatCalls, 100, {}, 1],
  ['RedisFrontier in a cluster', startRedisCluster, asItIs, 30, {}, 1],
  ['RedisFrontier that forgets', startRedis, repeatCalls, 30, { seenSeconds: 3600 }, 1],
  ["RedisFrontier with Scrapy's dupefilter", startRedis, repeatCalls, 30, { dupefilter: 'scrapy-c' }, 1],
  [
    "RedisFrontier with Scrapy's dupefilter in a cluster",
    startRedisCluster,
    asItIs,
    10,
    { dupefilter: 'scrapy-b' },
    1,
  ],
  ['ShardedFrontier in a cluster', startRedisCluster, asItIs, 60, {}, 8],
  ['ShardedFrontier whose every call is repeated', startRedisCluster, repeatCalls, 30, {}, 8],
  ['ShardedFrontier that forgets', startRedisCluster, asItIs, 10, { seenSeconds: 3600 }, 2],
] as const)('%s', (name, start, through, runs, seen, shards) => {
  let server: Awaited<ReturnType<typeof start>>
  let connection: RedisConnection
  let time: Clock
  let crawls = 0

  beforeAll(async () => {
    server = await start()
    const timed = withTimeOf(await connectRedis(parseRedisAddress(server.address)), () => time.now())
    connection = through(timed)
  })
  afterAll(async () => {
    connection?.close()
    await server?.stop()
  })

  frontierContract(name, async (clock, options) => open(clock, `contract-${++crawls}`, options), {
    ...{ runs, persists: true, sharded: shards > 1 },
  })

  function open(clock: Clock, crawl: string, options: FrontierOptions): OpenFrontier {
    time = clock
    const frontier =
      shards === 1
        ? new RedisFrontier(connection, clock, crawl, { ...options, seen })
        : new ShardedFrontier(connection, clock, crawl, shards, { ...options, seen })
    return {
      frontier,
      items: frontier.items,
      deadLetters: frontier.deadLetters,
      reopen: async () => {
        await frontier.close()
        return open(clock, crawl, options)
      },
      close: () => frontier.close(),
    }
  }
})

function asItIs(connection: RedisConnection): RedisConnection {
  return connection
}
