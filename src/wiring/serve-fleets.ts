import { hostDelayMs } from '../adapters/config/host-queues-options.ts'
import { listCrawls } from '../adapters/redis/inspect-crawl.ts'
import { outageNotices } from '../adapters/redis/outage.ts'
import type { SearchableConnection } from '../adapters/redis/redis-connection.ts'
import { shareConnection } from '../adapters/redis/shared-connections.ts'
import { steadyClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { EventLog } from '../base/event-log.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { FleetLive } from './fleet-live.ts'
import { redisAccess, redisArgument, redisKeys } from './redis-access.ts'
import { settingsHere, useRedisCrawl } from './redis-session.ts'
import { type CrawlServer, type ServeOptions, serveEntries } from './serve-crawls.ts'

export interface ServeFleetsOptions extends ServeOptions {
  /** An address; `true`: the one of the settings. */
  readonly redis: string | true
  /** A configuration file. */
  readonly config?: string
  /** Gets an event if Redis is unreachable, and one when it is back. */
  readonly log: EventLog
}

/**
 * Starts the server for crawls in Redis. A crawl that does not exist yet is shown when it starts.
 * @param crawls empty: all crawls in this Redis
 * @throws ConfigurationError, RedisUnreachable
 */
export async function serveFleets(
  crawls: readonly string[],
  options: ServeFleetsOptions,
): Promise<CrawlServer> {
  const { redis: named, config, log } = options
  const settings = await settingsHere(withoutUndefined({ config }))
  const { address, ...access } = redisAccess(settings.redis, named)
  const connection = await shareConnection(address, {
    ...{ ...access, connectTimeoutMs: CONNECT_MS },
    ...outageNotices(steadyClock, log),
  })
  try {
    const names = crawls.length > 0 ? [...new Set(crawls)] : await allCrawls(connection, redisArgument(named))
    const entries = names.map((crawl) => {
      const live = new FleetLive(connection, crawl, {
        keys: redisKeys(settings.redis, crawl),
        delayMs: hostDelayMs(settings.politeness),
        retryFailed: (choice) =>
          useRedisCrawl(
            {
              ...{ redis: named, signal: new AbortController().signal, log },
              ...withoutUndefined({ config }),
            },
            crawl,
            ({ deadLetters }) => deadLetters.retryFailed(choice),
          ),
      })
      return { id: crawl, name: crawl, live: { find: () => live.find() } }
    })
    const server = await serveEntries(entries, options)
    const close = async () => {
      await server.close()
      connection.close()
    }
    return { ...server, sources: [], close }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** @throws ConfigurationError if there are none */
async function allCrawls(connection: SearchableConnection, redis: string): Promise<string[]> {
  const names = await listCrawls(connection)
  if (names.length > 0) return names
  throw new ConfigurationError(
    'OPTION_INVALID',
    `there are no crawls in this Redis yet. Name one to show it when it starts: orbweaver serve${redis || ' --redis'} <crawl>`,
  )
}

const CONNECT_MS = 3_000
