import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { passTime, TestWorker } from '../../../testing/redis-fleet.ts'
import { brokenInvariants } from '../../../testing/redis-invariants.ts'
import { type RedisServer, startRedis, startRedisCluster } from '../../../testing/redis-server.ts'
import { withTimeOf } from '../../../testing/redis-time.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { FleetState } from '../../domain/frontier/fleet.ts'
import type { HostLease } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import type { HostState } from '../../domain/politeness/host-throttle.ts'
import { beginClearing, MAX_DELAYED_HOSTS } from './crawl-control.ts'
import { storedHostDelays } from './host-delays.ts'
import { Job } from './job.ts'
import { jobKeys } from './keys.ts'
import { parseRedisAddress } from './redis-address.ts'
import { connectRedis, type RedisConnection } from './redis-connection.ts'
import type { RedisFrontierOptions } from './redis-frontier.ts'
import { CrawlForgotten } from './worker-session.ts'

describe.each([
  ['one Redis', startRedis],
  ['a cluster', startRedisCluster],
] as const)('the control of a crawl in %s', (_, start) => {
  let server: Awaited<ReturnType<typeof start>>
  let nodes: readonly RedisServer[]
  let connection: RedisConnection
  let clock: FakeClock
  let crawl: string
  let crawls = 0

  beforeAll(async () => {
    server = await start()
    nodes = 'nodes' in server ? server.nodes : [server]
    connection = withTimeOf(await connectRedis(parseRedisAddress(server.address)), () => clock.now())
  })
  afterAll(async () => {
    connection?.close()
    await server?.stop()
  })
  beforeEach(() => {
    clock = new FakeClock()
    crawl = `control-${++crawls}`
  })

  const join = (options: RedisFrontierOptions = {}) => new TestWorker(connection, clock, crawl, options)
  const lease = ({ frontier }: TestWorker) => frontier.lease({ requests: 100, perHost: 2, now: clock.now() })
  /** The delays of hosts that a worker was told of, each time. */
  function delaysOf({ frontier }: TestWorker): Record<string, number>[] {
    const heard: Record<string, number>[] = []
    frontier.onHostDelays((delays) => heard.push(Object.fromEntries(delays)))
    return heard
  }
  /** All keys of all crawls, or of those that begin so; without their base. */
  async function keysLeft(base = jobKeys(crawl, connection.isCluster).base): Promise<string[]> {
    const lists = await Promise.all(nodes.map((node) => node.command('keys', '*')))
    const keys = lists.flatMap((list) => list.split('\n'))
    return keys
      .filter((key) => key.startsWith(base))
      .map((key) => key.slice(base.length + 1))
      .sort()
  }

  it('can be paused and drained, and hosts slowed down, while the memory of Redis is full', async () => {
    const { frontier } = join()
    await frontier.add(pages('a.test', 1))
    for (const node of nodes) await node.command('config', 'set', 'maxmemory', '1')
    try {
      for (const state of ['paused', 'draining', undefined] as const) {
        await frontier.control.setState(state)
        await frontier.counts()
        expect(frontier.state).toBe(state)
      }
      expect(await frontier.control.setHostDelay('a.test', 1_000)).toBe('ok')
    } finally {
      for (const node of nodes) await node.command('config', 'set', 'maxmemory', '0')
    }
    await frontier.close()
  })

  it('leases nothing while it is paused or drained, to present and to new workers', async () => {
    const heard: Array<FleetState | undefined> = []
    const [a, operator] = [join({ onState: (state) => heard.push(state) }), join()]
    await a.frontier.add([...pages('a.test', 2), ...pages('b.test', 2)])
    const [first] = await a.frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
    expect(first?.requests).toHaveLength(1)
    for (const state of ['paused', 'draining'] as const) {
      await operator.frontier.control.setState(state)
      await a.frontier.renew()
      expect(a.frontier.state).toBe(state)
      // Requests that were sent are settled, and the worker keeps their host until then.
      expect(a.frontier.holds('a.test')).toBe(true)
      const late = join()
      expect(await lease(late)).toEqual([])
      expect(late.frontier.state).toBe(state)
      await late.frontier.close()
    }
    await a.frontier.settle((first?.requests ?? []).map(done))
    expect(await lease(a)).toEqual([])
    expect(await a.frontier.pending()).toMatchObject({ ready: 3, leased: 0 })
    await operator.frontier.control.setState(undefined)
    expect(await lease(a)).toHaveLength(2)
    expect(heard).toEqual(['paused', 'draining', undefined])
    await a.frontier.close()
  })

  it('sends delays of hosts to present workers when they change, and to new workers when they join', async () => {
    const [a, operator] = [join(), join()]
    const control = operator.frontier.control
    expect(await control.setHostDelay('a.test', 5_000)).toBe('none')
    await a.frontier.add(pages('a.test', 1))
    const heard = delaysOf(a)
    expect(await control.setHostDelay('a.test', 5_000)).toBe('ok')
    expect(await control.setHostDelay('b.test', 0)).toBe('ok')
    await a.frontier.renew()
    const both = { 'a.test': 5_000, 'b.test': 0 }
    expect(heard).toEqual([{}, both])
    // Not sent again while nothing changes.
    await a.frontier.renew()
    expect(heard).toHaveLength(2)
    const late = join()
    const lateHeard = delaysOf(late)
    await lease(late)
    await late.frontier.renew()
    expect(lateHeard).toEqual([{}, both])

    expect(await control.setHostDelay('a.test', null)).toBe('ok')
    for (const worker of [a, late]) await worker.frontier.renew()
    expect([heard.at(-1), lateHeard.at(-1)]).toEqual([{ 'b.test': 0 }, { 'b.test': 0 }])
    for (const worker of [a, late]) await worker.frontier.close()
  })

  it('sends the delays that a Redis has after it lost its latest writes, and to a worker that was lost', async () => {
    const [a, operator] = [join(), join()]
    await a.frontier.add(pages('a.test', 1))
    const heard = delaysOf(a)
    const { control } = operator.frontier
    await control.setHostDelay('a.test', 5_000)
    await a.frontier.renew()
    a.stop()
    clock.advance(90_000)
    await lease(operator)
    clock.advance(90_000)
    await lease(operator)
    await control.setHostDelay('a.test', 6_000)
    a.resume()
    await a.frontier.pending()
    await a.frontier.renew()
    await lease(a)
    expect(heard.at(-1)).toEqual({ 'a.test': 6_000 })
    // As if the change had not been saved before a restart.
    const { base } = jobKeys(crawl, connection.isCluster)
    for (const node of nodes) await node.command('hdel', `${base}:counts`, 'hostDelaysVersion')
    for (const node of nodes) await node.command('del', `${base}:host-delays`)
    await a.frontier.renew()
    expect(heard.at(-1)).toEqual({})
    for (const worker of [a, operator]) await worker.frontier.close()
  })

  it('limits the number of hosts with a delay of their own, and skips values that are not delays', async () => {
    const { frontier } = join()
    await frontier.add(pages('a.test', 1))
    const { control } = frontier
    for (let i = 0; i < MAX_DELAYED_HOSTS; i++)
      expect(await control.setHostDelay(`h${i}.test`, 1_000)).toBe('ok')
    expect(await control.setHostDelay('other.test', 1_000)).toBe('full')
    expect(await control.setHostDelay('other.test', null)).toBe('ok')
    expect(await control.setHostDelay('h1.test', 2_000.5)).toBe('ok')
    const keys = jobKeys(crawl, connection.isCluster)
    expect((await storedHostDelays(connection, [keys])).get('h1.test')).toBe(2_001)
    expect(await control.setHostDelay('h0.test', null)).toBe('ok')
    expect(await control.setHostDelay('other.test', 1_000)).toBe('ok')
    for (const value of ['-1', 'soon', '1e9', '']) {
      for (const node of nodes)
        await node.command('hset', `${keys.base}:host-delays`, 'h2.test', value).catch(() => {})
      const stored = await storedHostDelays(connection, [keys])
      expect([stored.size, stored.has('h2.test')]).toEqual([MAX_DELAYED_HOSTS - 1, false])
    }
    await frontier.close()
  })

  it('delays a host by the delay of the operator after its worker was lost', async () => {
    const [a, b] = [join({ restMs: 1_000 }), join({ restMs: 1_000 })]
    await a.frontier.add(pages('a.test', 2))
    await a.frontier.control.setHostDelay('a.test', 600_000)
    await a.frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
    expect(await lease(b)).toEqual([])
    a.stop()
    await passTime(clock, 60_000, [b])
    const [lent] = await lease(b)
    expect(lent?.host).toBe('a.test')
    expect(lent?.throttle?.readyAt).toBeGreaterThan(clock.now() + 500_000)
    await b.frontier.close()
  })

  it('is also paused for a worker that was suspended', async () => {
    const [a, operator] = [join(), join()]
    await a.frontier.add(pages('a.test', 1))
    await operator.frontier.control.setState('paused')
    await passTime(clock, 60_000, [a])
    expect(await lease(a)).toEqual([])
    expect((await a.frontier.workers()).length).toBe(1)
    await operator.frontier.control.setState(undefined)
    expect(await lease(a)).toHaveLength(1)
    await a.frontier.close()
  })

  it('knows when a request was last added or settled by any worker', async () => {
    const [a, b] = [join(), join()]
    const activeAt = async () => {
      await b.frontier.pending()
      return b.frontier.activeAt
    }
    expect(await activeAt()).toBe(0)
    await a.frontier.add([], 'complete')
    const joinedAt = clock.now()
    expect(await activeAt()).toBe(joinedAt)
    clock.advance(1_000)
    await lease(b)
    expect(await activeAt()).toBe(joinedAt)
    await a.frontier.add(pages('a.test', 1))
    expect(await activeAt()).toBe(joinedAt + 1_000)
    const leases = await lease(a)
    clock.advance(1_000)
    await a.frontier.add(pages('a.test', 1))
    expect(await activeAt()).toBe(joinedAt + 1_000)
    await a.frontier.settle(leases.flatMap(({ requests }) => requests.map(done)))
    expect(await activeAt()).toBe(joinedAt + 2_000)
    await a.frontier.close()
    await b.frontier.close()
  })

  it('clears a crawl except its items and the throttle state of hosts', async () => {
    await fill()
    const worker = join()
    expect(await worker.frontier.control.clear()).toEqual({ ok: true })
    expect(await keysLeft()).toEqual(['counts', 'fades', 'item-urls', 'paces'])
    expect(await worker.frontier.counts()).toMatchObject({
      waiting: 0,
      seen: 0,
      failed: 0,
      items: 2,
      itemsLeft: 2,
    })
    expect(await worker.frontier.items.items(0, 10)).toMatchObject([{ position: 1 }, { position: 2 }])

    // Begun anew, every URL is new, and a host is as it was left.
    expect(await worker.frontier.add(pages('h1.test', 1))).toEqual({ added: 1, duplicates: 0 })
    const [lent] = await lease(worker)
    expect(lent).toMatchObject({ host: 'h1.test', throttle: { readyAt: clock.now() + 7_000 } })
    expect(await brokenInvariants(connection, jobKeys(crawl, connection.isCluster), 'hosts')).toEqual([])
    await worker.frontier.close()
  })

  it('clears items and start messages if the options say so', async () => {
    await fill()
    const starts = `{${crawl}}:start_urls`
    const { frontier } = join()
    expect(await frontier.control.clear({ items: true, starts: [starts] })).toEqual({ ok: true })
    expect(await keysLeft()).toEqual(['counts', 'fades', 'paces'])
    expect(await frontier.counts()).toMatchObject({ items: 0, itemsLeft: 0 })
  })

  it('does not clear another crawl with a similar name', async () => {
    const others = [crawl, `${crawl}x`, `${crawl}*?`]
    const keysBefore: string[][] = []
    for (crawl of others) {
      await fill()
      keysBefore.push(await keysLeft())
    }
    // As a pattern, it would stand for all of them.
    crawl = `${others[0]}*[?]\\`
    await fill()
    await join().frontier.control.clear({ items: true })
    expect(await keysLeft()).toEqual(['counts', 'fades', 'paces'])
    for (const [i, other] of others.entries()) {
      crawl = other
      expect(await keysLeft()).toEqual(keysBefore[i])
    }
  })

  it('is not cleared while it has workers, unless forced', async () => {
    const [a, operator] = [join(), join()]
    await a.frontier.add([...pages('a.test', 3), ...pages('b.test', 3)])
    const leases = await lease(a)
    expect(await operator.frontier.control.clear()).toEqual({ ok: false, workers: 1 })
    expect(await a.frontier.counts()).toMatchObject({ waiting: 2, leased: 4 })
    expect(await operator.frontier.control.clear({ force: true })).toEqual({ ok: true })
    const settled = await a.frontier.settle(leases.flatMap(({ requests }) => requests.map(done)))
    expect(settled.ignored).toBeGreaterThan(0)
    await expect(lease(a)).rejects.toThrow(CrawlForgotten)
    expect(await keysLeft()).toEqual(['counts'])
  })

  it('is cleared although its workers are lost', async () => {
    const [a, operator] = [join(), join()]
    await a.frontier.add(pages('a.test', 3))
    await lease(a)
    a.stop()
    clock.advance(31_000)
    expect(await operator.frontier.control.clear()).toEqual({ ok: true })
    expect(await keysLeft()).toEqual(['counts'])
  })

  it('is cleared completely by the next process if clearing was interrupted', async () => {
    await fill()
    const keys = jobKeys(crawl, connection.isCluster)
    const job = new Job(connection, keys, {
      order: 'hosts',
      leaseMs: 30_000,
      maxDeliveries: 10,
      keepThrottleMs: 0,
    })
    await beginClearing(job)
    expect((await keysLeft()).some((key) => key.startsWith('seen:'))).toBe(true)
    // Nothing of it is seen any more.
    const worker = join()
    expect(await worker.frontier.pending()).toMatchObject({ ready: 0, delayed: 0, leased: 0 })
    await worker.frontier.control.setState('paused')
    expect(await worker.frontier.add(pages('h1.test', 1))).toEqual({ added: 1, duplicates: 0 })
    expect((await keysLeft()).filter((key) => /^(seen|wait):/.test(key))).toHaveLength(2)
    expect(await lease(worker)).toHaveLength(1)
    expect(await brokenInvariants(connection, keys, 'hosts')).toEqual([])
    await worker.frontier.close()
  })

  /** A crawl with every kind of data and no workers. */
  async function fill(): Promise<void> {
    const a = join()
    const hosts = Array.from({ length: 30 }, (_, i) => pages(`h${i + 1}.test`, 20))
    await a.frontier.add(hosts.flat())
    await a.frontier.add([{ ...request('http://later.test/'), notBefore: clock.now() + 3_600_000 }])
    const leases = await a.frontier.lease({ requests: 10, perHost: 1, now: clock.now() })
    const leased = leases.flatMap(({ requests }: HostLease) => requests)
    const [one, two, three] = leased.map((lent) => done(lent)) as [Settlement, Settlement, Settlement]
    await a.frontier.settle(
      [
        { ...one, items: [{ n: 1 }, { n: 2 }] },
        { ...two, end: { kind: 'failed', code: 'http-404', reason: 'gone' } },
        three,
      ],
      [throttle('h1.test', clock.now() + 7_000)],
    )
    await a.frontier.control.setHostDelay('h1.test', 9_000)
    await a.frontier.close()
  }
})

function pages(host: string, n: number): CrawlRequest[] {
  return Array.from({ length: n }, (_, i) => request(`http://${host}/${i + 1}`))
}

function request(url: string): CrawlRequest {
  return { url, handler: 'parse', depth: 0 }
}

function done({ id }: { readonly id: string }): Settlement {
  return { id, end: { kind: 'done' }, requests: [], items: [], rejected: [] }
}

function throttle(key: string, readyAt: number): HostState {
  return { key, readyAt, failures: 0, crawlDelayMs: 0, latencyMs: 0 }
}
