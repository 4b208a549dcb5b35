import type { JobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'

/** More are not looked up: the arguments of a script are limited, and intranets have few names. */
const MAX_HOSTS = 1_000

/**
 * Those of `hosts` that had a private address when the first worker of the crawl named them. So a name that changes its address later is the
 * same for all workers, those that start later too.
 * @param lookUp the names among its argument that have a private address now
 */
export async function rememberNamedHosts(
  connection: RedisConnection,
  { base }: JobKeys,
  hosts: readonly string[],
  lookUp: (hosts: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const named = hosts.slice(0, MAX_HOSTS)
  if (named.length === 0) return []
  const read = async () => (await connection.run(SCRIPTS.readNamedHosts, [base], named)) as readonly unknown[]
  const known = await read()
  const unknown = named.filter((_, i) => String(known[i]) === '')
  if (unknown.length > 0) {
    const found = new Set(await lookUp(unknown))
    const pairs = unknown.flatMap((host) => [host, found.has(host) ? '1' : '0'])
    await connection.run(SCRIPTS.keepNamedHosts, [base], pairs)
  }
  const settled = await read()
  return named.filter((_, i) => String(settled[i]) === '1')
}
