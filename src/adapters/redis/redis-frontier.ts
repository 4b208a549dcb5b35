import { hostname } from 'node:os'
import { appendAll } from '../../base/append-all.ts'
import { type Clock, wallClock as machineTime } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { FleetCounts, FleetState, FleetWorker, HostDelays } from '../../domain/frontier/fleet.ts'
import type {
  Added,
  FrontierOptions,
  HostLease,
  LeasedRequest,
  LeaseOptions,
  Pending,
  Settled,
} from '../../domain/frontier/frontier.ts'
import type { HostCookies } from '../../domain/frontier/host-cookies.ts'
import type { PageBudget } from '../../domain/frontier/page-budget.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import type { HostClaim } from '../../domain/politeness/host-ownership.ts'
import type { HostState } from '../../domain/politeness/host-throttle.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { batches } from './batches.ts'
import { CrawlControl } from './crawl-control.ts'
import type { FleetFrontier } from './fleet-frontier.ts'
import { HeldHosts, type Lent } from './held-hosts.ts'
import { HostRecords } from './host-records.ts'
import { Job } from './job.ts'
import { type JobKeysOptions, jobKeys } from './keys.ts'
import { readLease } from './read-lease.ts'
import { readCounts, readWorkers, type StoredWorker } from './read-status.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisDeadLetters } from './redis-dead-letters.ts'
import { RedisItemLog } from './redis-item-log.ts'
import { RedisPageBudget } from './redis-page-budget.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { type SeenOptions, seenText } from './seen-options.ts'
import {
  handedOverArguments,
  movedArguments,
  type OwnSettlement,
  SettleCalls,
  settlementArguments,
  unsettledArguments,
} from './settle-calls.ts'
import { dueTime, numberIn, requestArguments } from './stored-request.ts'
import {
  RememberedThrottle,
  readThrottle,
  type ThrottleArguments,
  throttleArguments,
} from './stored-throttle.ts'
import { type FinishClearing, LOST, WorkerSession } from './worker-session.ts'

export interface RedisFrontierOptions extends FrontierOptions, JobKeysOptions {
  /** Of this process, for people. @default host name and process number */
  readonly name?: string
  /** The time of day of this machine, which continues while it is suspended. @default the system clock */
  readonly wallClock?: Clock
  /** What is the same for the workers of one process in all shards. @default random */
  readonly identity?: string
  /** Removes the rest of a crawl that is being cleared. @default of this shard */
  readonly finishClearing?: FinishClearing
  /** How the crawl stores seen requests. @default as the crawl does; a new crawl has its own set, without expiry */
  readonly seen?: SeenOptions
  /** Its status for `workers()`, such as the number of pages fetched. */
  readonly status?: () => JsonObject
  /** Called when the crawl is paused, drained or resumed; at most a sixth of a lease later. */
  readonly onState?: (state: FleetState | undefined) => void
  /** Called when this process lost its hosts and requests, as after a long suspension, or Redis lost its latest writes. */
  readonly onLost?: () => void
  /** A worker that does not renew its lease for so long loses its hosts to the others. @default 30000 */
  readonly leaseMs?: number
  /** A request whose workers were lost so often becomes a dead letter, as it may be the reason. @default 10 */
  readonly maxDeliveries?: number
  /** The default delay between two requests to one host, which applies after a worker was lost. @default 5000 */
  readonly restMs?: number
  /** How long the failures and the Crawl-delay of a host are kept after its delay has passed. @default 1800000 */
  readonly keepThrottleMs?: number
  /** Whether leases have the pages of their hosts. @default false */
  readonly countsPages?: boolean
}

/** A request that a shard gives to another one. */
export interface HandedOver {
  readonly request: CrawlRequest
  /** The same whenever the same request is handed over again, and of no other request. */
  readonly mark: string
  /** As in `requestArguments`. @default false */
  readonly isPushed?: boolean
}

/**
 * The frontier of a fleet: any number of processes on any number of machines, each with one of these, work on one crawl.
 *
 * A host is leased to one of them at a time. README.md tells the life of a lease.
 */
export class RedisFrontier implements FleetFrontier {
  readonly items: RedisItemLog
  readonly deadLetters: RedisDeadLetters
  readonly control: CrawlControl
  readonly #clock: Clock
  readonly #keyOf: (url: string) => string
  readonly #restMs: number
  readonly #job: Job
  readonly #session: WorkerSession
  readonly #records: HostRecords
  readonly #held = new HeldHosts()
  readonly #throttles = new RememberedThrottle()
  #activeAt = 0
  #hostDelays: HostDelays = new Map()
  #hearHostDelays = (_: HostDelays): void => {}

