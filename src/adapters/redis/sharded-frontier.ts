import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { FleetCounts, FleetState, FleetWorker, HostDelays } from '../../domain/frontier/fleet.ts'
import type { Added, HostLease, LeaseOptions, Pending, Settled } from '../../domain/frontier/frontier.ts'
import type { HostCookies } from '../../domain/frontier/host-cookies.ts'
import type { PageBudget } from '../../domain/frontier/page-budget.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import type { HostClaim } from '../../domain/politeness/host-ownership.ts'
import type { HostState } from '../../domain/politeness/host-throttle.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { CrawlControl, finishClearing } from './crawl-control.ts'
import type { FleetFrontier } from './fleet-frontier.ts'
import { HandoverMarks } from './handover-marks.ts'
import { guestOf } from './job.ts'
import { shardKeys } from './keys.ts'
import { addCounts, mergeWorkers } from './merge-status.ts'
import { type RedisConnection, RedisRefused } from './redis-connection.ts'
import { type HandedOver, RedisFrontier, type RedisFrontierOptions } from './redis-frontier.ts'
import { SentRequests } from './sent-requests.ts'
import { ShardedDeadLetters } from './sharded-dead-letters.ts'
import { ShardedItemLog } from './sharded-item-log.ts'
import { shardOf } from './shards.ts'
import { randomIdentity } from './worker-session.ts'

/** A shard as this process knows it. */
interface OpenShard {
  readonly frontier: RedisFrontier
  readonly sent: SentRequests
  /** Whether it may have requests for this process. */
  isReady: boolean
  delays: HostDelays
}

/**
 * The frontier of a crawl whose hosts are divided among shards, which a cluster keeps on different nodes. Each shard is a `RedisFrontier` with its own
 * workers, leases and clock. README.md tells what crosses shards, and in which order.
 */
export class ShardedFrontier implements FleetFrontier {
  readonly items: ShardedItemLog
  readonly deadLetters: ShardedDeadLetters
  readonly control: CrawlControl
  readonly #clock: Clock
  readonly #keyOf: (url: string) => string
  readonly #shards: readonly OpenShard[]
  readonly #home: RedisFrontier
  /** Of the requests that this process has leased. */
  readonly #leased = new Map<string, { readonly shard: number; readonly attempt: number }>()
  readonly #marks: HandoverMarks
  /** Shards of hosts that were computed lately. */
  readonly #numbers = new Map<string, number>()
  #joining: Promise<void> | undefined
  #resending: Promise<unknown> = Promise.resolve()
  #leasing: Promise<unknown> = Promise.resolve()
  /** The shard with which the next lease begins. */
  #next = 0
  #lookedAt = Number.NEGATIVE_INFINITY
  #hearHostDelays = (_: HostDelays): void => {}

