import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts'

/** A connection that makes every call twice, as if the reply to the first one had been lost. */
export function repeatCalls(connection: RedisConnection): RedisConnection {
  return {
    isCluster: connection.isCluster,
    async run(...call) {
      await connection.run(...call)
      return connection.run(...call)
    },
    close: () => connection.close(),
  }
}