  /**
   * @param clock the same time for all of the fleet: a `RedisClock`
   * @param crawl the name of the crawl: all that use it work together
   */
  constructor(connection: RedisConnection, clock: Clock, crawl: string, options: RedisFrontierOptions = {}) {
    const { order = 'hosts', keyOf = hostOf, restMs = 5_000, name = `${hostname()}:${process.pid}` } = options
    const { leaseMs = 30_000, maxDeliveries = 10, keepThrottleMs = 1_800_000, status = () => ({}) } = options
    const { onState = () => {}, onLost = () => {}, wallClock = machineTime, shard } = options
    this.#clock = clock
    this.#keyOf = keyOf
    this.#restMs = restMs
    const keys = jobKeys(crawl, connection.isCluster, options)
    const seen = seenText(crawl, connection.isCluster, options.seen, options)
    this.#job = new Job(connection, keys, { order, leaseMs, maxDeliveries, keepThrottleMs })
    this.#session = new WorkerSession(this.#job, clock, {
      ...{ name, wallClock, seen, status, onState, shards: shard?.of ?? 1 },
      ...withoutUndefined({ identity: options.identity, finishClearing: options.finishClearing }),
      onLost: () => {
        this.#held.clear()
        onLost()
      },
      onHostDelays: (delays) => {
        this.#hostDelays = delays
        this.#hearHostDelays(delays)
      },
      throttles: () => batches(this.#throttles.all(clock.now()), MAX_BATCH).map((part) => part.flat()),
    })
    this.#records = new HostRecords(this.#job, this.#session, options.countsPages ?? false)
    this.items = new RedisItemLog(this.#job)
    this.control = new CrawlControl([this.#job])
    this.deadLetters = new RedisDeadLetters(this.#job, this.#session, keyOf)
  }

  /** Not needed before another call, which joins when necessary. */
  join(): Promise<void> {
    return this.#session.join()
  }

  async add(requests: readonly CrawlRequest[], starts?: 'complete'): Promise<Added> {
    if (requests.length > 0) await this.join()
    const { fingerprint } = this.#session
    const all = requests.map((request) => requestArguments(request, this.#keyOf(request.url), fingerprint))
    return this.#addAll(all, starts)
  }

  /** Adds requests that were in another shard, or on a page of it. One that was added before with the same mark is a duplicate. */
  async addHandedOver(requests: readonly HandedOver[]): Promise<Added> {
    await this.join()
    const { fingerprint } = this.#session
    const all = requests.map(({ request, mark, isPushed = false }) => {
      const key = this.#keyOf(request.url)
      const [filter = '', ...rest] = requestArguments(request, key, fingerprint, isPushed)
      // What is compared needs no mark.
      return [request.dontFilter === true ? `@${mark} ${filter}` : filter, ...rest]
    })
    return this.#addAll(all)
  }

  async #addAll(all: ReadonlyArray<readonly string[]>, starts?: 'complete'): Promise<Added> {
    const sum = { added: 0, duplicates: 0 }
    const parts = batches(all, MAX_BATCH)
    if (parts.length === 0 && starts !== undefined) parts.push([])
    for (const [i, part] of parts.entries()) {
      const complete = i === parts.length - 1 ? (starts ?? '') : ''
      const { added, duplicates } = await this.#add([complete, '', ...part.flat()])
      sum.added += added
      sum.duplicates += duplicates
    }
    return sum
  }

  /**
   * Adds the requests of start messages and acknowledges these, in one step. Nothing is added if that was done before, or another worker
   * has the batch.
   * @param batch as `StartMessages.take` names it
   */
  async addStarts(batch: string, requests: readonly CrawlRequest[]): Promise<Added> {
    await this.#session.join()
    const { fingerprint } = this.#session
    // All at once: a batch of messages is small enough.
    const args = requests.flatMap((request) =>
      requestArguments(request, this.#keyOf(request.url), fingerprint, true),
    )
    return this.#add(['', batch, ...args])
  }

  async lease({ requests, perHost, now }: LeaseOptions): Promise<readonly HostLease[]> {
    const leases = new Map<string, OpenLease>()
    for (let left = requests; left > 0; ) {
      const most = Math.min(left, MAX_BATCH)
      const args = [String(most), String(perHost)] as const
      const reply = await this.#untilNotLost(() => this.#session.call(SCRIPTS.lease, args))
      const { fence } = this.#session
      const lease = readLease(reply, this.#job.rules.order)
      this.#session.hear(lease.state)
      const moved: string[] = []
      for (const { host, leased } of lease.requests) {
        const key = this.#keyOf(leased.request.url)
        if (key !== host) {
          appendAll(moved, movedArguments(leased.id, host, this.#toQueueAt(key, leased.request, now)))
          continue
        }
        const others = leases.get(host)
        if (others === undefined)
          leases.set(host, { host, requests: [leased], isNew: !this.#held.isBusy(host) })
        else others.requests.push(leased)
        this.#held.lent(leased.id, host, leased.request.url)
      }
      for (const { host, json, lostAt } of lease.throttles) {
        const throttle = readThrottle(host, json, lostAt, { restMs: this.#restMsOf(host), now })
        const own = leases.get(host)
        if (own !== undefined && throttle !== undefined) own.throttle = throttle
      }
      const unusable = [...lease.malformed.flat(), ...moved]
      if (unusable.length > 0) await this.#session.call(SCRIPTS.settle, ['0', ...unusable], fence)
      const count = lease.requests.length + lease.malformed.length
      if (count < most && !lease.mayHaveMore) break
      left -= count
    }
    return this.#records.read([...leases.values()], MAX_BATCH)
  }

  carryCookies(cookies: HostCookies): void {
    this.#records.cookies = cookies
  }

  async settle(settlements: readonly Settlement[], throttles: readonly HostState[] = []): Promise<Settled> {
    // What we have was all leased under it.
    const { fence } = this.#session
    const throttleOf = new Map(throttles.map((throttle) => [throttle.key, this.#remember(throttle)]))
    const ours = new Map<string, OwnSettlement>()
    for (const settlement of settlements) {
      const lent = this.#held.find(settlement.id)
      if (lent !== undefined && !ours.has(settlement.id)) ours.set(settlement.id, this.#own(settlement, lent))
    }
    for (const id of ours.keys()) this.#held.givenBack(id)
    const hosts = [...ours.values()].map(({ host }) => host)
    await this.#records.keepCookies(hosts, fence, MAX_BATCH)
    const calls = new SettleCalls(this.#session, fence, throttleOf)
    const { added, duplicates, ignored } = await calls.settle([...ours.values()], MAX_BATCH)
    if (fence === this.#session.fence) for (const host of hosts) this.#held.settled(host)
    return { added, duplicates, ignored: ignored + settlements.length - ours.size }
  }

  /** Removes leased requests that another shard has now. */
  async removeHandedOver(ids: readonly string[]): Promise<void> {
    const { fence } = this.#session
    const own = ids.flatMap((id) => {
      const lent = this.#held.find(id)
      this.#held.givenBack(id)
      return lent === undefined ? [] : [{ id, host: lent.host }]
    })
    if (own.length === 0) return
    const args = own.flatMap(({ id, host }) => handedOverArguments(id, host))
    await this.#session.call(SCRIPTS.settle, ['0', ...args], fence)
    if (fence === this.#session.fence) for (const { host } of own) this.#held.settled(host)
  }

  /** One that cannot be written for Redis is a dead letter: it must not end the worker, nor the next worker that leases it. */
  #own(settlement: Settlement, lent: Lent): OwnSettlement {
    const { id } = settlement
    const { host } = lent
    try {
      return { id, host, ...settlementArguments(settlement, lent, this.#keyOf, this.#session.fingerprint) }
    } catch (cause) {
      return { id, host, before: [], args: unsettledArguments(id, host, cause) }
    }
  }

  async pending(): Promise<Pending> {
    return (await this.pendingHere()).pending
  }

  /** With the number of requests that were ever queued: while it stays the same, nothing was added. */
  async pendingHere(): Promise<{ readonly pending: Pending; readonly arrivals: string }> {
    const { fence } = this.#session
    for (;;) {
      const reply = await this.#job.run(SCRIPTS.pending, fence === undefined ? {} : { fence }, [])
      const [status, ready, delayed, due, leased, elsewhere, complete, activeAt, state, arrivals] = reply as [
        string,
        ...unknown[],
      ]
      if (status === 'again') continue
      this.#activeAt = numberIn(activeAt)
      this.#session.hear(state)
      const pending = {
        ready: Number(ready),
        delayed: Number(delayed),
        ...(due !== '' && { nextDueAt: numberIn(due) }),
        leased: Number(leased),
        ...(elsewhere !== 0 && { elsewhere: Number(elsewhere) }),
        startsComplete: complete === 1,
      }
      return { pending, arrivals: String(arrivals) }
    }
  }

  get state(): FleetState | undefined {
    return this.#session.state
  }

  onHostDelays(listener: (delays: HostDelays) => void): void {
    this.#hearHostDelays = listener
    listener(this.#hostDelays)
  }

  get activeAt(): number {
    return this.#activeAt
  }

  holds(host: string): boolean {
    return this.#held.has(host) && this.#session.isSure
  }

  async claim(host: string): Promise<HostClaim | undefined> {
    const reply = await this.#untilNotLost(() => this.#session.call(SCRIPTS.claimHost, [host]))
    const [status, json = '', lostAt = ''] = reply as string[]
    if (status !== 'ok') return undefined
    const times = { restMs: this.#restMsOf(host), now: this.#clock.now() }
    const throttle = readThrottle(host, json, lostAt, times)
    const claim = { host, throttle }
    this.#held.claimed(claim)
    return claim
  }

  async release(claim: HostClaim, throttle?: HostState): Promise<void> {
    const { fence } = this.#session
    if (!this.#held.released(claim)) return
    const { host } = claim
    const state = throttle && this.#remember({ ...throttle, key: host })
    await this.#session.call(SCRIPTS.releaseHost, state ?? [host, '0', '0', ''], fence)
  }

  async workers(): Promise<readonly FleetWorker[]> {
    return (await this.storedWorkers()).map(({ identity: _, ...worker }) => worker)
  }

  async storedWorkers(): Promise<readonly StoredWorker[]> {
    return readWorkers(await this.#job.run(SCRIPTS.workers, {}, []))
  }

  async counts(): Promise<FleetCounts> {
    const { counts, state } = readCounts(await this.#job.run(SCRIPTS.counts, {}, []))
    this.#session.hear(state)
    return counts
  }

  pageBudget(maxPages: number): PageBudget {
    return new RedisPageBudget(this.#session, maxPages)
  }

  /** Says that this process lives; it is done from time to time anyway. */
  renew(): Promise<void> {
    return this.#session.renew()
  }

  /** What is handed out and not settled waits again, for the others. The connection stays open. */
  async close(): Promise<void> {
    this.#held.clear()
    await this.#session.leave()
  }

  /** The delay of a host after its worker was lost. */
  #restMsOf(host: string): number {
    return Math.max(this.#restMs, this.#hostDelays.get(host) ?? 0)
  }

  #remember(throttle: HostState): ThrottleArguments {
    const state = throttleArguments(throttle, this.#job.rules.keepThrottleMs)
    this.#throttles.add(state, this.#clock.now())
    return state
  }

  /**
   * It waits under a host that is not its own here: the queue mode of the settings was changed since, or another program wrote it. It is queued again, after
   * a while, so that workers with different settings do not do so without a pause.
   */
  #toQueueAt(key: string, request: CrawlRequest, now: number): string[] {
    const [, , ...rest] = requestArguments(request, key, this.#session.fingerprint)
    return ['', dueTime(now + REQUEUE_MS), ...rest]
  }

  async #add(args: readonly ['complete' | '', string, ...string[]]): Promise<Added> {
    const reply = await this.#untilNotLost(() => this.#session.call(SCRIPTS.add, args))
    const [added = 0, duplicates = 0] = numbersIn(reply)
    return { added, duplicates }
  }

  /** A call that does not depend on what this process had is made again with a new lease. */
  async #untilNotLost(call: () => Promise<unknown>): Promise<unknown> {
    for (;;) {
      const reply = await call()
      if (reply !== LOST) return reply
    }
  }
}

/** A lease whose requests are being read. */
interface OpenLease extends HostLease {
  readonly requests: LeasedRequest[]
  throttle?: HostState
}

const REQUEUE_MS = 1_000

/** Requests that one script adds, hands out or settles at most: Redis does nothing else meanwhile. */
const MAX_BATCH = 500

function numbersIn(reply: unknown): number[] {
  return String(reply).split(' ').map(Number)
}
