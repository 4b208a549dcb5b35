import { afterAll, beforeAll } from 'vitest'
import { parseRedisAddress } from '../src/adapters/redis/redis-address.ts'
import { connectRedis, type RedisConnection } from '../src/adapters/redis/redis-connection.ts'
import { type RedisServer, startRedis } from './redis-server.ts'

/**
 * Starts a Redis for the tests of a file or a `describe`, and stops it after them.
 * @param started is given it, with a connection to it, before the first of them
 */
export function useRedis(
  started: (redis: { readonly server: RedisServer; readonly connection: RedisConnection }) => void,
): void {
  let server: RedisServer | undefined
  let connection: RedisConnection | undefined
  beforeAll(async () => {
    server = await startRedis()
    connection = await connectRedis(parseRedisAddress(server.address))
    started({ server, connection })
  })
  afterAll(async () => {
    connection?.close()
    await server?.stop()
  })
}