  /**
   * @param clock the same time for all of the fleet: a `RedisClock`
   * @param of number of shards, at least 2
   * @throws ConfigurationError for options that need one shard
   */
  constructor(
    connection: RedisConnection,
    clock: Clock,
    crawl: string,
    of: number,
    options: RedisFrontierOptions = {},
  ) {
    checkOptions(options, crawl)
    const { keyOf = hostOf, onLost = () => {}, onState = () => {} } = options
    const identity = randomIdentity()
    this.#clock = clock
    this.#keyOf = keyOf
    this.#marks = new HandoverMarks(identity)
    const [home, ...others] = shardKeys(crawl, connection.isCluster, of, options)
    const jobs = [guestOf(connection, home), ...others.map((keys) => guestOf(connection, keys))] as const
    this.#shards = jobs.map((_, number) => {
      const isHome = number === 0
      const frontier = new RedisFrontier(connection, clock, crawl, {
        ...{ ...options, identity, shard: { number, of } },
        // All workers go by the state of the home shard.
        onState: isHome ? onState : () => {},
        onLost: () => {
          this.#lost(number)
          onLost()
        },
        ...(isHome && { finishClearing: (id: string) => finishClearing(jobs, id) }),
      })
      return { frontier, sent: new SentRequests(), isReady: true, delays: new Map() }
    })
    for (const shard of this.#shards)
      shard.frontier.onHostDelays((delays) => {
        shard.delays = delays
        this.#hearHostDelays(this.#hostDelays)
      })
    this.#home = this.#shard(0).frontier
    this.items = new ShardedItemLog(this.#shards.map(({ frontier }) => frontier.items))
    this.deadLetters = new ShardedDeadLetters(this.#shards.map(({ frontier }) => frontier.deadLetters))
    this.control = new CrawlControl(jobs)
  }

  async add(requests: readonly CrawlRequest[], starts?: 'complete'): Promise<Added> {
    await this.#join()
    const sum = await this.#handOver(requests.map((request) => this.#marks.ofNew(request)))
    // Last, so that a crawl whose starts are complete has them all.
    if (starts !== undefined) await this.#home.add([], starts)
    return sum
  }

  /** The messages are in the home shard, and so are their requests at first: a lease hands over those of other shards. */
  async addStarts(batch: string, requests: readonly CrawlRequest[]): Promise<Added> {
    await this.#join()
    this.#shard(0).isReady = true
    return this.#home.addStarts(batch, requests)
  }

  /** One at a time: each changes which shards seem to be empty. */
  lease(options: LeaseOptions): Promise<readonly HostLease[]> {
    const leases = this.#leasing.then(() => this.#lease(options))
    this.#leasing = leases.catch(() => {})
    return leases
  }

  async #lease(options: LeaseOptions): Promise<readonly HostLease[]> {
    if (this.state !== undefined) return []
    await this.#join()
    const leases = new Map<string, HostLease>()
    // Shards that seemed empty are looked at now and then, while the lease is under way.
    const looking = this.#look(options.now - this.#lookedAt < LOOK_AFTER_MS ? [] : this.#unready())
    let left = options.requests
    let hasLooked = false
    while (left > 0) {
      const ready = this.#ready()
      if (ready.length > 0) left -= await this.#leaseFrom(ready, { ...options, requests: left }, leases)
      else if (hasLooked) break
      // Once for all, instead of a lease from each of many empty shards.
      if (left > 0 && !hasLooked) await this.#look(this.#all())
      hasLooked = true
    }
    await looking
    return [...leases.values()]
  }

  async settle(settlements: readonly Settlement[], throttles: readonly HostState[] = []): Promise<Settled> {
    const sum = { added: 0, duplicates: 0, ignored: 0 }
    const own: OwnPage[] = []
    for (const settlement of settlements) {
      const lease = this.#leased.get(settlement.id)
      this.#leased.delete(settlement.id)
      if (lease === undefined) sum.ignored++
      else own.push(this.#pageOf(settlement, lease.shard, lease.attempt))
    }
    // First, so that a worker that is lost in between loses none of them: the page is requested again, and they are known.
    const settled = await this.#handOverLinks(own, sum)
    const throttlesOf = Map.groupBy(throttles, ({ key }) => shardOf(key, this.#shards.length))
    const pagesOf = Map.groupBy(settled, ({ shard }) => shard)
    for (const number of throttlesOf.keys()) if (!pagesOf.has(number)) pagesOf.set(number, [])
    await Promise.all(
      [...pagesOf].map(async ([number, pages]) => {
        const shard = this.#shard(number)
        const done = await shard.frontier.settle(
          pages.map(({ settlement }) => settlement),
          throttlesOf.get(number),
        )
        shard.isReady ||= pages.length > 0
        sum.added += done.added
        sum.duplicates += done.duplicates
        sum.ignored += done.ignored
      }),
    )
    return sum
  }

  /**
   * A page may be settled in one shard, after its links were added to another one that was read before. So the end is not believed at once: if all shards
   * are empty twice, and none got a request in between, they were all empty at the moment between the two. Nothing was leased then, so that nothing can
   * come any more.
   */
  async pending(): Promise<Pending> {
    for (;;) {
      await this.#resending
      const before = await this.#pendingOfAll()
      if (!isEmpty(before.pending)) return before.pending
      // A shard that forgot requests of this process says so, and gets them again.
      await this.renew()
      await this.#resending
      const after = await this.#pendingOfAll()
      const isSame = after.arrivals.every((count, i) => count === before.arrivals[i])
      if (isSame || !isEmpty(after.pending)) return after.pending
    }
  }

  get state(): FleetState | undefined {
    return this.#home.state
  }

  get activeAt(): number {
    return this.#shards.reduce((last, { frontier }) => Math.max(last, frontier.activeAt), 0)
  }

  onHostDelays(listener: (delays: HostDelays) => void): void {
    this.#hearHostDelays = listener
    listener(this.#hostDelays)
  }

  holds(host: string): boolean {
    return this.#shardOf(host).frontier.holds(host)
  }

  async claim(host: string): Promise<HostClaim | undefined> {
    return this.#shardOf(host).frontier.claim(host)
  }

  async release(claim: HostClaim, throttle?: HostState): Promise<void> {
    return this.#shardOf(claim.host).frontier.release(claim, throttle)
  }

  async workers(): Promise<readonly FleetWorker[]> {
    return mergeWorkers(await this.#each((frontier) => frontier.storedWorkers()))
  }

  async counts(): Promise<FleetCounts> {
    return addCounts(await this.#each((frontier) => frontier.counts()))
  }

  pageBudget(maxPages: number): PageBudget {
    return this.#home.pageBudget(maxPages)
  }

  carryCookies(cookies: HostCookies): void {
    for (const { frontier } of this.#shards) frontier.carryCookies(cookies)
  }

  async renew(): Promise<void> {
    await this.#each((frontier) => frontier.renew())
  }

  async close(): Promise<void> {
    await this.#each((frontier) => frontier.close())
  }

  /** The home shard first: it refuses a worker with another number of shards, and has one that finishes a clearing wait for all shards. */
  #join(): Promise<void> {
    this.#joining ??= this.#home
      .join()
      .then(() => this.#each((frontier) => frontier.join()))
      .then(() => {})
      .catch((error: unknown) => {
        this.#joining = undefined
        throw error
      })
    return this.#joining
  }

  /** Leases at most `requests` from these shards, equally; returns how many. Requests of other shards' hosts are handed over, and do not count. */
  async #leaseFrom(
    ready: readonly number[],
    options: LeaseOptions,
    leases: Map<string, HostLease>,
  ): Promise<number> {
    const chosen = ready.slice(0, options.requests)
    this.#next = ((chosen.at(-1) ?? 0) + 1) % this.#shards.length
    let count = 0
    await Promise.all(
      chosen.map(async (number, i) => {
        const share =
          Math.floor(options.requests / chosen.length) + (i < options.requests % chosen.length ? 1 : 0)
        const shard = this.#shard(number)
        shard.isReady = false
        const found = await shard.frontier.lease({ ...options, requests: share })
        const given = found.reduce((sum, { requests }) => sum + requests.length, 0)
        shard.isReady ||= given >= share
        const strays = found.filter(({ host }) => this.#numberOf(host) !== number)
        await this.#handOverStrays(number, strays)
        for (const lease of found) {
          if (strays.includes(lease)) continue
          count += lease.requests.length
          this.#keep(number, lease, leases)
        }
      }),
    )
    return count
  }

  #keep(number: number, lease: HostLease, leases: Map<string, HostLease>): void {
    for (const { id, attempt } of lease.requests) this.#leased.set(id, { shard: number, attempt })
    const earlier = leases.get(lease.host)
    if (earlier === undefined) {
      leases.set(lease.host, lease)
      return
    }
    const requests = [...earlier.requests, ...lease.requests]
    const pages = lease.pages && new Map([...(earlier.pages ?? []), ...lease.pages])
    leases.set(lease.host, { ...lease, ...earlier, requests, ...withoutUndefined({ pages }) })
  }

  /** Start messages, an import and a change of the queue mode leave requests in shards that do not have their host. */
  async #handOverStrays(number: number, strays: readonly HostLease[]): Promise<void> {
    const requests = strays.flatMap((lease) => lease.requests)
    if (requests.length === 0) return
    await this.#handOver(requests.map((leased) => this.#marks.ofStray(leased, number)))
    await this.#shard(number).frontier.removeHandedOver(requests.map(({ id }) => id))
  }

  /** Adds requests to the shards of their hosts. */
  async #handOver(requests: readonly HandedOver[]): Promise<Added> {
    const sum = { added: 0, duplicates: 0 }
    const byShard = Map.groupBy(requests, ({ request }) => this.#numberOf(this.#keyOf(request.url)))
    await Promise.all(
      [...byShard].map(async ([number, part]) => {
        const shard = this.#shard(number)
        // Before the call: one that takes effect and is forgotten in the same moment must be repeated, too.
        shard.sent.add(part, this.#clock.now())
        const { added, duplicates } = await shard.frontier.addHandedOver(part)
        shard.isReady ||= added > 0
        sum.added += added
        sum.duplicates += duplicates
      }),
    )
    return sum
  }

  /** Returns the pages with what is left to settle. One whose links cannot be written for Redis is a dead letter, as in one shard. */
  async #handOverLinks(pages: readonly OwnPage[], sum: { added: number; duplicates: number }) {
    const handOver = async (links: readonly HandedOver[]) => {
      const { added, duplicates } = await this.#handOver(links)
      sum.added += added
      sum.duplicates += duplicates
    }
    try {
      await handOver(pages.flatMap(({ links }) => links))
      return pages
    } catch (error) {
      if (!isUnwritable(error)) throw error
    }
    const settled: OwnPage[] = []
    for (const page of pages)
      settled.push(
        await handOver(page.links).then(
          () => page,
          (error: unknown) => {
            if (!isUnwritable(error)) throw error
            return { ...page, settlement: unsettled(page.settlement, error) }
          },
        ),
      )
    return settled
  }

  #pageOf(settlement: Settlement, number: number, attempt: number): OwnPage {
    const requests: CrawlRequest[] = []
    const others: CrawlRequest[] = []
    for (const request of settlement.requests) {
      const isOwn = this.#numberOf(this.#keyOf(request.url)) === number
      ;(isOwn ? requests : others).push(request)
    }
    const links = this.#marks.ofLinks(settlement, others, { shard: number, attempt })
    return { shard: number, settlement: { ...settlement, requests }, links }
  }

  #lost(number: number): void {
    for (const [id, { shard }] of this.#leased) if (shard === number) this.#leased.delete(id)
    const { frontier, sent } = this.#shard(number)
    const requests = sent.all
    if (requests.length === 0) return
    this.#resending = this.#resending
      .then(() => frontier.addHandedOver(requests))
      // The next call to this shard fails in the same way, and is reported.
      .catch(() => {})
  }

  /** Reads which of these shards have requests for this process. */
  async #look(numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return
    this.#lookedAt = this.#clock.now()
    await Promise.all(
      numbers.map(async (number) => {
        const shard = this.#shard(number)
        shard.isReady = (await shard.frontier.pending()).ready > 0
      }),
    )
  }

  async #pendingOfAll(): Promise<{ readonly pending: Pending; readonly arrivals: readonly string[] }> {
    const all = await this.#each((frontier) => frontier.pendingHere())
    for (const [i, { pending }] of all.entries()) this.#shard(i).isReady = pending.ready > 0
    const sum = { ready: 0, delayed: 0, leased: 0, elsewhere: 0 }
    let nextDueAt = Number.POSITIVE_INFINITY
    for (const { pending } of all) {
      sum.ready += pending.ready
      sum.delayed += pending.delayed
      sum.leased += pending.leased
      sum.elsewhere += pending.elsewhere ?? 0
      nextDueAt = Math.min(nextDueAt, pending.nextDueAt ?? nextDueAt)
    }
    const { elsewhere, ...rest } = sum
    return {
      pending: {
        ...rest,
        ...(Number.isFinite(nextDueAt) && { nextDueAt }),
        ...(elsewhere !== 0 && { elsewhere }),
        startsComplete: all[0]?.pending.startsComplete ?? false,
      },
      arrivals: all.map(({ arrivals }) => arrivals),
    }
  }

  /** The shards in turn, from the one after the last that a lease was taken from. */
  #all(): number[] {
    return this.#shards.map((_, i) => (this.#next + i) % this.#shards.length)
  }

  #ready(): number[] {
    return this.#all().filter((number) => this.#shard(number).isReady)
  }

  #unready(): number[] {
    return this.#all().filter((number) => !this.#shard(number).isReady)
  }

  #numberOf(host: string): number {
    const known = this.#numbers.get(host)
    if (known !== undefined) return known
    if (this.#numbers.size >= MAX_NUMBERS) this.#numbers.clear()
    const number = shardOf(host, this.#shards.length)
    this.#numbers.set(host, number)
    return number
  }

  #shardOf(host: string): OpenShard {
    return this.#shard(this.#numberOf(host))
  }

  #shard(number: number): OpenShard {
    const shard = this.#shards[number]
    if (shard === undefined) throw new RangeError(`there is no shard ${number}`)
    return shard
  }

  get #hostDelays(): HostDelays {
    return new Map(this.#shards.flatMap(({ delays }) => [...delays]))
  }

  #each<T>(call: (frontier: RedisFrontier) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#shards.map(({ frontier }) => call(frontier)))
  }
}

