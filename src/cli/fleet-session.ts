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
import { redisAccess, redisArgument } from '../wiring/redis-access.ts'
import type { FetchFlags } from './fetch-flags.ts'
import type { Terminal } from './terminal.ts'

/** A process of the fleet that fetches for a crawl directory. */
export interface FleetSession {
  readonly frontier: RedisFrontier
  /** The time of the fleet. */
  readonly clock: Clock
  /** What robots.txt said, to all of them. */
  readonly robotsStore: RobotsStore
}

export interface FleetRequest {
  /** An address; `true`: that of the settings. */
  readonly redis: string | true
  /** Of the directory: `fleetCrawl`. */
  readonly crawl: string
  readonly settings: Settings
  /** What this process says about itself. */
  readonly status: () => JsonObject
}

/** The name of a directory's crawl in Redis. It is that of all its segments, so that hosts rest from one to the next, too. */
export function fleetCrawl({ id }: { readonly id: string }): string {
  return `cycle-${id}`
}

/**
 * Joins the fleet, and leaves it at the end.
 * @throws RedisUnreachable, ConfigurationError
 */
export async function withFleet<T>(
  { redis: named, crawl, settings, status }: FleetRequest,
  terminal: Pick<Terminal, 'err'>,
  work: (fleet: FleetSession) => Promise<T>,
): Promise<T> {
  const { redis, politeness } = settings
  const { address, ...access } = redisAccess(redis, named)
  // Late: most crawls are fetched by one process, and the client takes a while to load.
  const { openRedisFrontier } = await import('../adapters/redis/open-redis-frontier.ts')
  const { outageNotices } = await import('../adapters/redis/outage-notices.ts')
  const {
    frontier,
    clock,
    robots: robotsStore,
    close,
  } = await openRedisFrontier(address, crawl, {
    ...access,
    ...outageNotices(steadyClock, (message) => terminal.err(`${message}\n`)),
    allowEviction: redis.allowEviction,
    keyOf: (url) => queueKey(url, politeness.queueMode),
    restMs: hostDelayMs(politeness),
    leaseMs: redis.leaseSeconds * 1000,
    seen: { seenSeconds: SEEN_SECONDS },
    status,
    onState: (state) => terminal.err(`${stateText(state, `${crawl}${redisArgument(named)}`)}\n`),
  })
  try {
    return await work({ frontier, clock, robotsStore })
  } finally {
    await close()
  }
}

/** @param resumed what follows `orbweaver resume` */
function stateText(state: FleetState | undefined, resumed: string): string {
  if (state === undefined) return 'the fleet is resumed'
  return `the fleet is ${state === 'paused' ? 'paused' : 'draining'}: nothing more is fetched until orbweaver resume ${resumed}`
}

/** What was offered is remembered for longer than anybody fetches a segment. The segments themselves say what was fetched. */
const SEEN_SECONDS = 30 * 86_400

/** What a process that fetches says about itself, for `orbweaver status`. */
export function fetchStatus(progress: FetchProgress | undefined): JsonObject {
  if (progress === undefined) return {}
  const { pages, pagesPerSecond } = progress
  return { pages, pagesPerSecond: Math.round(pagesPerSecond.average * 10) / 10 }
}

/** @throws ConfigurationError for a flag that says nothing about one process of several */
export function checkFleetFlags({ minPagesPerSecond }: FetchFlags): void {
  if (minPagesPerSecond !== undefined)
    throw new ConfigurationError(
      'OPTION_INVALID',
      '--min-pages-per-second is for a fetch by one process: in a fleet, one that is slow leaves hosts to the others',
    )
}
