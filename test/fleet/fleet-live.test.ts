import { beforeEach, describe, expect, it } from 'vitest'
import { MAX_DELAYED_HOSTS } from '../../src/adapters/redis/crawl-control.ts'
import { type OpenedRedisFrontier, openRedisFrontier } from '../../src/adapters/redis/open-redis-frontier.ts'
import type { RedisConnection } from '../../src/adapters/redis/redis-connection.ts'
import type { RequestEnd, Settlement } from '../../src/domain/frontier/settlement.ts'
import { FleetLive } from '../../src/wiring/fleet-live.ts'
import type { RedisServer } from '../../testing/redis-server.ts'
import { useRedis } from '../../testing/use-redis.ts'

let server: RedisServer
let connection: RedisConnection
let crawl: string
let crawls = 0

useRedis((started) => {
  ;({ server, connection } = started)
})
beforeEach(() => {
  crawl = `live-${++crawls}`
})

/** A new one has read nothing yet. */
function fleetLive(): FleetLive {
  return new FleetLive(connection, crawl, {
    ...{ keys: {}, delayMs: 1_000 },
    async retryFailed(choice) {
      const { frontier, close } = await openRedisFrontier(server.address, crawl)
      const requeued = await frontier.deadLetters.retryFailed(choice)
      await close()
      return requeued
    },
  })
}

async function addPages({ frontier }: OpenedRedisFrontier, pages: number): Promise<void> {
  const url = (page: number) => `http://h${page}.test/${page}`
  await frontier.add(
    Array.from({ length: pages }, (_, i) => ({ url: url(i), handler: 'parse', depth: 0 })),
    'complete',
  )
}

async function settleNext(
  { frontier, clock }: OpenedRedisFrontier,
  end: RequestEnd,
  more: Partial<Settlement> = {},
): Promise<void> {
  const [lease] = await frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
  const id = lease?.requests[0]?.id ?? ''
  await frontier.settle([{ id, end, requests: [], items: [], rejected: [], ...more }])
}

