import type { Settings } from '../adapters/config/config-schema.ts'
import { hostDelayMs } from '../adapters/config/host-queues-options.ts'
import type { RedisFrontier } from '../adapters/redis/redis-frontier.ts'
import { type Clock, steadyClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { JsonObject } from '../base/json.ts'
import type { FleetState } from '../domain/frontier/fleet.ts'
import type { RobotsStore } from '../domain/robots/robots-record.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import type { FetchRunOptions, OnMessage } from './fetch-session.ts'
import { redisAccess, redisArgument } from './redis-access.ts'

/** The connection of one worker to the fleet of a crawl directory. */
export interface FleetSession {
  readonly frontier: RedisFrontier
  /** The time of the fleet's Redis. */
  readonly clock: Clock
  /** The robots.txt records that all workers share. */
  readonly robotsStore: RobotsStore
}

export interface FleetOptions {
  /** An address; `true`: that of the settings. */
  readonly redis: string | true
  /** The name of the crawl in Redis, by `fleetCrawl`. */
  readonly crawl: string
  readonly settings: Settings
  /** The status that this worker reports. */
  readonly status: () => JsonObject
}

/** The name of a directory's crawl in Redis. All segments share it, so that delays also apply between two segments. */
export function fleetCrawl({ id }: { readonly id: string }): string {
  return `cycle-${id}`
}

/**
 * Joins the fleet, and leaves it at the end.
 * @throws RedisUnreachable, ConfigurationError
 */
export async function withFleet<T>(
  { redis: named, crawl, settings, status }: FleetOptions,
  onMessage: OnMessage,
  work: (fleet: FleetSession) => Promise<T>,
): Promise<T> {
  const { redis, politeness } = settings
  const { address, ...access } = redisAccess(redis, named)
  // Loaded late: most crawls are fetched by one process, and the client is slow to load.
  const { openRedisFrontier } = await import('../adapters/redis/open-redis-frontier.ts')
  const { outageNotices } = await import('../adapters/redis/outage.ts')
  const {
    frontier,
    clock,
    robots: robotsStore,
    close,
  } = await openRedisFrontier(address, crawl, {
    ...access,
    ...outageNotices(steadyClock, onMessage),
    allowEviction: redis.allowEviction,
    keyOf: (url) => queueKey(url, politeness.queueMode),
    restMs: hostDelayMs(politeness),
    leaseMs: redis.leaseSeconds * 1000,
    seen: { seenSeconds: SEEN_SECONDS },
    status,
    onState: (state) => onMessage(stateText(state, `${crawl}${redisArgument(named)}`)),
  })
  try {
    return await work({ frontier, clock, robotsStore })
  } finally {
    await close()
  }
}

/** @param resumed the arguments of `orbweaver resume` */
function stateText(state: FleetState | undefined, resumed: string): string {
  if (state === undefined) return 'the fleet is resumed'
  return `the fleet is ${state === 'paused' ? 'paused' : 'draining'}: no URL is fetched until orbweaver resume ${resumed}`
}

/** Longer than any segment takes to fetch. The segments themselves record the fetched URLs. */
const SEEN_SECONDS = 30 * 86_400

/** The status of a worker, for `orbweaver status`. */
export function fetchStatus(progress: FetchProgress | undefined): JsonObject {
  if (progress === undefined) return {}
  const { pages, averagePagesPerSecond } = progress
  return { pages, pagesPerSecond: Math.round(averagePagesPerSecond * 10) / 10 }
}

/** @throws ConfigurationError for an option that is only for a fetch by one process */
export function checkFleetOptions({ minPagesPerSecond }: FetchRunOptions): void {
  if (minPagesPerSecond !== undefined)
    throw new ConfigurationError(
      'OPTION_INVALID',
      '--min-pages-per-second (minPagesPerSecond) is only for a fetch by one process: in a fleet, a slow worker leaves hosts to the others',
    )
}
