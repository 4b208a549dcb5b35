import type { Settings } from '../adapters/config/config-schema.ts'
import { loadSettings } from '../adapters/config/load-settings.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import type { OpenedRedisFrontier } from '../adapters/redis/open-redis-frontier.ts'
import type { RedisConnection, RedisConnectionOptions } from '../adapters/redis/redis-connection.ts'
import { type Clock, steadyClock } from '../base/clock.ts'
import { CrawlError } from '../base/crawl-error.ts'
import type { EventLog } from '../base/event-log.ts'
import { Interrupted } from '../base/interrupted.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import { redisAccess, redisKeys } from './redis-access.ts'

export type RedisSettings = Settings['redis']

export interface RedisSessionOptions {
  /** An address; `true` or absent: the one of the settings. */
  readonly redis?: string | true
  /** A configuration file. */
  readonly config?: string
  /** Closes the connection, also during a call that waits for Redis. */
  readonly signal: AbortSignal
  /** Gets an event if Redis is unreachable, and one when it is back. */
  readonly log: EventLog
}

/**
 * Calls `work` with a connection and closes it.
 * @throws RedisUnreachable, ConfigurationError, Interrupted
 */
export async function useRedis<T>(
  options: RedisSessionOptions,
  work: (connection: RedisConnection, settings: RedisSettings) => Promise<T>,
): Promise<T> {
  const { redis: settings } = await settingsHere(options)
  const { address, ...access } = redisAccess(settings, options.redis)
  const { shareConnection } = await import('../adapters/redis/shared-connections.ts')
  const connection = await shareConnection(address, { ...access, ...(await connectionOptions(options)) })
  try {
    return await interruptible(connection, options.signal, () => work(connection, settings))
  } finally {
    connection.close()
  }
}

/** A crawl in Redis, for commands that do not fetch for it. */
export interface RedisCrawl
  extends Pick<OpenedRedisFrontier['frontier'], 'items' | 'deadLetters' | 'control'> {
  readonly clock: Clock
  readonly connection: RedisConnection
  readonly settings: RedisSettings
}

/** Calls `work` with the crawl of this name and closes the connection. @throws like `useRedis` */
export async function useRedisCrawl<T>(
  options: RedisSessionOptions,
  crawl: string,
  work: (crawl: RedisCrawl) => Promise<T>,
): Promise<T> {
  const { redis: settings, politeness } = await settingsHere(options)
  const { address, ...access } = redisAccess(settings, options.redis)
  const { openRedisFrontier } = await import('../adapters/redis/open-redis-frontier.ts')
  const { frontier, clock, connection, close } = await openRedisFrontier(address, crawl, {
    ...access,
    ...redisKeys(settings, crawl),
    ...(await connectionOptions(options)),
    keyOf: (url) => queueKey(url, politeness.queueMode),
    // A reader is safe on a server that evicts keys.
    allowEviction: true,
  })
  const { items, deadLetters, control } = frontier
  try {
    return await interruptible(connection, options.signal, () =>
      work({ items, deadLetters, control, clock, connection, settings }),
    )
  } finally {
    await close()
  }
}

/** The settings of a command without a crawl directory. */
export async function settingsHere({ config }: { readonly config?: string }): Promise<Settings> {
  const source = settingsSource({
    ...withoutUndefined({ named: config }),
    currentDirectory: process.cwd(),
    env: process.env,
    flags: {},
  })
  return loadSettings(source)
}

async function connectionOptions({ log }: RedisSessionOptions): Promise<RedisConnectionOptions> {
  // Loaded late, like all of adapters/redis here: most crawls are in a directory, and the client is slow to load.
  const { outageNotices } = await import('../adapters/redis/outage.ts')
  return { connectTimeoutMs: CONNECT_MS, ...outageNotices(steadyClock, log) }
}

const CONNECT_MS = 3_000

/** Closes the connection when `signal` aborts. @throws Interrupted */
async function interruptible<T>(
  connection: RedisConnection,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const close = () => connection.close()
  signal.addEventListener('abort', close)
  if (signal.aborted) close()
  try {
    return await work()
  } catch (error) {
    if (signal.aborted && error instanceof CrawlError && error.code === 'REDIS_CLOSED')
      throw new Interrupted('interrupted', { cause: error })
    throw error
  } finally {
    signal.removeEventListener('abort', close)
  }
}

/** Aborts five seconds after `interrupted`, so that running work has time to finish. */
export function withGracePeriod(interrupted: AbortSignal): AbortSignal {
  const later = new AbortController()
  interrupted.addEventListener('abort', () => {
    setTimeout(() => later.abort(), GRACE_MS).unref()
  })
  return later.signal
}

const GRACE_MS = 5_000
