import { CrawlControl } from '../adapters/redis/crawl-control.ts'
import { fleetHosts } from '../adapters/redis/fleet-hosts.ts'
import { fleetRobots } from '../adapters/redis/fleet-robots.ts'
import { storedHostDelays } from '../adapters/redis/host-delays.ts'
import { type CrawlSnapshot, inspectCrawl } from '../adapters/redis/inspect-crawl.ts'
import { crawlShards, guestOf } from '../adapters/redis/job.ts'
import type { ShardKeys, StartKeysOptions } from '../adapters/redis/keys.ts'
import { latestDeadLetters } from '../adapters/redis/latest-dead-letters.ts'
import { latestItems } from '../adapters/redis/latest-items.ts'
import type { RedisConnection } from '../adapters/redis/redis-connection.ts'
import { cachedFor } from '../adapters/serve/cached-for.ts'
import { steadyClock } from '../base/clock.ts'
import { formatCount } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { FailureChoice } from '../domain/frontier/dead-letters.ts'
import type { FleetState } from '../domain/frontier/fleet.ts'
import type { LiveCrawl } from '../domain/live/live-crawl.ts'
import type {
  HostList,
  HostQuery,
  LiveAction,
  LiveActionResult,
  LiveFailure,
  LiveItems,
  LiveReport,
  LiveSeries,
  LiveState,
} from '../domain/live/live-report.ts'
import { shortItem } from '../domain/live/recent-items.ts'
import { hostOf } from '../domain/url/host-of.ts'
import { FleetFigures } from './fleet-figures.ts'
import { fleetHost, pageOfHosts, robotsState } from './fleet-host-list.ts'
import { setFleetDelay } from './set-fleet-delay.ts'

export interface FleetLiveOptions {
  /** Keys in the settings. */
  readonly keys: StartKeysOptions
  /** The configured delay between two requests to one host. */
  readonly delayMs: number
  /** Requeues dead letters; returns how many. */
  readonly retryFailed: (choice: FailureChoice) => Promise<number>
}

/** A crawl in Redis, for a process that is not a worker of it. The cost of a report does not grow with the crawl. */
export class FleetLive implements LiveCrawl {
  readonly #connection: RedisConnection
  readonly #crawl: string
  readonly #options: FleetLiveOptions
  readonly #figures = new FleetFigures()
  /** One snapshot serves the calls of a moment; while Redis is unreachable, all wait for the same. */
  readonly #inspect: () => Promise<CrawlSnapshot | undefined>
  readonly #shards: () => Promise<ShardKeys>
  readonly #hosts: () => Promise<Awaited<ReturnType<typeof fleetHosts>>>
  /** The latest items as of a number of items. Their time is that of the first snapshot that had them. */
  #items: { readonly count: number; readonly report: LiveItems } | undefined

