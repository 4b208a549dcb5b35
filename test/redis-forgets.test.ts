import { expect, it } from 'vitest'
import { jobKeys } from '../src/adapters/redis/keys.ts'
import { parseRedisAddress } from '../src/adapters/redis/redis-address.ts'
import { connectRedis, type RedisConnection } from '../src/adapters/redis/redis-connection.ts'
import type { LeasedRequest } from '../src/domain/frontier/frontier.ts'
import type { Settlement } from '../src/domain/frontier/settlement.ts'
import type { HostState } from '../src/domain/politeness/host-throttle.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { itemUrls, LinkedPages, passTime, TestWorker } from '../testing/redis-fleet.ts'
import { brokenInvariants } from '../testing/redis-invariants.ts'
import { type RedisServer, startRedis } from '../testing/redis-server.ts'
import { withTimeOf } from '../testing/redis-time.ts'

const HOSTS = 12
const PAGES = new LinkedPages(HOSTS, 150, (page) => [page * 2 + 1, page * 2 + 2, page * 7 + 3])
const WORKERS = 3
const ROUNDS = 40
const DELAY_MS = 1_000

/** Workers crawl while Redis loses its last writes repeatedly. In the end its data must be as if each page had been crawled once. */
it.each([
  ['the end of its append-only file', 'aof'],
  ['all since its last snapshot', 'snapshot'],
] as const)('crawls every page although Redis loses %s', { timeout: 240_000 }, async (_, kind) => {
  // The test itself cuts off the last writes.
  const server = await startRedis({ aof: kind === 'aof', settings: ['--appendfsync', 'no'] })
  const clock = new FakeClock()
  const connection = withTimeOf(await connectRedis(parseRedisAddress(server.address)), () => clock.now())
  try {
    for (let seed = 1; seed <= 12; seed++) {
      const fleet = new Fleet(server, connection, clock, `${kind}-${seed}`, randomOf(seed))
      await fleet.begin(kind)
      for (let round = 0; round < ROUNDS; round++) await fleet.round(kind)
      await fleet.finish()
    }
  } finally {
    connection.close()
    await server.stop()
  }
})

class Fleet {
  readonly #server: RedisServer
  readonly #connection: RedisConnection
  readonly #clock: FakeClock
  readonly #crawl: string
  readonly #random: (below: number) => number
  readonly #workers: Array<{ worker: TestWorker; out: LeasedRequest[]; readyAt: Map<string, number> }> = []
  /** When each host was last requested, by any worker. */
  readonly #requestedAt = new Map<string, number>()
  #bytesBefore = 0

  constructor(
    server: RedisServer,
    connection: RedisConnection,
    clock: FakeClock,
    crawl: string,
    random: (below: number) => number,
  ) {
    this.#server = server
    this.#connection = connection
    this.#clock = clock
    this.#crawl = crawl
    this.#random = random
    for (let i = 0; i < WORKERS; i++) this.#join()
  }

  async begin(kind: 'aof' | 'snapshot'): Promise<void> {
    await this.#at(0).worker.frontier.add([PAGES.request(0)])
    if (kind === 'snapshot') await this.#server.command('save')
    else this.#bytesBefore = await this.#aofBytes()
  }

