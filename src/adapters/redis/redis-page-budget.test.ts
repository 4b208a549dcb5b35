import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { pageBudgetContract } from '../../../testing/page-budget-contract.ts'
import { passTime, TestWorker } from '../../../testing/redis-fleet.ts'
import type { RedisServer } from '../../../testing/redis-server.ts'
import { withTimeOf } from '../../../testing/redis-time.ts'
import { repeatCalls } from '../../../testing/repeat-calls.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import type { PageBudget } from '../../domain/frontier/page-budget.ts'
import type { RedisConnection } from './redis-connection.ts'

describe('RedisPageBudget', () => {
  let server: RedisServer
  let connection: RedisConnection
  let clock = new FakeClock()
  let workers: TestWorker[] = []
  let crawl = ''
  let crawls = 0

  useRedis((started) => {
    server = started.server
    connection = withTimeOf(started.connection, () => clock.now())
  })
  beforeEach(() => {
    clock = new FakeClock()
    crawl = `budget-${++crawls}`
  })
  afterEach(async () => {
    for (const { frontier } of workers) await frontier.close()
    workers = []
  })

  function join(limit: number, through = connection): { worker: TestWorker; budget: PageBudget } {
    const worker = new TestWorker(through, clock, crawl)
    workers.push(worker)
    return { worker, budget: worker.frontier.pageBudget(limit) }
  }
  /** A worker fetches all pages that the limit allows, and leaves. */
  async function finishRun(limit: number): Promise<void> {
    const { worker, budget } = join(limit)
    await budget.reserve({ pages: 0, kept: 0, wanted: limit })
    await budget.reserve({ pages: limit, kept: 0, wanted: 0 })
    await worker.frontier.close()
    workers = []
  }
  const pass = (ms: number) => passTime(clock, ms, workers)
  const stored = (field: string) => server.command('HGET', `orbweaver:{${crawl}}:budget`, field)

  pageBudgetContract('RedisPageBudget', (limit) => {
    crawl = `budget-${++crawls}`
    return join(limit).budget
  })
  it('counts each page and each reservation once if every call is repeated', async () => {
    const { budget } = join(10, repeatCalls(connection))
    await budget.reserve({ pages: 0, kept: 0, wanted: 3 })
    expect(await budget.reserve({ pages: 3, kept: 0, wanted: 2 })).toMatchObject({ reserved: 2, left: 7 })
    expect(await budget.reserve({ pages: 2, kept: 0, wanted: 0 })).toMatchObject({ reserved: 0, left: 5 })
    expect((await stored('reserved')).trim()).toBe('0')
  })

  it('counts the pages and the reservations of all workers', async () => {
    const [{ budget: a }, { budget: b }] = [join(10), join(10)]
    expect(await a.reserve({ pages: 0, kept: 0, wanted: 10 })).toMatchObject({ reserved: 10 })
    expect(await b.reserve({ pages: 0, kept: 0, wanted: 5 })).toMatchObject({ reserved: 0, left: 10 })
    expect(await a.reserve({ pages: 4, kept: 2, wanted: 2 })).toMatchObject({ reserved: 2, left: 6 })
    // 4 are free, for two workers.
    expect(await b.reserve({ pages: 0, kept: 0, wanted: 5 })).toMatchObject({ reserved: 1, left: 6 })
    expect(await b.reserve({ pages: 1, kept: 0, wanted: 1 })).toMatchObject({ reserved: 1, left: 5 })
  })

  it('gives every page to some worker, and not one more', async () => {
    const budgets = [join(25), join(25), join(25)].map(({ budget }) => budget)
    const pages = [0, 0, 0]
    const held = [0, 0, 0]
    for (let i = 0; i < 100; i++) {
      const n = i % 3
      const fetched = held[n] ?? 0
      const reply = await budgets[n]?.reserve({ pages: fetched, kept: 0, wanted: 4 })
      pages[n] = (pages[n] ?? 0) + fetched
      held[n] = reply?.reserved ?? 0
    }
    expect(pages.reduce((sum, count) => sum + count, 0)).toBe(25)
    expect(pages.every((count) => count > 0)).toBe(true)
  })

  it('returns the reservations of a lost worker when its lease has expired, and not before', async () => {
    const [{ worker: lost, budget: a }, { budget: b }] = [join(10), join(10)]
    await a.reserve({ pages: 0, kept: 0, wanted: 10 })
    await a.reserve({ pages: 3, kept: 7, wanted: 7 })
    await b.reserve({ pages: 0, kept: 0, wanted: 1 })
    lost.stop()
    await pass(28_000)
    expect(await b.reserve({ pages: 0, kept: 0, wanted: 9 })).toMatchObject({ reserved: 0, left: 7 })
    await pass(8_000)
    expect(await b.reserve({ pages: 0, kept: 0, wanted: 9 })).toMatchObject({ reserved: 7, left: 7 })
    // It was only suspended: its reservations belong to the other one now.
    lost.resume()
    expect(await a.reserve({ pages: 0, kept: 7, wanted: 7 })).toEqual({ reserved: 0, left: 7, isLost: true })
    expect(await a.reserve({ pages: 0, kept: 0, wanted: 7 })).toEqual({ reserved: 0, left: 7, isLost: false })
  })

  it('returns the reservations of a worker that leaves', async () => {
    const [{ worker, budget: a }, { budget: b }] = [join(4), join(4)]
    await a.reserve({ pages: 0, kept: 0, wanted: 4 })
    await worker.frontier.close()
    expect(await b.reserve({ pages: 0, kept: 0, wanted: 4 })).toMatchObject({ reserved: 4 })
  })

  it('continues a run with a worker that joins within a lease, and begins a new run after that', async () => {
    await finishRun(5)
    clock.advance(29_000)
    const late = join(5)
    expect(await late.budget.reserve({ pages: 0, kept: 0, wanted: 1 })).toMatchObject({ left: 0 })
    await late.worker.frontier.close()
    workers = []
    clock.advance(31_000)
    const next = join(5)
    expect(await next.budget.reserve({ pages: 0, kept: 0, wanted: 1 })).toMatchObject({
      reserved: 1,
      left: 5,
    })
  })

  it('continues a run with a higher limit', async () => {
    await finishRun(5)
    const { budget } = join(8)
    expect(await budget.reserve({ pages: 0, kept: 0, wanted: 9 })).toMatchObject({ reserved: 3, left: 3 })
  })

  it('does not begin a new run while an idle worker takes part, nor after an outage', async () => {
    const { budget: a } = join(5)
    await a.reserve({ pages: 0, kept: 0, wanted: 5 })
    await a.reserve({ pages: 2, kept: 0, wanted: 0 })
    await pass(120_000)
    expect(await join(5).budget.reserve({ pages: 0, kept: 0, wanted: 0 })).toMatchObject({ left: 3 })
    // No worker could reach Redis.
    clock.advance(120_000)
    expect(await join(5).budget.reserve({ pages: 0, kept: 0, wanted: 0 })).toMatchObject({ left: 3 })
    expect(await a.reserve({ pages: 1, kept: 0, wanted: 0 })).toMatchObject({ left: 2 })
  })

  it('is deleted with the crawl', async () => {
    const { worker, budget } = join(5)
    await budget.reserve({ pages: 2, kept: 0, wanted: 0 })
    expect((await stored('pages')).trim()).toBe('2')
    await worker.frontier.control.clear({ force: true })
    expect((await stored('pages')).trim()).toBe('')
  })

  it.each(['x', '-5', 'nan', '1e300', ''])(
    'reserves no more than the limit with stored values %j',
    async (value) => {
      const { budget } = join(5)
      await budget.reserve({ pages: 0, kept: 0, wanted: 0 })
      for (const field of ['pages', 'reserved', 'at'])
        await server.command('HSET', `orbweaver:{${crawl}}:budget`, field, value)
      const { reserved, left } = await budget.reserve({ pages: 0, kept: 0, wanted: 9 })
      expect(reserved).toBeLessThanOrEqual(5)
      expect(left).toBeLessThanOrEqual(5)
    },
  )
})