  constructor(connection: RedisConnection, crawl: string, options: FleetLiveOptions) {
    this.#connection = connection
    this.#crawl = crawl
    this.#options = options
    this.#inspect = cachedFor(steadyClock, SNAPSHOT_MS, async () => {
      const view = await inspectCrawl(connection, crawl, options.keys)
      if (view !== undefined) this.#figures.record(view)
      return view
    })
    this.#shards = cachedFor(steadyClock, HOSTS_MS, () => crawlShards(connection, crawl, options.keys))
    this.#hosts = cachedFor(steadyClock, HOSTS_MS, async () =>
      fleetHosts(connection, await this.#shards(), MAX_HOSTS),
    )
  }

  /** `undefined`: there is no crawl of that name. */
  async find(): Promise<this | undefined> {
    return (await this.#inspect()) === undefined ? undefined : this
  }

  async report(): Promise<LiveReport> {
    const view = (await this.#inspect()) ?? NO_CRAWL
    const { counts, now, workers, delays } = view
    const [dead, items] = await Promise.all([
      latestDeadLetters(this.#connection, await this.#shards(), MAX_FAILURES),
      this.#latestItems(view),
    ])
    const rates = this.#figures.rates
    const left = counts.waiting + counts.delayed + counts.leased
    const startedAt = workers.reduce((first, { joinedAt }) => Math.min(first, joinedAt), now)
    return {
      ...{ kind: 'fleet', name: this.#crawl, command: 'run --redis', pid: 0, startedAt, at: now },
      state: stateOf(view),
      lastProgressAt: view.activeAt > 0 ? view.activeAt : startedAt,
      activity: activityOf(view),
      ...{ totals: this.#figures.totals(view), rates, inFlight: counts.leased, queued: counts.waiting },
      ...(rates.pagesPerSecond > 0 && { etaSeconds: Math.round(left / rates.pagesPerSecond) }),
      outcomes: { success: counts.done, ...view.failures },
      failures: dead.latest.map(({ request, code, reason, failedAt }): LiveFailure => {
        return { at: failedAt, url: request.url, host: hostOf(request.url), code, reason }
      }),
      // Workers do not report them.
      responseTimes: { boundsMs: [], counts: [0], sumMs: 0 },
      hosts: {
        known: counts.freeHosts + counts.restingHosts + counts.heldHosts,
        parked: delays.hosts.paused,
        robotsFailed: 0,
      },
      rounds: [],
      items,
      fleet: {
        workers: this.#figures.workers(workers),
        queue: {
          ...{ waiting: counts.waiting, delayed: counts.delayed, leased: counts.leased },
          ...{ seen: counts.seen, items: counts.items, itemsLeft: counts.itemsLeft },
        },
        deadLetters: dead.total,
        startUrls: view.startMessages,
      },
      actions: ['pause', 'resume', 'stop', 'set-delay', 'retry-failed'],
    }
  }

  /** Since this process began to watch. */
  async series(): Promise<LiveSeries> {
    await this.#inspect()
    return { points: this.#figures.points }
  }

  async hosts(query: HostQuery): Promise<HostList> {
    const shards = await this.#shards()
    const [view = NO_CRAWL, all, delays] = await Promise.all([
      this.#inspect(),
      this.#hosts(),
      storedHostDelays(this.#connection, shards),
    ])
    const names = new Map(view.workers.map(({ fence, name }) => [fence, name]))
    const { total, hosts } = pageOfHosts(
      all.map((host) => fleetHost(host, names, this.#options.delayMs, delays)),
      query,
    )
    const { freeHosts, restingHosts, heldHosts } = view.counts
    const skipped =
      all.length < MAX_HOSTS ? 0 : Math.max(0, freeHosts + restingHosts + heldHosts - all.length)
    const robots = await Promise.all(
      hosts.map(({ host }) => fleetRobots(this.#connection, shards, host, view.now)),
    )
    return {
      total,
      ...(skipped > 0 && { skipped }),
      hosts: hosts.map((host, i) => ({ ...host, robots: robotsState(robots[i]) })),
    }
  }

  async act(action: LiveAction): Promise<LiveActionResult> {
    switch (action.action) {
      case 'pause':
        return this.#setState(
          'paused',
          'the crawl is paused; its workers finish their current requests and wait',
        )
      case 'stop':
        return this.#setState(
          'draining',
          'the crawl is draining; its workers finish their current requests and exit. After resume, start workers again',
        )
      case 'resume':
        return this.#setState(undefined, 'the crawl is resumed')
      case 'retry-failed': {
        const requeued = await this.#options.retryFailed(withoutUndefined({ url: action.url }))
        return {
          ok: requeued > 0,
          message: requeuedText(requeued),
          data: { requests: requeued },
        }
      }
      case 'set-delay':
        return setFleetDelay(await this.#control(), action.host, action.delayMs)
    }
  }

  async #setState(state: FleetState | undefined, message: string): Promise<LiveActionResult> {
    await (await this.#control()).setState(state)
    return { ok: true, message }
  }

  async #latestItems({ counts: { items: count }, now }: CrawlSnapshot): Promise<LiveItems> {
    if (this.#items?.count === count) return this.#items.report
    const { latest, rejected } = await latestItems(this.#connection, await this.#shards(), MAX_ITEMS)
    const report = {
      latest: latest.map(({ url, item }) => ({ at: now, url, item: shortItem(item) })),
      rejected: rejected.map(({ url, item, reason }) => ({ at: now, url, item: shortItem(item), reason })),
    }
    this.#items = { count, report }
    return report
  }

  async #control(): Promise<CrawlControl> {
    const [home, ...others] = await this.#shards()
    return new CrawlControl([
      guestOf(this.#connection, home),
      ...others.map((keys) => guestOf(this.#connection, keys)),
    ])
  }
}

const SNAPSHOT_MS = 500
const HOSTS_MS = 2_000
/** A page of hosts is sorted here, so there is a limit. */
const MAX_HOSTS = 5_000
const MAX_FAILURES = 50
const MAX_ITEMS = 20

/** A crawl that was cleared since it was found. */
const NO_CRAWL: CrawlSnapshot = {
  now: 0,
  shards: 1,
  counts: {
    ...{ waiting: 0, delayed: 0, leased: 0, added: 0, duplicates: 0, done: 0, retried: 0, failed: 0 },
    ...{ malformed: 0, seen: 0, items: 0, itemsLeft: 0, freeHosts: 0, restingHosts: 0, heldHosts: 0 },
  },
  activeAt: 0,
  failures: {},
  retries: {},
  delays: { retries: 0, scheduled: 0, hosts: { paused: 0, backOff: 0, crawlDelay: 0, delay: 0 } },
  workers: [],
  startMessages: 0,
}

function liveWorkers({ workers, now }: CrawlSnapshot): number {
  return workers.filter(({ expiresAt }) => expiresAt > now).length
}

function stateOf(view: CrawlSnapshot): LiveState {
  if (view.state === 'paused') return 'paused'
  if (view.state === 'draining') return 'stopping'
  const { waiting, delayed, leased } = view.counts
  const isEmpty = waiting + delayed + leased + view.startMessages === 0
  return isEmpty && liveWorkers(view) === 0 ? 'finished' : 'running'
}

function activityOf(view: CrawlSnapshot): string {
  const count = liveWorkers(view)
  if (stateOf(view) === 'finished') return 'the queue is empty'
  if (count === 0 && view.state === 'draining')
    return 'all workers have exited; after resume, start workers again'
  if (count === 0) return 'no worker is running'
  return formatCount(count, 'worker')
}

function requeuedText(requests: number): string {
  if (requests === 0) return 'no such request has failed'
  return `${formatCount(requests, 'request')} ${requests === 1 ? 'is' : 'are'} queued again`
}
