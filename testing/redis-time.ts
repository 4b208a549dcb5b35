import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts'
import { type Script, script } from '../src/adapters/redis/redis-scripts.ts'

/**
 * A Redis whose clock a test turns by hand: its scripts read the time from `now` (ms since the epoch) where they would call `TIME`. The scripts themselves know nothing
 * of it, so that no worker can tell Redis what time it is.
 */
export function withTimeOf(connection: RedisConnection, now: () => number): RedisConnection {
  return {
    isCluster: connection.isCluster,
    run(original, keys, args) {
      const ms = Math.floor(now())
      const time = [String((ms % 1000) * 1000), String(Math.floor(ms / 1000))]
      return connection.run(timed(original), keys, [...args, ...time])
    },
    close: () => connection.close(),
  }
}

const timedScripts = new Map<string, Script>()

/** It takes the time from its last two arguments, and removes them. */
function timed({ name, source, sha }: Script): Script {
  const known = timedScripts.get(sha)
  if (known !== undefined) return known
  const time = '{table.remove(ARGV), table.remove(ARGV)}'
  const made = script(
    name,
    source.includes(TIME) ? source.replace(TIME, time) : `local _ = ${time}\n${source}`,
  )
  timedScripts.set(sha, made)
  return made
}

const TIME = "redis.call('TIME')"
