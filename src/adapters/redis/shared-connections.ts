import { parseRedisAddress } from './redis-address.ts'
import { connectRedis, type RedisConnectionOptions, type SearchableConnection } from './redis-connection.ts'

const shared = new Map<string, Shared>()

interface Shared {
  readonly opening: Promise<SearchableConnection>
  users: number
}

/**
 * The one connection of this process to that Redis, opened for the first caller and closed with the last. It is enough: Redis does one thing at a time, and
 * calls do not wait for one another on the way to it.
 * @throws RedisUnreachable, ConfigurationError
 */
export async function shareConnection(
  address: string,
  options: RedisConnectionOptions = {},
): Promise<SearchableConnection> {
  const { credentials, tls } = options
  const key = JSON.stringify([address, credentials, tls])
  const entry = shared.get(key) ?? {
    opening: connectRedis(parseRedisAddress(address), options),
    users: 0,
  }
  shared.set(key, entry)
  entry.users++
  const leave = () => {
    if (--entry.users > 0) return false
    if (shared.get(key) === entry) shared.delete(key)
    return true
  }
  let connection: SearchableConnection
  try {
    connection = await entry.opening
  } catch (error) {
    leave()
    throw error
  }
  let isOpen = true
  return {
    isCluster: connection.isCluster,
    run: (script, keys, args) => connection.run(script, keys, args),
    keysLike: (pattern) => connection.keysLike(pattern),
    close() {
      if (isOpen && leave()) connection.close()
      isOpen = false
    },
  }
}
