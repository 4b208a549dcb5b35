import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { jobKeys } from '../src/adapters/redis/keys.ts'
import { parseRedisAddress } from '../src/adapters/redis/redis-address.ts'
import { connectRedis, type RedisConnection } from '../src/adapters/redis/redis-connection.ts'
import { script } from '../src/adapters/redis/redis-scripts.ts'
import type { FrontierOrder, LeasedRequest } from '../src/domain/frontier/frontier.ts'
import type { RequestEnd } from '../src/domain/frontier/settlement.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { itemUrls, LinkedPages, passTime, TestWorker } from '../testing/redis-fleet.ts'
import { brokenInvariants } from '../testing/redis-invariants.ts'
import { type RedisServer, startRedis, startRedisCluster } from '../testing/redis-server.ts'
import { withTimeOf } from '../testing/redis-time.ts'

let server: RedisServer
let connection: RedisConnection
let crawls = 0
let clock = new FakeClock()

beforeAll(async () => {
  server = await startRedis({ aof: true })
  connection = withTimeOf(await connectRedis(parseRedisAddress(server.address)), () => clock.now())
})
afterAll(async () => {
  connection?.close()
  await server?.stop()
})

const COUNT = script('count', `return redis.call('INCR', KEYS[1])`)
const HOSTS = 4
const PAGE_COUNT = 60
const PAGES = new LinkedPages(HOSTS, PAGE_COUNT, (page) => [page * 2 + 3, page * 5 + 1])
const WORKERS = 4

type Move =
  | { readonly kind: 'add'; readonly page: number }
  | { readonly kind: 'lease'; readonly requests: number; readonly perHost: number }
  | { readonly kind: 'settle'; readonly some: number; readonly end: RequestEnd['kind'] }
  | { readonly kind: 'suspend' | 'resume' | 'die' | 'close' }
  | { readonly kind: 'pass'; readonly ms: number }
  /** Redis is killed during the next move. */
  | { readonly kind: 'kill redis' }

const move: fc.Arbitrary<{ readonly worker: number; readonly move: Move }> = fc.record({
  worker: fc.nat(WORKERS - 1),
  move: fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('add'), page: fc.nat(PAGE_COUNT - 1) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('lease'),
        requests: fc.integer({ min: 1, max: 9 }),
        perHost: fc.integer({ min: 1, max: 5 }),
      }),
    },
    {
      weight: 9,
      arbitrary: fc.record({
        kind: fc.constant('settle'),
        some: fc.integer({ min: 1, max: 9 }),
        end: fc.constantFrom('done', 'done', 'done', 'retry', 'requeue', 'failed'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constantFrom('suspend', 'resume', 'resume', 'die', 'close') }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(1_000, 20_000, 40_000) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill redis') }) },
  ) as fc.Arbitrary<Move>,
})

it('loses and duplicates nothing when workers or Redis are killed at any time', {
  timeout: 120_000,
}, async () => {
  const order = fc.constantFrom<FrontierOrder>('hosts', 'hosts', 'fifo', 'priority')
  await fc.assert(
    fc.asyncProperty(order, fc.array(move, { minLength: 30, maxLength: 60 }), async (chosen, moves) => {
      const fleet = new Fleet(chosen)
      await fleet.seed()
      for (const next of moves) await fleet.make(next.worker, next.move)
      await fleet.finish()
    }),
    { numRuns: 20 },
  )
})

it('waits for a cluster node that is away', async () => {
  const cluster = await startRedisCluster()
  const connection = await connectRedis(parseRedisAddress(cluster.address))
  await connection.run(COUNT, ['{a}'], [])
  const replies = await Promise.all(cluster.nodes.map((node) => node.command('get', '{a}')))
  const node = cluster.nodes[replies.indexOf('1')]
  await node?.kill()
  const counting = connection.run(COUNT, ['{a}'], [])
  await node?.restart()
  // The counter starts again: these nodes store nothing on disk.
  expect(await counting).toBe(1)
  connection.close()
  await cluster.stop()
})

class Fleet {
  readonly #clock = new FakeClock()
  readonly #crawl = `chaos-${++crawls}`
  readonly #order: FrontierOrder
  readonly #workers: Array<{ worker: TestWorker; out: LeasedRequest[] }> = []
  readonly #seeds = new Set<number>()
  #redisDies = false

  constructor(order: FrontierOrder) {
    this.#order = order
    clock = this.#clock
    for (let i = 0; i < WORKERS; i++) this.#join(i)
  }