/** A page to settle, and its links to other shards. */
interface OwnPage {
  readonly shard: number
  readonly settlement: Settlement
  readonly links: readonly HandedOver[]
}

const LOOK_AFTER_MS = 1_000
const MAX_NUMBERS = 100_000

function isEmpty({ ready, delayed, leased, elsewhere = 0 }: Pending): boolean {
  return ready + delayed + leased + elsewhere === 0
}

function isUnwritable(error: unknown): error is Error {
  return error instanceof RangeError || error instanceof RedisRefused
}

function unsettled({ id }: Settlement, { message: reason }: Error): Settlement {
  return {
    id,
    end: { kind: 'failed', code: 'cannot-settle', reason },
    ...{ requests: [], items: [], rejected: [] },
  }
}

function checkOptions({ order = 'hosts', seen = {} }: RedisFrontierOptions, crawl: string): void {
  const { dupefilter = 'own', seenWith = crawl } = seen
  const what =
    order !== 'hosts'
      ? `the order '${order}' over all hosts`
      : dupefilter !== 'own'
        ? `the dupefilter of Scrapy (${dupefilter})`
        : seenWith !== crawl
          ? `seenWith (${seenWith})`
          : undefined
  if (what === undefined) return
  throw new ConfigurationError(
    'CRAWL_MISMATCH',
    `${what} needs a crawl with 1 shard: shards are on different nodes and hand out their hosts by themselves. Leave out --shards and redis.shards`,
  )
}