  async round(kind: 'aof' | 'snapshot'): Promise<void> {
    for (let i = 0; i < WORKERS; i++) {
      await this.#lease(i, 6)
      await this.#crawlSome(i)
    }
    await this.#pass(DELAY_MS * (1 + this.#random(3)))
    if (kind === 'snapshot' && this.#random(6) === 0) await this.#server.command('save')
    if (this.#random(10) > 0) return
    // Never the whole crawl: that stops its workers.
    const most = kind === 'aof' ? (await this.#aofBytes()) - this.#bytesBefore : 0
    await this.#server.kill()
    if (kind === 'aof') await this.#server.cutAof(this.#random(Math.min(30_000, most)))
    await this.#server.restart()
    if (this.#random(2) === 0) this.#join()
  }

  async #aofBytes(): Promise<number> {
    const info = await this.#server.command('info', 'persistence')
    return Number(/aof_current_size:(\d+)/.exec(info)?.[1])
  }

  /** Crawls until the queue is empty. Adds the start requests again, as a spider does when Redis has lost them. */
  async finish(): Promise<void> {
    const { frontier } = this.#at(0).worker
    let isLeft = true
    for (let rounds = 0; isLeft && rounds < 300; rounds++) {
      for (const i of this.#workers.keys()) {
        await this.#lease(i, 20)
        await this.#crawlSome(i)
      }
      await this.#pass(DELAY_MS)
      await frontier.add([PAGES.request(0)])
      const { ready, delayed, leased, elsewhere = 0 } = await frontier.pending()
      isLeft = ready + delayed + leased + elsewhere > 0
    }
    expect(isLeft).toBe(false)
    expect(await itemUrls(frontier)).toEqual(PAGES.reachable([0]))
    expect(await brokenInvariants(this.#connection, jobKeys(this.#crawl, false), 'hosts')).toEqual([])
    for (const { worker } of this.#workers) await worker.frontier.close()
  }

  async #lease(i: number, requests: number): Promise<void> {
    const { worker, out, readyAt } = this.#at(i)
    for (const lease of await worker.frontier.lease({ requests, perHost: 2, now: this.#clock.now() })) {
      const others = this.#workers.filter((other) => other.worker !== worker)
      for (const other of others) expect(other.worker.frontier.holds(lease.host)).toBe(false)
      if (lease.throttle !== undefined) readyAt.set(lease.host, lease.throttle.readyAt)
      out.push(...lease.requests)
    }
  }

  /** Like an engine: requests hosts that the worker holds and that may be requested, and settles the requests. */
  async #crawlSome(i: number): Promise<void> {
    const { worker, out, readyAt } = this.#at(i)
    const now = this.#clock.now()
    const settlements: Settlement[] = []
    const throttles: HostState[] = []
    for (const leased of out.splice(0)) {
      const { host } = new URL(leased.request.url)
      if (!worker.frontier.holds(host)) {
        settlements.push(PAGES.settlement(leased, { kind: 'requeue' }))
      } else if (now < (readyAt.get(host) ?? 0) || this.#random(4) === 0) out.push(leased)
      else {
        const last = this.#requestedAt.get(host) ?? Number.NEGATIVE_INFINITY
        expect(now - last, `delay of ${host}`).toBeGreaterThanOrEqual(DELAY_MS)
        this.#requestedAt.set(host, now)
        // Some hosts have a long delay.
        const delayMs = this.#random(20) === 0 ? 60 * DELAY_MS : DELAY_MS
        readyAt.set(host, now + delayMs)
        this.#requestedAt.set(host, now + delayMs - DELAY_MS)
        throttles.push({
          key: host,
          readyAt: now + delayMs,
          endedAt: now,
          failures: 0,
          crawlDelayMs: 0,
          latencyMs: 0,
        })
        settlements.push(PAGES.settlement(leased, { kind: 'done' }))
      }
    }
    if (settlements.length > 0) await worker.frontier.settle(settlements, throttles)
  }

  #pass(ms: number): Promise<void> {
    return passTime(
      this.#clock,
      ms,
      this.#workers.map(({ worker }) => worker),
    )
  }

  #at(i: number) {
    return this.#workers[i] ?? this.#join()
  }

  #join() {
    const options = { restMs: DELAY_MS, maxDeliveries: 1_000 }
    const worker = new TestWorker(this.#connection, this.#clock, this.#crawl, options)
    const joined = { worker, out: [], readyAt: new Map<string, number>() }
    this.#workers.push(joined)
    return joined
  }
}

/** The same numbers for the same seed (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 0x9e3779b9
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}
