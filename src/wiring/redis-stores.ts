import type { Settings } from '../adapters/config/config-schema.ts'
import { hostDelayMs } from '../adapters/config/host-queues-options.ts'
import { jobKeys } from '../adapters/redis/keys.ts'
import { rememberNamedHosts } from '../adapters/redis/named-hosts.ts'
import { openRedisFrontier } from '../adapters/redis/open-redis-frontier.ts'
import { outageNotices } from '../adapters/redis/outage.ts'
import { RedisSessionStore } from '../adapters/redis/redis-session-store.ts'
import { StartMessages } from '../adapters/redis/start-messages.ts'
import { steadyClock } from '../base/clock.ts'
import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { printable } from '../base/printable.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { Fleet, FleetState } from '../domain/frontier/fleet.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import { handlerFault } from '../flows/spider/local-calls.ts'
import { RequestOutput } from '../flows/spider/output.ts'
import type { AnySpider } from '../flows/spider/spider-definition.ts'
import type { SpiderStats } from '../flows/spider/spider-stats.ts'
import { fleetStateCode, LEASE_LOST_TEXT } from './fleet-session.ts'
import { redisAccess, redisArgument, redisKeys, withName } from './redis-access.ts'
import type { SpiderStores } from './spider-stores.ts'

/** Stores that several processes share, and the function that leaves them. */
export interface RedisStores extends SpiderStores {
  readonly fleet: Fleet
  /** @param isFinished whether the queue was empty: then the last worker may clear the crawl */
  close(isFinished: boolean): Promise<void>
}

/**
 * The stores of a crawl in Redis: all processes that run a spider with the same Redis and name share the crawl.
 * Throttle state and cookies of hosts are stored there, too.
 * @param named the address of the Redis; `true`: that of the settings
 * @param crawl the name of the crawl
 * @param signal after it, an unreachable Redis is not waited for
 * @throws RedisUnreachable, ConfigurationError
 */
export async function redisStores(
  named: string | true,
  crawl: string,
  spider: AnySpider,
  { redis, politeness }: Settings,
  log: EventLog,
  signal: AbortSignal,
): Promise<RedisStores> {
  let stats: (() => SpiderStats) | undefined
  let isAway = false
  const notices = outageNotices(steadyClock, log)
  const { address, ...access } = redisAccess(redis, named)
  const keys = { ...redisKeys(redis, crawl), ...withoutUndefined({ shards: redis.shards }) }
  const { frontier, clock, robots, connection, close } = await openRedisFrontier(address, crawl, {
    ...access,
    ...keys,
    onOutage(error) {
      isAway = true
      notices.onOutage(error)
    },
    onBack() {
      isAway = false
      notices.onBack()
    },
    allowEviction: redis.allowEviction,
    keyOf: (url) => queueKey(url, politeness.queueMode),
    restMs: hostDelayMs(politeness),
    leaseMs: redis.leaseSeconds * 1000,
    order: spider.order ?? 'hosts',
    countsPages: spider.limits?.maxPagesPerHost !== undefined,
    seen: seenOptions(redis, crawl),
    status: () => (stats === undefined ? {} : statusOf(stats())),
    onLost: () => logEvent(log, 'LEASE_LOST', LEASE_LOST_TEXT, { data: { crawl } }),
    onState: (state) =>
      logEvent(log, fleetStateCode(state), stateText(state, `${crawl}${redisArgument(named)}`)),
  })
  let messages: StartMessages
  try {
    messages = new StartMessages(connection, clock, crawl, {
      ...keys,
      reading: redis.startReading,
      batch: redis.startBatch,
      encoding: redis.startEncoding,
      handlerFault: (name) => handlerFault(spider, name),
      onRefused: refusalNotices(log),
    })
    // Rejected while other workers are active; they have done the same.
    if (redis.flushOnStart) await frontier.control.clear()
    // Reads whether the crawl is paused or draining before the first request.
    await frontier.counts()
  } catch (error) {
    await close()
    throw error
  }
  // A stopped worker does not wait for an unreachable Redis: its leases expire, and other workers continue.
  const stopWatching = everyMsAfter(signal, LAST_WAIT_MS, () => isAway && connection.close())
  return {
    clock,
    frontier,
    startSource: {
      async take() {
        const { batch, requests } = await messages.take()
        return {
          requests: requests.map(({ href, options }) => new RequestOutput(href, options)),
          add: (admitted) => frontier.addStarts(batch, admitted),
        }
      },
      count: () => messages.count(),
    },
    fleet: frontier,
    pageBudget: (maxPages) => frontier.pageBudget(maxPages),
    carryCookies: (cookies) => frontier.carryCookies(cookies),
    fleetControl: frontier.control,
    deadLetters: frontier.deadLetters,
    reportOf(read) {
      stats = read
    },
    items: frontier.items,
    hosts: { load: async () => undefined, save: async () => {} },
    robots,
    // They are stored with their hosts.
    cookies: { load: async () => [], save: async () => {} },
    sessions: new RedisSessionStore(
      connection,
      jobKeys(crawl, connection.isCluster, keys),
      clock,
      redis.leaseSeconds * 1000,
    ),
    feeds: undefined,
    starts: [],
    privateHosts: (hosts, lookUp) =>
      rememberNamedHosts(connection, jobKeys(crawl, connection.isCluster, keys), hosts, lookUp),
    hostPages: [],
    async close(isFinished) {
      stopWatching()
      await close(async () => {
        if (isFinished && !redis.persist) await frontier.control.clear()
      })
    },
  }
}

const LAST_WAIT_MS = 5_000

/** Reports the first few invalid start messages; `orbweaver status` counts all. */
function refusalNotices(log: EventLog): (reason: string, key: string) => void {
  let left = 3
  return (reason, key) => {
    if (left-- > 0)
      logEvent(
        log,
        'START_MESSAGE_INVALID',
        `a start message cannot be used (${printable(reason)}); it is kept in ${key}`,
      )
  }
}

/** Looks again and again, once `signal` was given; until the function that it returns is called. */
function everyMsAfter(signal: AbortSignal, ms: number, look: () => void): () => void {
  let cancel = (): void => {}
  const again = () => {
    cancel = steadyClock.after(ms, () => {
      look()
      again()
    })
  }
  signal.addEventListener('abort', again)
  if (signal.aborted) again()
  return () => {
    signal.removeEventListener('abort', again)
    cancel()
  }
}

function seenOptions({ dupefilter, dupefilterKey, seenWith, seenSeconds }: Settings['redis'], crawl: string) {
  return {
    dupefilter,
    ...(dupefilterKey !== undefined && { dupefilterKey: withName(dupefilterKey, crawl) }),
    ...withoutUndefined({ seenWith, seenSeconds }),
  }
}

/** @param resumed the arguments of `orbweaver resume` */
function stateText(state: FleetState | undefined, resumed: string): string {
  if (state === 'paused') return `the crawl is paused; to resume: orbweaver resume ${resumed}`
  if (state === 'draining')
    return 'the crawl is draining: this worker finishes its current requests and exits'
  return 'the crawl is resumed'
}

/** For `orbweaver status` and the page of a fleet. */
function statusOf({ pages, items, requests, bytes, failed, retries, durationMs }: SpiderStats) {
  return {
    ...{ pages, items, requests, bytes, errors: sumOf(failed) + sumOf(retries) },
    pagesPerSecond: Math.round((pages * 10_000) / Math.max(1, durationMs)) / 10,
  }
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
