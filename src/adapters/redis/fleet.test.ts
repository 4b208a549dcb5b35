import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { passTime, TestWorker } from '../../../testing/redis-fleet.ts'
import { brokenInvariants } from '../../../testing/redis-invariants.ts'
import type { RedisServer } from '../../../testing/redis-server.ts'
import { withTimeOf } from '../../../testing/redis-time.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { HostLease, LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { DELAY_TOO_LONG, type HostState } from '../../domain/politeness/host-throttle.ts'
import { Job } from './job.ts'
import { jobKeys } from './keys.ts'
import { type RedisConnection, RedisRefused } from './redis-connection.ts'
import type { RedisFrontierOptions } from './redis-frontier.ts'
import { SCRIPTS } from './redis-scripts.ts'

describe('a fleet', () => {
  let server: RedisServer
  let connection: RedisConnection
  let clock: FakeClock
  /** How far the clock of Redis is ahead of the workers' (ms). */
  let serverAheadMs: number
  let workers: TestWorker[]
  let crawl: string
  let crawls = 0

  useRedis((started) => {
    server = started.server
    connection = withTimeOf(started.connection, () => clock.now() + serverAheadMs)
  })
  beforeEach(() => {
    clock = new FakeClock()
    serverAheadMs = 0
    workers = []
    crawl = `fleet-${++crawls}`
  })
  afterEach(async () => {
    expect(await brokenInvariants(connection, jobKeys(crawl, false), 'hosts')).toEqual([])
    for (const { frontier } of workers) await frontier.close()
  })

  function join(options: RedisFrontierOptions = {}): TestWorker {
    const worker = new TestWorker(connection, clock, crawl, options)
    workers.push(worker)
    return worker
  }
  const lease = ({ frontier }: TestWorker, requests = 100, perHost = 100) =>
    frontier.lease({ requests, perHost, now: clock.now() })
  const pending = ({ frontier }: TestWorker) => frontier.pending()
  const pass = (ms: number) => passTime(clock, ms, workers)

  it('leases a host to one worker at a time', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add([...pages('a.test', 4), ...pages('b.test', 2)])
    const [first] = await lease(a, 1)
    expect(first?.host).toBe('a.test')
    expect(hostsOf(await lease(b))).toEqual(['b.test'])
    expect(await pending(b)).toMatchObject({ ready: 0, leased: 2, elsewhere: 4 })
    expect(await pending(a)).toMatchObject({ ready: 3, leased: 1, elsewhere: 2 })
    // What is found for a host that another has is for the other.
    await b.frontier.add([request('http://a.test/new')])
    expect(await lease(b)).toEqual([])
    expect(urlsOf(await lease(a))).toHaveLength(4)
  })

  it('gives a host to the next worker when all its requests are settled', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 3))
    const [one, two] = requestsOf(await lease(a, 2)) as [LeasedRequest, LeasedRequest]
    await a.frontier.settle([done(one)])
    expect(await lease(b)).toEqual([])
    expect(a.frontier.holds('a.test')).toBe(true)
    await a.frontier.settle([done(two)])
    expect(a.frontier.holds('a.test')).toBe(false)
    expect(urlsOf(await lease(b))).toEqual(['http://a.test/3'])
  })

  it('gives the requests of a lost worker to the others when its lease has expired, and not before', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add([...pages('a.test', 3), ...pages('b.test', 1)])
    const held = await lease(a, 3)
    expect(hostsOf(held).sort()).toEqual(['a.test', 'b.test'])
    await b.frontier.add([])
    await b.frontier.pending()
    await lease(b)
    a.stop()
    await pass(29_000)
    expect(await lease(b)).toEqual([])
    await pass(1_000)
    const taken = await lease(b)
    expect(urlsOf(taken).sort()).toEqual([
      'http://a.test/1',
      'http://a.test/2',
      'http://a.test/3',
      'http://b.test/1',
    ])
    expect(requestsOf(taken).every(({ attempt }) => attempt === 1)).toBe(true)
    expect(await pending(b)).toEqual({ ready: 0, delayed: 0, leased: 4, startsComplete: false })

    a.resume()
    const late = requestsOf(held).map((leased) => ({
      ...done(leased),
      items: [{ late: true }],
      requests: pages('late.test', 1),
    }))
    expect(await a.frontier.settle(late)).toEqual({ added: 0, duplicates: 0, ignored: 3 })
    expect(await a.frontier.items.items(0, 10)).toEqual([])
    expect(await b.frontier.settle(requestsOf(taken).map(done))).toMatchObject({ ignored: 0 })
    expect(await pending(b)).toEqual({ ready: 0, delayed: 0, leased: 0, startsComplete: false })
  })

  it('rejects settlements of an expired lease in Redis', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 2))
    const [one] = requestsOf(await lease(a, 1)) as [LeasedRequest]
    const [fence = '', call = '', arrival = ''] = one.id.split('-')
    const settle = (leaseCall: string, number: number) => {
      const job = new Job(connection, jobKeys(crawl, false), RULES)
      const settlement = [leaseCall, arrival, 'a.test', '', 'done', '', '', '', '0', '0', '0', '0']
      return job.run(SCRIPTS.settle, { fence, call: number }, ['0', ...settlement])
    }
    expect(await settle(String(Number(call) + 1), 3)).toBe('0 0 1')
    expect(await settle(call, 4)).toBe('0 0 0')
    expect(await settle(call, 4)).toBe('0 0 0')
    // A copy that comes late, and one before which Redis has missed some.
    expect(await settle(call, 3)).toBe('behind')
    expect(await settle(call, 6)).toBe('behind')
    await lease(b)
    a.stop()
    await pass(30_000)
    await lease(b)
    expect(await settle(call, 5)).toBe('lost')
  })

  it('ignores a call that waited while the lease expired, even if its call number is used again', async () => {
    const [a, b] = [join(), join()]
    await b.frontier.add(pages('a.test', 2))
    const [old] = requestsOf(await lease(a, 1)) as [LeasedRequest]
    const claim = await a.frontier.claim('b.test')
    await lease(b)
    a.stop()
    await pass(32_000)
    await b.frontier.settle(requestsOf(await lease(b)).map(requeue))
    a.resume()
    const [, leases, settled] = await Promise.all([
      a.frontier.renew(),
      lease(a),
      a.frontier.settle([{ ...done(old), items: [{ late: true }] }]),
    ])
    expect(urlsOf(leases)).toContain('http://a.test/1')
    expect(settled).toEqual({ added: 0, duplicates: 0, ignored: 1 })
    expect(await a.frontier.items.items(0, 10)).toEqual([])
    // Nor does the end of an old claim end a new one.
    expect(await a.frontier.claim('b.test')).toBeDefined()
    if (claim !== undefined) await a.frontier.release(claim)
    expect(a.frontier.holds('b.test')).toBe(true)
  })

  it('makes a request that cannot be settled a dead letter, and settles the others', async () => {
    const a = join()
    await a.frontier.add(pages('a.test', 2))
    const [one, two] = requestsOf(await lease(a)) as [LeasedRequest, LeasedRequest]
    const bad = { ...done(two), requests: [request('http://b.test/', { priority: Number.NaN })] }
    expect(await a.frontier.settle([done(one), bad])).toEqual({ added: 0, duplicates: 0, ignored: 0 })
    expect(await a.frontier.deadLetters.failed()).toMatchObject([
      {
        request: two.request,
        code: 'cannot-settle',
        reason: expect.stringContaining('is not a finite number'),
      },
    ])
    expect(await pending(a)).toMatchObject({ ready: 0, leased: 0 })
  })

  it('makes a request whose settlement Redis rejects a dead letter', async () => {
    const refusing: RedisConnection = {
      ...connection,
      run: (script, keys, args) =>
        args.includes('{"bad":true}')
          ? Promise.reject(new RedisRefused('Redis refused settle: too much'))
          : connection.run(script, keys, args),
    }
    const a = new TestWorker(refusing, clock, crawl)
    workers.push(a)
    await a.frontier.add(pages('a.test', 3))
    const [one, two, three] = requestsOf(await lease(a)) as [LeasedRequest, LeasedRequest, LeasedRequest]
    const settlements = [done(one), { ...done(two), items: [{ bad: true }] }, done(three)]
    expect(await a.frontier.settle(settlements)).toEqual({ added: 0, duplicates: 0, ignored: 0 })
    expect(await a.frontier.deadLetters.failed()).toMatchObject([
      { request: two.request, code: 'cannot-settle', reason: 'Redis refused settle: too much' },
    ])
    expect(await a.frontier.counts()).toMatchObject({ done: 2, failed: 1, leased: 0 })
  })

  it('settles a page with 100,000 links and 20 MB of items', BIG, async () => {
    const a = join()
    await a.frontier.add(pages('a.test', 1))
    const [leased] = requestsOf(await lease(a)) as [LeasedRequest]
    const links = Array.from({ length: 100_000 }, (_, i) => request(`http://h${i % 50}.test/${i % 60_000}`))
    const again = Array.from({ length: 2_000 }, () => request('http://b.test/', { dontFilter: true }))
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(1_000) }))
    const settlement = { ...done(leased), requests: [...links, ...again], items }
    expect(await a.frontier.settle([settlement])).toEqual({ added: 62_000, duplicates: 40_000, ignored: 0 })
    expect(await a.frontier.counts()).toMatchObject({
      added: 62_001,
      duplicates: 40_000,
      items: 20_000,
      done: 1,
    })
  })

  it('loses and duplicates nothing when a worker is killed between adding the links of a page and settling it', async () => {
    const [a, b] = [join(), join()]
    const dying: RedisConnection = {
      ...connection,
      run: (script, keys, args) =>
        script.name === 'settle' ? new Promise(() => {}) : connection.run(script, keys, args),
    }
    const victim = new TestWorker(dying, clock, crawl)
    await a.frontier.add(pages('a.test', 1))
    const links = [...pages('b.test', 3_000), ...pages('b.test', 1_500)]
    const again = [request('http://c.test/', { dontFilter: true })]
    const settle = ({ frontier }: TestWorker, [leased]: LeasedRequest[]) =>
      leased && frontier.settle([{ ...done(leased), requests: [...links, ...again], items: [{ n: 1 }] }])
    void settle(victim, requestsOf(await lease(victim)))
    await a.frontier.renew()
    while ((await a.frontier.counts()).added < 3_001);
    victim.stop()
    await lease(b, 1)
    await pass(32_000)
    const unfiltered = requestsOf(await lease(a)).filter(({ request: { url } }) => url === 'http://a.test/1')
    expect(await settle(a, unfiltered)).toEqual({ added: 1, duplicates: 4_500, ignored: 0 })
    expect(await a.frontier.counts()).toMatchObject({ added: 3_002, items: 1, done: 1 })
  })

  it('leases very long requests in several calls, up to the wanted number', async () => {
    const a = join()
    const body = 'x'.repeat(1_000_000)
    const long = Array.from({ length: 10 }, (_, i) => request(`http://h${i}.test/`, { method: 'POST', body }))
    await a.frontier.add(long)
    expect(await lease(a, 10)).toHaveLength(10)
  })

  it('prefers the host with the fewest leased requests, also after some were settled', async () => {
    const a = join()
    await a.frontier.add([...pages('a.test', 9), ...pages('b.test', 9)])
    const leased = requestsOf(await lease(a, 6))
    const ofHost = (host: string) => leased.filter(({ request: { url } }) => url.includes(host))
    await a.frontier.settle(ofHost('b.test').slice(0, 2).map(done))
    expect(urlsOf(await lease(a, 2)).every((url) => url.includes('b.test'))).toBe(true)
  })

  it('does not request a host under a lease that may have expired', async () => {
    const a = join()
    await a.frontier.add(pages('a.test', 1))
    await lease(a)
    expect(a.frontier.holds('a.test')).toBe(true)
    expect(a.frontier.holds('b.test')).toBe(false)
    a.stop()
    clock.advance(20_000)
    expect(a.frontier.holds('a.test')).toBe(false)
    a.resume()
    await a.frontier.renew()
    expect(a.frontier.holds('a.test')).toBe(true)
  })

  it('does not trust its lease after its machine was suspended', async () => {
    const wallClock = new FakeClock()
    const a = join({ wallClock })
    await a.frontier.add(pages('a.test', 1))
    await lease(a)
    expect(a.frontier.holds('a.test')).toBe(true)
    // The steady clock stood still meanwhile.
    wallClock.advance(20_000)
    expect(a.frontier.holds('a.test')).toBe(false)
    await a.frontier.renew()
    expect(a.frontier.holds('a.test')).toBe(true)
  })

  it('lets a suspended worker continue if no other worker took its hosts', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 2))
    const [leased] = requestsOf(await lease(a, 1)) as [LeasedRequest]
    await lease(b)
    a.stop()
    await pass(28_000)
    b.stop()
    clock.advance(3_000)
    // Its first sign of life is a call, which comes before the timer.
    expect(urlsOf(await lease(a))).toEqual(['http://a.test/2'])
    a.resume()
    expect(await a.frontier.settle([done(leased)])).toMatchObject({ ignored: 0 })
  })

  it('lets a worker that lost everything join again', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 2))
    await lease(a, 1)
    await lease(b)
    a.stop()
    await pass(30_000)
    await lease(b, 1)
    a.resume()
    await a.frontier.add(pages('c.test', 1))
    expect(a.frontier.holds('a.test')).toBe(false)
    expect(urlsOf(await lease(a))).toEqual(['http://c.test/1'])
    expect((await a.frontier.workers()).map(({ fence, leased, hosts }) => [fence, leased, hosts])).toEqual([
      [2, 1, 1],
      [3, 1, 1],
    ])
  })

  it('takes no leases away because Redis was away for a long time', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add([...pages('a.test', 1), ...pages('b.test', 1)])
    const [mine] = requestsOf(await lease(a, 1)) as [LeasedRequest]
    await lease(b)
    for (const worker of workers) worker.stop()
    clock.advance(600_000)
    b.resume()
    await b.frontier.renew()
    expect(await lease(b)).toEqual([])
    a.resume()
    await a.frontier.renew()
    expect(await a.frontier.settle([done(mine)])).toMatchObject({ ignored: 0 })
  })

  it.each(['lease', 'pending'] as const)(
    'gives no host a second owner when a replica takes over whose clock is ahead: %s',
    async (firstCall) => {
      const [a, b] = [join({ leaseMs: 3_000 }), join({ leaseMs: 3_000 })]
      await a.frontier.add(pages('a.test', 2))
      await lease(a, 1)
      await lease(b)
      serverAheadMs = 10_000
      if (firstCall === 'pending') await pending(b)
      expect(await lease(b)).toEqual([])
      clock.advance(1_000)
      expect(await lease(b)).toEqual([])
      expect(a.frontier.holds('a.test')).toBe(true)
      await a.frontier.renew()
      expect(urlsOf(await lease(a))).toEqual(['http://a.test/2'])
    },
  )

  it('continues when the clock of Redis is set back', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add([
      ...pages('a.test', 1),
      request('http://b.test/', { notBefore: clock.now() + 1_000 }),
    ])
    await lease(a)
    await lease(b)
    a.stop()
    serverAheadMs = -3_600_000
    // The time that passed until the first call after that is not counted.
    await pass(1)
    await pass(1_000)
    expect(urlsOf(await lease(b))).toEqual(['http://b.test/'])
    await pass(30_000)
    expect(urlsOf(await lease(b))).toEqual(['http://a.test/1'])
  })

  it('makes a request whose workers are killed repeatedly a dead letter', async () => {
    const watcher = join({ maxDeliveries: 3 })
    await watcher.frontier.add(pages('a.test', 1))
    for (let i = 1; i <= 3; i++) {
      const victim = join({ maxDeliveries: 3 })
      expect(urlsOf(await lease(victim))).toEqual(['http://a.test/1'])
      victim.stop()
      await pass(32_000)
    }
    expect(await lease(watcher)).toEqual([])
    expect(await watcher.frontier.deadLetters.failed()).toMatchObject([
      { code: 'poison', attempts: 1, request: { url: 'http://a.test/1' } },
    ])
    expect(await watcher.frontier.deadLetters.retryFailed()).toBe(1)
    expect(urlsOf(await lease(watcher))).toEqual(['http://a.test/1'])
  })

  it('keeps the delay of a host for its next owner, and leases the host after it', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 2))
    const [leased] = requestsOf(await lease(a, 1)) as [LeasedRequest]
    const throttle = throttleOf('a.test', clock.now() + 7_000)
    await a.frontier.settle([done(leased)], [throttle])
    expect(await pending(b)).toEqual({
      ready: 0,
      delayed: 1,
      nextDueAt: clock.now() + 7_000,
      leased: 0,
      startsComplete: false,
    })
    expect(await lease(b)).toEqual([])
    await pass(6_999)
    expect(await lease(b)).toEqual([])
    await pass(1)
    expect(await lease(b)).toMatchObject([{ host: 'a.test', throttle }])
  })

  it('keeps the delay of a host that had no requests when the delay began', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 1))
    const throttle = { ...throttleOf('a.test', clock.now() + 7_000), failures: 2, crawlDelayMs: 3_000 }
    await a.frontier.settle(requestsOf(await lease(a)).map(done), [throttle])
    await b.frontier.add([request('http://a.test/2')])
    expect(await lease(b)).toMatchObject([{ host: 'a.test', throttle }])
  })

  it('deletes old throttle states of hosts', async () => {
    const a = join({ keepThrottleMs: 60_000 })
    await a.frontier.add([...pages('a.test', 1), ...pages('b.test', 1)])
    const [one, two] = requestsOf(await lease(a)) as [LeasedRequest, LeasedRequest]
    const slow = { ...throttleOf('a.test', clock.now() + 1_000), crawlDelayMs: 1_000 }
    await a.frontier.settle([done(one), done(two)], [slow, throttleOf('b.test', clock.now() + 1_000)])
    const throttles = () => server.command('hkeys', `orbweaver:{${crawl}}:paces`)
    expect((await throttles()).split('\n').sort()).toEqual(['a.test', 'b.test'])
    await pass(2_000)
    await settleOne(a, 'http://c.test/')
    expect(await throttles()).toBe('a.test')
    await pass(60_000)
    await settleOne(a, 'http://d.test/')
    expect(await throttles()).toBe('')
  })

  it('delays a host of a lost worker as if it had been requested until the lease expired', async () => {
    const [a, b] = [join(), join({ restMs: 5_000 })]
    await a.frontier.add(pages('a.test', 2))
    const [leased] = requestsOf(await lease(a, 2)) as [LeasedRequest]
    await a.frontier.settle(
      [done(leased)],
      [{ ...throttleOf('a.test', clock.now() + 9_000), endedAt: clock.now() }],
    )
    await lease(b)
    const expiresAt = (await a.frontier.workers())[0]?.expiresAt ?? 0
    a.stop()
    await pass(32_000)
    const [host] = await lease(b)
    // A delay of nine seconds was due after its last response.
    expect(host?.throttle).toMatchObject({ endedAt: expiresAt, readyAt: expiresAt + 9_000 })
  })

  it('shares its hosts fairly with a worker that joins later', async () => {
    const a = join()
    await a.frontier.add(Array.from({ length: 64 }, (_, i) => pages(`h${i}.test`, 50)).flat())
    const out = new Map<TestWorker, LeasedRequest[]>([[a, requestsOf(await lease(a, 128, 2))]])
    const hosts = async () => (await a.frontier.workers()).map((worker) => worker.hosts)
    expect(await hosts()).toEqual([64])
    const b = join()
    for (let round = 0; round < 8; round++)
      for (const worker of [b, a]) {
        const mine = [...(out.get(worker) ?? []), ...requestsOf(await lease(worker, 128, 2))]
        await worker.frontier.settle(mine.splice(0, Math.ceil(mine.length / 2)).map(done))
        mine.push(...requestsOf(await lease(worker, 128 - mine.length, 2)))
        out.set(worker, mine)
      }
    expect(await hosts()).toEqual([32, 32])
    // One that does not want more leaves the rest to the others.
    await b.frontier.settle((out.get(b) ?? []).map(done))
    await pass(10_000)
    await lease(a, 128, 2)
    expect(await hosts()).toEqual([64, 0])
  })

  it('claims a host without leasing its requests', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 1))
    const claim = await b.frontier.claim('a.test')
    expect(claim).toEqual({ host: 'a.test' })
    expect(b.frontier.holds('a.test')).toBe(true)
    expect(await a.frontier.claim('a.test')).toBeUndefined()
    expect(await lease(a)).toEqual([])
    expect(await pending(a)).toMatchObject({ ready: 0, elsewhere: 1 })
    if (claim !== undefined) await b.frontier.release(claim, throttleOf('a.test', clock.now() + 1_000))
    expect(b.frontier.holds('a.test')).toBe(false)
    // Also during its delay.
    const again = await a.frontier.claim('a.test')
    expect(again).toMatchObject({ throttle: { readyAt: clock.now() + 1_000 } })
    expect(await pending(a)).toMatchObject({ ready: 1, delayed: 0 })
    if (again !== undefined) await a.frontier.release(again, throttleOf('a.test', clock.now() + 1_000))
    expect(await lease(a)).toEqual([])
    await pass(1_000)
    expect(await lease(a)).toMatchObject([{ host: 'a.test', throttle: { readyAt: clock.now() } }])
    // A worker can also claim a host of its own, and an unknown host.
    const own = await a.frontier.claim('a.test')
    expect(own).toMatchObject({ host: 'a.test' })
    expect(await a.frontier.claim('new.test')).toEqual({ host: 'new.test' })
    expect(await b.frontier.claim('new.test')).toBeUndefined()
    if (own !== undefined) await a.frontier.release(own)
    expect(a.frontier.holds('a.test')).toBe(true)
  })

  it('requeues its requests when it is closed, and frees its hosts at once', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 300))
    expect(urlsOf(await lease(a, 280, 280))).toHaveLength(280)
    await a.frontier.close()
    expect(await pending(b)).toEqual({ ready: 300, delayed: 0, leased: 0, startsComplete: false })
    expect(urlsOf(await lease(b, 300, 300))).toHaveLength(300)
  })

  it.each(['is lost', 'is closed'])('frees 20,000 hosts of a worker that %s', BIG, async (how) => {
    const [a, b] = [join(), join()]
    const all = Array.from({ length: 20_000 }, (_, i) => request(`http://h${i}.test/`))
    await a.frontier.add(all)
    expect(await lease(a, 20_000)).toHaveLength(20_000)
    await b.frontier.renew()
    if (how === 'is closed') await a.frontier.close()
    else {
      a.stop()
      await lease(b)
      await pass(30_000)
    }
    expect(await pending(b)).toMatchObject({ ready: 20_000, leased: 0 })
    expect(await lease(b)).toHaveLength(100)
  })

  it('reports its counters and its workers', async () => {
    const a = join({ name: 'first', status: () => ({ pages: 3 }) })
    await a.frontier.add([...pages('a.test', 3), ...pages('b.test', 1), ...pages('a.test', 1)])
    const [one, two] = requestsOf(await lease(a, 3)) as [LeasedRequest, LeasedRequest]
    await a.frontier.settle([{ ...done(one), items: [{ n: 1 }, { n: 2 }] }])
    await a.frontier.settle([{ ...done(two), end: { kind: 'failed', code: 'http-500', reason: 'HTTP 500' } }])
    await server.command('lpop', `${crawl}:items`)
    await a.frontier.renew()
    expect(await a.frontier.counts()).toMatchObject({
      ...{ waiting: 1, delayed: 0, leased: 1, added: 4, duplicates: 1, done: 1, failed: 1, retried: 0 },
      ...{ malformed: 0, seen: 4, items: 2, itemsLeft: 1 },
    })
    const [worker] = await a.frontier.workers()
    expect(worker).toMatchObject({ fence: 1, name: 'first', leased: 1, hosts: 1, status: { pages: 3 } })
    expect(worker?.heardAt).toBe(clock.now())
    expect(worker?.expiresAt).toBe(clock.now() + 30_000)
    // Taking items from the list does not change the positions of the others.
    const second = { position: 2, url: one.request.url, item: { n: 2 } }
    expect(await a.frontier.items.items(0, 10)).toEqual([second])
    const [three] = requestsOf(await lease(a, 1)) as [LeasedRequest]
    await a.frontier.settle([{ ...done(three), items: [{ n: 3 }] }])
    const third = { position: 3, url: three.request.url, item: { n: 3 } }
    expect(await a.frontier.items.items(1, 10)).toEqual([second, third])
    expect(await server.command('llen', `orbweaver:{${crawl}}:item-urls`)).toBe('2')
  })

  it('rejects an order that differs from that of the crawl', async () => {
    await join().frontier.add([])
    await join().frontier.add(pages('a.test', 1))
    await expect(join({ order: 'lifo' }).frontier.add(pages('a.test', 1))).rejects.toThrow(
      "order 'hosts', not 'lifo'",
    )
    workers.pop()
  })

  it('does not report a crawl that Redis has lost as finished', async () => {
    const a = join()
    await a.frontier.add(pages('a.test', 3))
    const keys = (await server.command('keys', `orbweaver:{${crawl}}:*`)).split('\n')
    await server.command('del', ...keys)
    for (let i = 0; i < 2; i++) await expect(lease(a)).rejects.toThrow(/Redis has lost the crawl/)
  })

  it('keeps a long delay of a host when its worker is lost', async () => {
    const [a, b] = [join({ keepThrottleMs: 1_000 }), join({ keepThrottleMs: 1_000 })]
    await a.frontier.add(pages('a.test', 2))
    const [leased] = requestsOf(await lease(a)) as [LeasedRequest]
    const parked = { until: clock.now() + 100_000, reason: DELAY_TOO_LONG }
    await a.frontier.settle([done(leased)], [{ ...throttleOf('a.test', clock.now()), parked }])
    await lease(b)
    a.stop()
    await pass(60_000)
    await settleOne(b, 'http://b.test/')
    expect(await b.frontier.claim('a.test')).toMatchObject({ throttle: { parked } })
  })

  it('remembers every URL while its sets of fingerprints grow, and keeps them small', async () => {
    const a = join()
    const many = Array.from({ length: 20_000 }, (_, i) => request(`http://h${i % 9}.test/${i}`))
    expect(await a.frontier.add(many)).toEqual({ added: 20_000, duplicates: 0 })
    expect(await a.frontier.add(many)).toEqual({ added: 0, duplicates: 20_000 })
    const keys = (await server.command('keys', `orbweaver:{${crawl}}:seen:*`)).split('\n')
    expect(keys.length).toBeGreaterThan(64)
    for (const key of keys.slice(0, 20))
      expect(await server.command('object', 'encoding', key)).toBe('intset')
  })

  it('queues requests again under their hosts when the queue mode has changed', async () => {
    const { frontier: before } = join({ keyOf: () => 'all' })
    await before.add([request('http://a.test/1'), request('http://b.test/2')])
    await before.close()
    const now = join()
    expect(await lease(now)).toEqual([])
    expect(await pending(now)).toMatchObject({ ready: 0, leased: 0, delayed: 2 })
    clock.advance(1_000)
    expect((await lease(now)).map(({ host }) => host).sort()).toEqual(['a.test', 'b.test'])
    expect(await now.frontier.counts()).toMatchObject({ done: 0, waiting: 0, leased: 2 })
  })

  it('moves stored values that are not requests to the malformed list, and continues', async () => {
    const a = join()
    await a.frontier.add(pages('a.test', 8))
    const key = `orbweaver:{${crawl}}:requests`
    const bad = [
      '',
      'nonsense',
      '1 0 nan 6\na.test{}',
      '1 0 0 99999\na.test{}',
      '1 0 0 6\na.test{"url":',
      '1 0 0 6\na.test{"url":"file:///etc/passwd","handler":"x","depth":0}',
      '1 0 0 6\na.test{"url":"http://a.test/","handler":"x","depth":0,"headers":{"host":"b.test"}}',
    ]
    for (const [i, value] of bad.entries())
      await server.command('hset', key, `100000000000000${i + 1}`, value)
    expect(urlsOf(await lease(a))).toEqual(['http://a.test/8'])
    expect(await a.frontier.deadLetters.malformed(10)).toHaveLength(7)
    expect(await pending(a)).toMatchObject({ ready: 0, leased: 1 })
  })

  async function settleOne({ frontier }: TestWorker, url: string): Promise<void> {
    await frontier.add([request(url)])
    await frontier.settle(
      requestsOf(await frontier.lease({ requests: 1, perHost: 1, now: clock.now() })).map(done),
    )
  }
})

