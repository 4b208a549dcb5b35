import { hostDelayMs } from '../adapters/config/host-queues-options.ts'
import { outageNotices } from '../adapters/redis/outage.ts'
import { shareConnection } from '../adapters/redis/shared-connections.ts'
import { steadyClock } from '../base/clock.ts'
import type { EventLog } from '../base/event-log.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { FleetLive } from './fleet-live.ts'
import { redisAccess, redisKeys } from './redis-access.ts'
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

/** Starts the server for crawls in Redis. A crawl that does not exist yet is shown when it starts. @throws ConfigurationError, RedisUnreachable */
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
    const entries = [...new Set(crawls)].map((crawl) => {
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

const CONNECT_MS = 3_000
