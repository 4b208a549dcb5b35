import { type Command, InvalidArgumentError, Option } from 'commander'
import { CrawlDirectoryMissing } from '../adapters/crawl-directory/crawl-directory-error.ts'
import { isLikeRedisAddress } from '../adapters/redis/redis-address.ts'
import type { RedisConnection } from '../adapters/redis/redis-connection.ts'
import { MAX_SHARDS } from '../adapters/redis/shards.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { redisKeys } from '../wiring/redis-access.ts'
import type { RedisCrawl, RedisSettings } from '../wiring/redis-session.ts'
import { openRunLog } from '../wiring/run-log.ts'
import { OptionalValueOption } from './arrange-arguments.ts'
import { noCrawlText } from './fleet-report.ts'
import type { Terminal } from './terminal.ts'
import { addConfigOption } from './web-flags.ts'

/** Flags of commands that use Redis. */
export interface RedisFlags {
  /** An address; `true` or absent: the one of the settings. */
  readonly redis?: string | true
  readonly config?: string
}

const REDIS_URL_TEXT =
  'redis://host:6379/0, also rediss:, redis+cluster:, redis+sentinel: (default: ORBWEAVER_REDIS_URL, or redis.url in the configuration)'

/** `--redis`, the same for every command. @param use the effect of the flag, if it does more than select the Redis */
export function redisOption(use?: string): Option {
  const text = `${use ?? 'URL of Redis'}: ${REDIS_URL_TEXT}`
  return new OptionalValueOption('--redis [url]', text, isLikeRedisAddress)
}

/** `--shards`, for commands that may create a crawl in Redis. */
export function shardsOption(): Option {
  return new Option(
    '--shards <n>',
    'With --redis: number of shards of a new crawl, for a Redis Cluster (default: redis.shards in the configuration, or 1)',
  ).argParser(shardCount)
}

function shardCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > MAX_SHARDS)
    throw new InvalidArgumentError(`Give a whole number from 1 to ${MAX_SHARDS}.`)
  return count
}

/** For commands whose crawls are always in Redis: the flag is needed only if the settings have no address. */
export function addRedisOptions(command: Command): Command {
  return addConfigOption(command.addOption(redisOption()))
}

/** Help of the argument of commands for a crawl in Redis. */
export const CRAWL_ARGUMENT = 'Name of the crawl: the name of its spider, or --job of orbweaver run'

type RedisTerminal = Pick<Terminal, 'err' | 'interrupted'>

/** Calls `work` with a connection and closes it. @throws RedisUnreachable, ConfigurationError, Interrupted */
export async function withRedis<T>(
  flags: RedisFlags,
  terminal: RedisTerminal,
  work: (connection: RedisConnection, settings: RedisSettings) => Promise<T>,
): Promise<T> {
  const { useRedis } = await import('../wiring/redis-session.ts')
  return useRedis({ ...flags, ...sessionEvents(terminal) }, work)
}

/** Calls `work` with a crawl in Redis and closes the connection. @throws RedisUnreachable, ConfigurationError, Interrupted */
export async function withRedisCrawl<T>(
  flags: RedisFlags,
  crawl: string,
  terminal: RedisTerminal,
  work: (crawl: RedisCrawl) => Promise<T>,
): Promise<T> {
  const { useRedisCrawl } = await import('../wiring/redis-session.ts')
  return useRedisCrawl({ ...flags, ...sessionEvents(terminal) }, crawl, work)
}

/** The messages of connections to Redis and to object stores go to the terminal. */
export function sessionEvents(terminal: RedisTerminal) {
  const log = openRunLog({}, { onMessage: (message) => terminal.err(`${message}\n`) })
  return { signal: terminal.interrupted, log }
}

/** For a command that found nothing: prints a note if there is no crawl of this name, which may be mistyped. */
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

/** For commands that use Redis only with `--redis`: adds a hint to the error if the directory is missing and a Redis is configured. */
export async function suggestingRedis<T>(flags: RedisFlags, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CrawlDirectoryMissing)) throw error
    const { settingsHere } = await import('../wiring/redis-session.ts')
    const { redis } = await settingsHere(flags)
    if (redis.url === undefined) throw error
    throw new ConfigurationError(
      'OPTION_INVALID',
      `${error.message}. For the crawl of that name in Redis, add --redis`,
      { cause: error },
    )
  }
}
