import type { Command, Option } from 'commander'
import type { Settings } from '../adapters/config/config-schema.ts'
import { loadSettings } from '../adapters/config/load-settings.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import { CrawlDirectoryMissing } from '../adapters/crawl-directory/crawl-directory-error.ts'
import type { OpenedRedisFrontier } from '../adapters/redis/open-redis-frontier.ts'
import { isLikeRedisAddress } from '../adapters/redis/redis-address.ts'
import type { RedisConnection, RedisConnectionOptions } from '../adapters/redis/redis-connection.ts'
import { type Clock, steadyClock } from '../base/clock.ts'
import { ConfigurationError, CrawlError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import { redisAccess, redisKeys } from '../wiring/redis-access.ts'
import { OptionalValueOption } from './arrange-arguments.ts'
import { noCrawlText } from './fleet-report.ts'
import { Interrupted } from './interrupted.ts'
import type { Terminal } from './terminal.ts'
import { addConfigOption } from './web-flags.ts'

/** The flags by which a command finds its Redis. */
export interface RedisFlags {
  /** An address; `true` or absent: that of the settings. */
  readonly redis?: string | true
  readonly config?: string
}

const REDIS_URL_TEXT =
  'redis://host:6379/0, also rediss:, redis+cluster:, redis+sentinel: (default: ORBWEAVER_REDIS_URL, or redis.url in the configuration)'

/** `--redis`. Without a URL, the settings have it. @param use what the option does, if it does more than name the Redis */
export function redisOption(use?: string): Option {
  const text = `${use ?? 'URL of Redis'}: ${REDIS_URL_TEXT}`
  return new OptionalValueOption('--redis [url]', text, isLikeRedisAddress)
}

/** For commands whose crawls are always in Redis. The option is not needed if the settings have the URL. */
export function addRedisOptions(command: Command): Command {
  return addConfigOption(command.addOption(redisOption()))
}

/** Help of the argument of commands for a crawl in Redis. */
export const CRAWL_ARGUMENT = 'Name of the crawl: the name of its spider, or --job of orbweaver run'

type RedisSettings = Settings['redis']
type RedisTerminal = Pick<Terminal, 'err' | 'interrupted'>

/**
 * Hands the connection to `work`, and closes it. While Redis is away the user is told, once, and may end it with Ctrl-C.
 * @throws RedisUnreachable, ConfigurationError, Interrupted
 */
export async function withRedis<T>(
  flags: RedisFlags,
  terminal: RedisTerminal,
  work: (connection: RedisConnection, settings: RedisSettings) => Promise<T>,
): Promise<T> {
  const { redis: settings } = await settingsHere(flags)
  const { address, ...access } = redisAccess(settings, flags.redis)
  const { shareConnection } = await import('../adapters/redis/shared-connections.ts')
  const options = { ...access, ...(await sessionOptions(terminal)) }
  const connection = await shareConnection(address, options)
  try {
    return await endedByUser(connection, terminal, () => work(connection, settings))
  } finally {
    connection.close()
  }
}

/** A crawl in Redis, for commands that do not work on it. */
export interface RedisCrawl
  extends Pick<OpenedRedisFrontier['frontier'], 'items' | 'deadLetters' | 'control'> {
  readonly clock: Clock
  readonly connection: RedisConnection
  readonly settings: RedisSettings
}

/** The same for what a crawl holds. @param crawl its name */
export async function withRedisCrawl<T>(
  flags: RedisFlags,
  crawl: string,
  terminal: RedisTerminal,
  work: (crawl: RedisCrawl) => Promise<T>,
): Promise<T> {
  const { redis: settings, politeness } = await settingsHere(flags)
  const { address, ...access } = redisAccess(settings, flags.redis)
  const { openRedisFrontier } = await import('../adapters/redis/open-redis-frontier.ts')
  const { frontier, clock, connection, close } = await openRedisFrontier(address, crawl, {
    ...access,
    ...redisKeys(settings, crawl),
    ...(await sessionOptions(terminal)),
    keyOf: (url) => queueKey(url, politeness.queueMode),
    // Who only looks changes nothing for the worse.
    allowEviction: true,
  })
  const { items, deadLetters, control } = frontier
  try {
    return await endedByUser(connection, terminal, () =>
      work({ items, deadLetters, control, clock, connection, settings }),
    )
  } finally {
    await close()
  }
}

/** For whoever found nothing: says so when there is no such crawl, as its name may be mistyped. */
export async function noteMissingCrawl(
  flags: RedisFlags,
  crawl: string,
  terminal: RedisTerminal,
): Promise<void> {
  const { inspectCrawl } = await import('../adapters/redis/inspect-crawl.ts')
  const view = await withRedis(flags, terminal, (connection, settings) =>
    inspectCrawl(connection, crawl, redisKeys(settings, crawl)),
  )
  if (view === undefined) terminal.err(`note: ${noCrawlText(crawl)}`)
}

/** For commands that need `--redis` to look into Redis: who forgot it, though a Redis is configured, is reminded. */
export async function remindedOfRedis<T>(flags: RedisFlags, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CrawlDirectoryMissing)) throw error
    const { redis } = await settingsHere(flags)
    if (redis.url === undefined) throw error
    throw new ConfigurationError(
      'OPTION_INVALID',
      `${error.message}. For the crawl of that name in Redis, add --redis`,
      {
        cause: error,
      },
    )
  }
}

/** The settings of a command whose crawl is in no directory. */
export async function settingsHere({ config }: RedisFlags): Promise<Settings> {
  const source = settingsSource({
    ...withoutUndefined({ named: config }),
    currentDirectory: process.cwd(),
    env: process.env,
    flags: {},
  })
  return loadSettings(source)
}

async function sessionOptions(terminal: RedisTerminal): Promise<RedisConnectionOptions> {
  // Late, as all of `redis/` here: most crawls are in a directory, and the client takes a while to load.
  const { outageNotices } = await import('../adapters/redis/outage-notices.ts')
  const notices = outageNotices(steadyClock, (message) => terminal.err(`${message}\n`))
  return { connectTimeoutMs: CONNECT_MS, ...notices }
}

const CONNECT_MS = 3_000

/** Ctrl-C closes the connection, also over a call that waits for Redis. @throws Interrupted */
async function endedByUser<T>(
  connection: RedisConnection,
  { interrupted }: RedisTerminal,
  work: () => Promise<T>,
): Promise<T> {
  const close = () => connection.close()
  interrupted.addEventListener('abort', close)
  if (interrupted.aborted) close()
  try {
    return await work()
  } catch (error) {
    if (interrupted.aborted && error instanceof CrawlError && error.code === 'REDIS_CLOSED')
      throw new Interrupted('interrupted', { cause: error })
    throw error
  } finally {
    interrupted.removeEventListener('abort', close)
  }
}
