import { beforeEach, describe, expect, it } from 'vitest'
import type { RedisServer } from '../../../testing/redis-server.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import type { FrontierOrder } from '../../domain/frontier/frontier.ts'
import { fleetHosts } from './fleet-hosts.ts'
import { jobKeys } from './keys.ts'
import { latestDeadLetters } from './latest-dead-letters.ts'
import { type OpenedRedisFrontier, openRedisFrontier } from './open-redis-frontier.ts'
import type { RedisConnection } from './redis-connection.ts'

let server: RedisServer
let connection: RedisConnection
let crawl: string
let crawls = 0

useRedis((started) => {
  ;({ server, connection } = started)
})
beforeEach(() => {
  crawl = `hosts-${++crawls}`
})

async function withWorker(
  order: FrontierOrder,
  use: (worker: OpenedRedisFrontier) => Promise<void>,
): Promise<void> {
  const worker = await openRedisFrontier(server.address, crawl, { order })
  try {
    await use(worker)
  } finally {
    await worker.close()
  }
}

const keys = () => jobKeys(crawl, false)

const requests = (hosts: number, pages: number) =>
  Array.from({ length: hosts * pages }, (_, i) => ({
    ...{ url: `http://h${i % hosts}.test/${i}`, handler: 'parse', depth: 0 },
  }))

describe('fleetHosts', () => {
  it.each(['hosts', 'fifo', 'priority'] as const)('lists held, free and delayed hosts (%s)', (order) =>
    withWorker(order, async ({ frontier, clock }) => {
      await frontier.add(requests(3, 2))
      const leases = await frontier.lease({ requests: 2, perHost: 1, now: clock.now() })
      const [held, delayed] = leases.map(({ host }) => host)
      const id = leases[1]?.requests[0]?.id ?? ''
      const readyAt = Math.ceil(clock.now()) + 60_000
      await frontier.settle(
        [{ id, end: { kind: 'done' }, requests: [], items: [], rejected: [] }],
        [{ key: delayed ?? '', readyAt, failures: 2, crawlDelayMs: 0, latencyMs: 80 }],
      )
      const hosts = await fleetHosts(connection, [keys()], 100)
      expect(hosts.map(({ host }) => host).sort()).toEqual(['h0.test', 'h1.test', 'h2.test'])
      const of = (name: string | undefined) => hosts.find(({ host }) => host === name)
      expect(of(held)).toEqual({ host: held, worker: expect.any(Number), ready: 1, leased: 1 })
      expect(of(delayed)).toMatchObject({ ready: 1, leased: 0, throttle: { readyAt, failures: 2 } })
      expect(of(delayed)?.worker).toBeUndefined()
      expect(of('h2.test')).toEqual({ host: 'h2.test', ready: 2, leased: 0 })
    }),
  )

  it('reads thousands of hosts in steps, and stops at the limit', () =>
    withWorker('hosts', async ({ frontier }) => {
      await frontier.add(requests(1_200, 1))
      expect(await fleetHosts(connection, [keys()], 10_000)).toHaveLength(1_200)
      const some = await fleetHosts(connection, [keys()], 300)
      expect(some.length).toBeGreaterThanOrEqual(300)
      expect(some.length).toBeLessThan(1_000)
    }))

  it('is empty for a crawl that does not exist', async () => {
    expect(await fleetHosts(connection, [keys()], 100)).toEqual([])
  })
})

describe('latestDeadLetters', () => {
  it('counts all, and reads the newest first', () =>
    withWorker('hosts', async ({ frontier, clock }) => {
      expect(await latestDeadLetters(connection, [keys()], 5)).toEqual({ total: 0, latest: [] })
      await frontier.add(requests(4, 1))
      for (let i = 0; i < 4; i++) {
        const [lease] = await frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
        const id = lease?.requests[0]?.id ?? ''
        const failure = { code: `http-${400 + i}`, reason: 'no' }
        await frontier.settle([
          { id, end: { kind: 'failed', ...failure }, requests: [], items: [], rejected: [] },
        ])
      }
      const { total, latest } = await latestDeadLetters(connection, [keys()], 2)
      expect([total, latest.map(({ code }) => code)]).toEqual([4, ['http-403', 'http-402']])
      // Any program may write there.
      await server.command('zadd', `${keys().base}:dead`, '99', 'not JSON')
      expect(await latestDeadLetters(connection, [keys()], 1)).toEqual({ total: 5, latest: [] })
    }))
})
