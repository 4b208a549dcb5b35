import type { Settings } from '../adapters/config/config-schema.ts'
import { hostDelayMs } from '../adapters/config/host-queues-options.ts'
import type { FleetFrontier } from '../adapters/redis/fleet-frontier.ts'
import { type Clock, steadyClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { type EventCode, logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import type { JsonObject } from '../base/json.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { FleetState } from '../domain/frontier/fleet.ts'
import type { RobotsStore } from '../domain/robots/robots-record.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import type { FetchRunOptions } from './fetch-session.ts'
import { redisAccess, redisArgument } from './redis-access.ts'

/** The connection of one worker to the fleet of a crawl directory. */
export interface FleetSession {
  readonly frontier: FleetFrontier
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
  log: EventLog,
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
    ...outageNotices(steadyClock, log),
    ...withoutUndefined({ shards: redis.shards }),
    allowEviction: redis.allowEviction,
    keyOf: (url) => queueKey(url, politeness.queueMode),
    restMs: hostDelayMs(politeness),
    leaseMs: redis.leaseSeconds * 1000,
    seen: { seenSeconds: SEEN_SECONDS },
    status,
    onLost: () => logEvent(log, 'LEASE_LOST', LEASE_LOST_TEXT, { data: { crawl } }),
    onState: (state) =>
      logEvent(log, fleetStateCode(state), stateText(state, `${crawl}${redisArgument(named)}`)),
  })
  try {
    return await work({ frontier, clock, robotsStore })
  } finally {
    await close()
  }
}

/** The message when a worker lost its hosts. */
export const LEASE_LOST_TEXT =
  'this worker lost its hosts and requests: it did not reach Redis for longer than redis.leaseSeconds, or Redis lost its latest writes; other workers continue with them'

/** The code of the event for a new state of a fleet. */
export function fleetStateCode(state: FleetState | undefined): EventCode {
  if (state === undefined) return 'FLEET_RESUMED'
  return state === 'paused' ? 'FLEET_PAUSED' : 'FLEET_DRAINING'
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
  const { pages, errors, bytes, averagePagesPerSecond } = progress
  return { pages, errors, bytes, pagesPerSecond: Math.round(averagePagesPerSecond * 10) / 10 }
}

/** @throws ConfigurationError for an option that is only for a fetch by one process */
export function checkFleetOptions({ minPagesPerSecond }: FetchRunOptions): void {
  if (minPagesPerSecond !== undefined)
    throw new ConfigurationError(
      'OPTION_INVALID',
      '--min-pages-per-second (minPagesPerSecond) is only for a fetch by one process: in a fleet, a slow worker leaves hosts to the others',
    )
}