  async seed(): Promise<void> {
    await this.#add(0, 0)
    await this.#add(0, 1)
  }

  async make(i: number, move: Move): Promise<void> {
    if (move.kind === 'kill redis') this.#redisDies = true
    else if (move.kind === 'pass') await this.#pass(move.ms)
    else {
      const { worker } = this.#at(i)
      if (move.kind === 'resume') worker.resume()
      else if (!worker.isRunning) return
      else if (move.kind === 'suspend') worker.stop()
      else if (move.kind === 'die') this.#replace(i)
      else await this.#whileRedisDies(() => this.#call(i, move))
    }
  }

  /** One last worker processes all remaining requests. */
  async finish(): Promise<void> {
    for (const { worker } of this.#workers) worker.stop()
    const last = this.#join(WORKERS)
    const { frontier } = last.worker
    for (let rounds = 0; rounds < 1_000; rounds++) {
      await this.#lease(WORKERS, 50, 50)
      const { delayed, elsewhere = 0 } = await frontier.pending()
      if (last.out.length > 0) await this.#settle(WORKERS, last.out.length, 'done')
      else if (delayed + elsewhere > 0) await passTime(this.#clock, 1_000, [last.worker])
      else if ((await frontier.deadLetters.retryFailed()) === 0) break
    }
    const left = { ready: 0, delayed: 0, leased: 0, startsComplete: false }
    expect(await frontier.pending()).toEqual(left)
    expect(await itemUrls(frontier)).toEqual(PAGES.reachable(this.#seeds))
    expect(await brokenInvariants(connection, jobKeys(this.#crawl, false), this.#order)).toEqual([])
    for (const { worker } of this.#workers) await worker.frontier.close()
  }

  async #call(i: number, move: Move): Promise<void> {
    if (move.kind === 'add') await this.#add(i, move.page)
    else if (move.kind === 'lease') await this.#lease(i, move.requests, move.perHost)
    else if (move.kind === 'settle') await this.#settle(i, move.some, move.end)
    else if (move.kind === 'close') {
      await this.#at(i).worker.frontier.close()
      this.#replace(i)
    }
  }

  async #add(i: number, page: number): Promise<void> {
    this.#seeds.add(page)
    await this.#at(i).worker.frontier.add([PAGES.request(page)])
  }

  async #lease(i: number, requests: number, perHost: number): Promise<void> {
    const { worker, out } = this.#at(i)
    const leases = await worker.frontier.lease({ requests, perHost, now: this.#clock.now() })
    for (const lease of leases) {
      const others = this.#workers.filter((other) => other.worker !== worker)
      for (const other of others) expect(other.worker.frontier.holds(lease.host)).toBe(false)
      out.push(...lease.requests)
    }
  }

  async #settle(i: number, some: number, end: RequestEnd['kind']): Promise<void> {
    const { worker, out } = this.#at(i)
    const ends = {
      done: { kind: 'done' },
      retry: { kind: 'retry', at: this.#clock.now() + 500, reason: 'busy' },
      requeue: { kind: 'requeue' },
      failed: { kind: 'failed', code: 'http-500', reason: 'HTTP 500' },
    } as const
    const settlements = out.splice(0, some).map((leased) => PAGES.settlement(leased, ends[end]))
    await worker.frontier.settle(settlements)
    // The same call again must be ignored.
    expect(await worker.frontier.settle(settlements)).toMatchObject({ ignored: settlements.length })
  }

  #pass(ms: number): Promise<void> {
    return passTime(
      this.#clock,
      ms,
      this.#workers.map(({ worker }) => worker),
    )
  }

  async #whileRedisDies(call: () => Promise<void>): Promise<void> {
    if (!this.#redisDies) return call()
    this.#redisDies = false
    const calling = call()
    await server.restart()
    await calling
  }

  #at(i: number): { worker: TestWorker; out: LeasedRequest[] } {
    return this.#workers[i] ?? this.#join(i)
  }

  #join(i: number): { worker: TestWorker; out: LeasedRequest[] } {
    const options = { order: this.#order, maxDeliveries: 1_000 }
    const joined = { worker: new TestWorker(connection, this.#clock, this.#crawl, options), out: [] }
    this.#workers[i] = joined
    return joined
  }

  #replace(i: number): void {
    this.#at(i).worker.stop()
    this.#join(i)
  }
}
