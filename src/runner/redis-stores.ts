import type { Settings } from '../config/config-schema.ts'
import { openRedisFrontier } from '../redis/open-redis-frontier.ts'
import { shareConnection } from '../redis/shared-connections.ts'
import { StartMessages } from '../redis/start-messages.ts'
import { RequestOutput } from '../spider/output.ts'
import type { AnySpider } from '../spider/spider-definition.ts'
import type { SpiderStats } from '../spider/spider-stats.ts'
import { queueKey } from '../url/queue-key.ts'
import type { SpiderStores } from './spider-stores.ts'

/** Stores that any number of processes share, and how to leave them. */
export interface RedisStores extends SpiderStores {
  close(): Promise<void>
}

/**
 * The stores of a crawl in Redis. Its name is the spider's: whoever runs the same spider on the same Redis works on the same crawl.
 * How hosts stand is in Redis with them. Cookies are each process's own, and end with it.
 * @throws RedisUnreachable, ConfigurationError
 */
export async function redisStores(
  address: string,
  spider: AnySpider,
  settings: Settings,
  onMessage: (message: string) => void,
): Promise<RedisStores> {
  let stats: (() => SpiderStats) | undefined
  const { frontier, clock, close } = await openRedisFrontier(address, spider.name, {
    keyOf: (url) => queueKey(url, settings.politeness.queueMode),
    restMs: settings.politeness.delaySeconds * 1000,
    ...(spider.order !== undefined && { order: spider.order }),
    status: () => (stats === undefined ? {} : statusOf(stats())),
    onOutage: (outage) => onMessage(outage.message),
  })
  const connection = await shareConnection(address)
  const messages = new StartMessages(connection, clock, spider.name)
  return {
    clock,
    frontier,
    startSource: {
      async take() {
        const { requests, acknowledge } = await messages.take(START_BATCH)
        return {
          requests: requests.map(({ href, options }) => new RequestOutput(href, options)),
          acknowledge,
        }
      },
      count: () => messages.count(),
    },
    fleet: frontier,
    reportOf(ask) {
      stats = ask
    },
    items: frontier.items,
    hosts: { load: async () => undefined, save: async () => {} },
    cookies: { load: async () => [], save: async () => {} },
    feeds: undefined,
    starts: [],
    hostPages: [],
    async close() {
      connection.close()
      await close()
    },
  }
}

/** Start messages taken at once. */
const START_BATCH = 100

function statusOf({ pages, items, requests, durationMs }: SpiderStats) {
  return {
    pages,
    items,
    requests,
    pagesPerSecond: Math.round((pages * 10_000) / Math.max(1, durationMs)) / 10,
  }
}