/** Of tests with very many requests. */
const BIG = { timeout: 120_000 }

const RULES = { order: 'hosts', leaseMs: 30_000, maxDeliveries: 10, keepThrottleMs: 60_000 } as const

function request(url: string, more: Partial<CrawlRequest> = {}): CrawlRequest {
  return { url, handler: 'parse', depth: 0, ...more }
}

function pages(host: string, count: number): CrawlRequest[] {
  return Array.from({ length: count }, (_, i) => request(`http://${host}/${i + 1}`))
}

function done({ id }: LeasedRequest): Settlement {
  return { id, end: { kind: 'done' }, requests: [], items: [], rejected: [] }
}

function requeue({ id }: LeasedRequest): Settlement {
  return { id, end: { kind: 'requeue' }, requests: [], items: [], rejected: [] }
}

function throttleOf(key: string, readyAt: number): HostState {
  return { key, readyAt, failures: 0, crawlDelayMs: 0, latencyMs: 0 }
}

function requestsOf(leases: readonly HostLease[]): LeasedRequest[] {
  return leases.flatMap(({ requests }) => requests)
}

function urlsOf(leases: readonly HostLease[]): string[] {
  return requestsOf(leases).map((leased) => leased.request.url)
}

function hostsOf(leases: readonly HostLease[]): string[] {
  return leases.map(({ host }) => host)
}