describe('FleetLive', () => {
  it('finds a crawl only if it exists', async () => {
    expect(await fleetLive().find()).toBeUndefined()
    const worker = await openRedisFrontier(server.address, crawl)
    await addPages(worker, 1)
    const live = fleetLive()
    expect(await live.find()).toBe(live)
    await worker.close()
  })

  it('reports counts, the latest items and failures, newest first', async () => {
    const worker = await openRedisFrontier(server.address, crawl, { status: () => ({ pages: 7 }) })
    await addPages(worker, 30)
    for (let i = 0; i < 25; i++) await settleNext(worker, { kind: 'done' }, { items: [{ i }] })
    await settleNext(worker, { kind: 'done' }, { rejected: [{ item: { i: 'x' }, reason: 'i: no number' }] })
    await settleNext(worker, { kind: 'failed', code: 'http-404', reason: 'not found' })
    await worker.frontier.renew()
    const report = await fleetLive().report()
    expect(report).toMatchObject({
      ...{ kind: 'fleet', name: crawl, state: 'running', activity: '1 worker', queued: 3 },
      totals: { pages: 26, items: 25, errors: 1 },
      outcomes: { success: 26, 'http-404': 1 },
      failures: [{ code: 'http-404', reason: 'not found', url: expect.stringContaining('.test/') }],
      fleet: { deadLetters: 1, startUrls: 0, workers: [{ pages: 7 }], queue: { items: 25 } },
    })
    expect(report.items?.latest.map(({ item }) => item['i'])).toEqual(
      Array.from({ length: 20 }, (_, i) => 24 - i),
    )
    expect(report.items?.rejected).toMatchObject([{ item: { i: 'x' }, reason: 'i: no number' }])
    expect(report.actions).toEqual(['pause', 'resume', 'stop', 'set-delay', 'retry-failed'])
    // Plain data: no NaN, which JSON would change.
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
    await worker.close()
  })

  it('retries one failed request, or all', async () => {
    const worker = await openRedisFrontier(server.address, crawl)
    await addPages(worker, 3)
    for (let i = 0; i < 3; i++) await settleNext(worker, { kind: 'failed', code: 'x', reason: 'x' })
    await worker.close()
    const live = fleetLive()
    expect(await live.act({ action: 'retry-failed', url: 'http://h1.test/1' })).toEqual({
      ...{ ok: true, message: '1 request is queued again', data: { requests: 1 } },
    })
    expect(await live.act({ action: 'retry-failed', url: 'http://h1.test/1' })).toMatchObject({
      ...{ ok: false, message: 'no such request has failed' },
    })
    expect(await live.act({ action: 'retry-failed' })).toMatchObject({ data: { requests: 2 } })
    expect(await fleetLive().report()).toMatchObject({ queued: 3, fleet: { deadLetters: 0 } })
  })

  it('pauses, stops and resumes all workers, and says when the crawl is finished', async () => {
    const worker = await openRedisFrontier(server.address, crawl)
    const stateNow = async () => {
      const { state, activity } = await fleetLive().report()
      return [state, activity]
    }
    await addPages(worker, 1)
    await fleetLive().act({ action: 'pause' })
    expect(await stateNow()).toEqual(['paused', '1 worker'])
    await worker.frontier.renew()
    expect(worker.frontier.state).toBe('paused')
    await fleetLive().act({ action: 'stop' })
    expect(await stateNow()).toEqual(['stopping', '1 worker'])
    await fleetLive().act({ action: 'resume' })
    await settleNext(worker, { kind: 'done' })
    await worker.close()
    expect(await stateNow()).toEqual(['finished', 'the queue is empty'])
  })

  it('sets the delay of a host for all workers, and restores the configured one', async () => {
    const setDelay = (host: string, delayMs: number | null) =>
      fleetLive().act({ action: 'set-delay', host, delayMs })
    expect(await setDelay('h0.test', 5_000)).toEqual({
      ...{ ok: false, message: 'there is no such crawl in Redis; start a worker first' },
    })
    const worker = await openRedisFrontier(server.address, crawl)
    await addPages(worker, 3)
    let heard: Record<string, number> = {}
    worker.frontier.onHostDelays((delays) => {
      heard = Object.fromEntries(delays)
    })
    const delays = async () => {
      const { hosts } = await fleetLive().hosts({ sort: 'host', descending: false, offset: 0, limit: 2 })
      return hosts.map(({ delayMs, delaySetBy }) => [delayMs, delaySetBy])
    }
    expect(await setDelay('H0.test', 5_000)).toEqual({
      ok: true,
      message:
        'the delay of h0.test is set to 5 s until the crawl is cleared; workers apply it in seconds, and a longer delay that the host demands stays in force',
    })
    await worker.frontier.renew()
    expect(heard).toEqual({ 'h0.test': 5_000 })
    expect(await delays()).toEqual([
      [5_000, 'operator'],
      [1_000, 'config'],
    ])
    expect(await setDelay('http://h0.test/', 5_000)).toMatchObject({
      ok: false,
      message: expect.stringContaining('is not a host'),
    })
    expect(await setDelay('h0.test', -1)).toMatchObject({
      ok: false,
      message: 'the delay of h0.test must be between 0 and 86400 seconds',
    })
    expect(await setDelay('h0.test', null)).toMatchObject({
      ok: true,
      message: 'the configured delay of h0.test is restored; workers apply it in seconds',
    })
    await worker.frontier.renew()
    expect(heard).toEqual({})
    expect(await delays()).toEqual([
      [1_000, 'config'],
      [1_000, 'config'],
    ])
    for (let i = 0; i < MAX_DELAYED_HOSTS; i++) await worker.frontier.control.setHostDelay(`x${i}.test`, 0)
    expect(await setDelay('h0.test', 5_000)).toMatchObject({
      ok: false,
      message: expect.stringContaining('restore the configured delay of another host first'),
    })
    await worker.close()
  })

  it('shows the longer delay that a host demands, with its cause, although an operator set one', async () => {
    const worker = await openRedisFrontier(server.address, crawl)
    const now = Math.floor(worker.clock.now())
    await addPages(worker, 2)
    const throttle = { readyAt: now, endedAt: now, failures: 0, crawlDelayMs: 0, latencyMs: 0 }
    const leases = await worker.frontier.lease({ requests: 2, perHost: 1, now })
    const ends = leases.flatMap(({ requests: [one] }) => ({
      ...{ id: one?.id ?? '', end: { kind: 'retry', at: now, reason: 'x' } as const },
      ...{ requests: [], items: [], rejected: [] },
    }))
    await worker.frontier.settle(ends, [
      { ...throttle, key: 'h0.test', crawlDelayMs: 8_000, readyAt: now + 8_000 },
      { ...throttle, key: 'h1.test', failures: 2, readyAt: now + 9_000 },
    ])
    for (const host of ['h0.test', 'h1.test'])
      await fleetLive().act({ action: 'set-delay', host, delayMs: 100 })
    const { hosts } = await fleetLive().hosts({ sort: 'host', descending: false, offset: 0, limit: 2 })
    expect(hosts.map(({ delayMs, delaySetBy }) => [delayMs, delaySetBy])).toEqual([
      [8_000, 'robots'],
      [9_000, 'back-off'],
    ])
    await worker.close()
  })

  it('lists hosts with their throttle state, robots.txt and worker', async () => {
    const worker = await openRedisFrontier(server.address, crawl, { name: 'first worker' })
    const now = worker.clock.now()
    await addPages(worker, 3)
    await worker.robots.put({
      origin: 'http://h0.test',
      finding: { kind: 'unavailable', reason: '404', checkedAt: now, freshUntil: now + 60_000 },
    })
    await worker.robots.put({
      origin: 'https://h1.test',
      outage: { reason: 'ETIMEDOUT', since: now, failures: 1, retryAt: now + 60_000 },
    })
    await worker.frontier.lease({ requests: 1, perHost: 1, now })
    const list = await fleetLive().hosts({ sort: 'host', descending: false, offset: 0, limit: 2 })
    expect(list).toMatchObject({
      total: 3,
      hosts: [
        {
          host: 'h0.test',
          inFlight: 1,
          worker: 'first worker',
          delayMs: 1_000,
          robots: { state: 'missing' },
        },
        {
          host: 'h1.test',
          queued: 1,
          delaySetBy: 'config',
          robots: { state: 'failed', reason: 'ETIMEDOUT' },
        },
      ],
    })
    expect(list.hosts[1]?.worker).toBeUndefined()
    expect(
      await fleetLive().hosts({ sort: 'queued', descending: true, offset: 0, limit: 5, contains: 'H2' }),
    ).toMatchObject({ total: 1, hosts: [{ host: 'h2.test' }] })
    await worker.close()
  })
})
