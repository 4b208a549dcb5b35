import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../src/base/clock.ts'
import type { CrawlRequest } from '../src/domain/frontier/crawl-request.ts'
import type {
  Frontier,
  FrontierOptions,
  FrontierOrder,
  HostLease,
  LeasedRequest,
} from '../src/domain/frontier/frontier.ts'
import type { RequestEnd, Settlement } from '../src/domain/frontier/settlement.ts'
import { FakeClock } from './fake-clock.ts'
import { frontierSteps, type OpenFrontier, runFrontierPlan } from './frontier-plan.ts'

export type OpenFrontierFunction = (clock: Clock, options: FrontierOptions) => Promise<OpenFrontier>

export interface FrontierContractOptions {
  /** Runs of the property test. */
  readonly runs: number
  /** Whether its content survives closing and opening. */
  readonly persists: boolean
  /** Whether it is divided by host: orders over all hosts, of items and of failures hold within each part only. @default false */
  readonly sharded?: boolean
}

/** Contract tests of every frontier, with its item log and its dead letters. */
export function frontierContract(
  name: string,
  openFrontier: OpenFrontierFunction,
  { runs, persists, sharded = false }: FrontierContractOptions,
): void {
  // Tests that need one order over all hosts.
  const inOneOrder: (name: string, tests: () => void) => void = sharded ? () => {} : describe
  describe(`${name} as a frontier`, () => {
    let clock: FakeClock
    let opened: OpenFrontier
    let frontier: Frontier
    let isOpen = false
    const close = async () => {
      if (isOpen) await opened.close()
      isOpen = false
    }
    const open = async (options: FrontierOptions = {}) => {
      await close()
      opened = await openFrontier(clock, options)
      isOpen = true
      frontier = opened.frontier
    }
    beforeEach(() => {
      clock = new FakeClock()
    })
    afterEach(close)

    const lease = (requests = 100, perHost = 100) => frontier.lease({ requests, perHost, now: clock.now() })
    const leaseAll = async () => (await lease()).flatMap(({ requests }) => requests)
    const leaseOne = async () => {
      const [first] = await leaseAll()
      if (first === undefined) throw new Error('nothing was handed out')
      return first
    }
    const pending = () => frontier.pending(clock.now())

    it('is empty at first', async () => {
      await open()
      expect(await pending()).toEqual({ ready: 0, delayed: 0, leased: 0, startsComplete: false })
      expect(await lease()).toEqual([])
      expect(await opened.items.items(0, 10)).toEqual([])
      expect(await opened.items.rejected(0, 10)).toEqual([])
      expect(await opened.deadLetters.failed()).toEqual([])
      expect(await opened.deadLetters.retryFailed()).toBe(0)
    })

    it('leases a request unchanged', async () => {
      await open()
      const whole: CrawlRequest = {
        url: 'http://a.test/?q=%C3%A9',
        method: 'POST',
        headers: { 'content-type': 'text/plain', accept: '*/*' },
        body: 'é\u0000\n"',
        base64: false,
        handler: 'details',
        meta: { list: [1, null, { deep: 'ü' }], half: '\ud800' },
        priority: -2.5,
        notBefore: 12,
        depth: 3,
        from: 'http://a.test/',
        redirectedFrom: ['http://a.test/1', 'http://a.test/2'],
      }
      await frontier.add([whole])
      const [host] = await lease()
      expect(host).toMatchObject({ host: 'a.test', requests: [{ request: whole, attempt: 1 }] })
      expect(host?.requests[0]?.request).toEqual(whole)
    })

    it('drops duplicates: within a call, across calls, and after settling', async () => {
      await open()
      const a = request('http://a.test/')
      expect(await frontier.add([a, request('http://b.test/'), a])).toEqual({ added: 2, duplicates: 1 })
      expect(await frontier.add([{ ...a, handler: 'other', priority: 3 }])).toEqual({
        added: 0,
        duplicates: 1,
      })
      await frontier.settle((await leaseAll()).map((leased) => done(leased)))
      expect(await frontier.add([a])).toEqual({ added: 0, duplicates: 1 })
      expect(await pending()).toMatchObject({ ready: 0, leased: 0 })
    })

    it('distinguishes requests by method, URL and body', async () => {
      await open()
      const form = request('http://a.test/', { method: 'POST', body: 'page=1' })
      const requests = [
        request('http://a.test/'),
        form,
        { ...form, body: 'page=2' },
        { ...form, method: 'PUT' },
      ]
      expect(await frontier.add(requests)).toEqual({ added: 4, duplicates: 0 })
      expect(await frontier.add([{ ...form, headers: { accept: 'text/html' } }])).toEqual({
        added: 0,
        duplicates: 1,
      })
    })

    it('does not filter or remember requests with dontFilter', async () => {
      await open()
      const filtered = request('http://a.test/')
      const free = { ...filtered, dontFilter: true }
      expect(await frontier.add([free, free])).toEqual({ added: 2, duplicates: 0 })
      expect(await frontier.add([filtered, free])).toEqual({ added: 2, duplicates: 0 })
      expect(await frontier.add([filtered])).toEqual({ added: 0, duplicates: 1 })
      expect(await pending()).toMatchObject({ ready: 4 })
    })

    it('leases no request twice, not even to concurrent calls', async () => {
      await open()
      await frontier.add(pages('a.test', 10))
      const leases = await Promise.all([lease(4), lease(4), lease(4)])
      expect(leases.map(urlsOf).map((urls) => urls.length)).toEqual([4, 4, 2])
      expect(new Set(leases.flatMap(urlsOf)).size).toBe(10)
      expect(await pending()).toMatchObject({ ready: 0, leased: 10 })
    })

    describe('by hosts', () => {
      if (!sharded)
        it('leases from the hosts in turn, and limits the share of each', async () => {
          await open()
          await frontier.add([...pages('big.test', 50), ...pages('b.test', 2), ...pages('c.test', 5)])
          expect(countsOf(await lease(9, 20))).toEqual({ 'big.test': 4, 'b.test': 2, 'c.test': 3 })
          // Leased requests count: the other host comes first now.
          expect(countsOf(await lease(1, 20))).toEqual({ 'c.test': 1 })
        })

      it('limits the leased requests per host, over all leases', async () => {
        await open()
        await frontier.add([...pages('a.test', 5), ...pages('b.test', 1)])
        const first = await lease(100, 3)
        expect(countsOf(first)).toEqual({ 'a.test': 3, 'b.test': 1 })
        expect(await lease(100, 3)).toEqual([])
        const [one] = first.find(({ host }) => host === 'a.test')?.requests ?? []
        if (one !== undefined) await frontier.settle([done(one)])
        expect(countsOf(await lease(100, 3))).toEqual({ 'a.test': 1 })
      })

      it('leases the highest priority of a host first, then the oldest', async () => {
        await open()
        await frontier.add([
          request('http://a.test/1'),
          request('http://a.test/2', { priority: 1 }),
          request('http://a.test/3', { priority: -1 }),
          request('http://a.test/4', { priority: 1 }),
        ])
        await frontier.add([request('http://a.test/5', { priority: 2 }), request('http://a.test/6')])
        const leased = await leaseAll()
        expect(leased.map(({ request: { url } }) => url.at(-1)).join('')).toBe('524163')
        expect(leased.map(({ rank }) => rank)).toEqual([2, 1, 1, 0, 0, -1])
      })

      it('groups requests by the given key', async () => {
        await open({ keyOf: () => 'one' })
        await frontier.add([...pages('a.test', 3), ...pages('b.test', 3)])
        expect(countsOf(await lease(100, 4))).toEqual({ one: 4 })
      })
    })

    inOneOrder('over all hosts', () => {
      it.each([
        ['fifo', '123456'],
        ['lifo', '654321'],
        ['priority', '352614'],
      ] as const)('hands out in the order %s over all hosts', async (order, expected) => {
        await open({ order })
        const priorities = [0, 1, 2, -1, 2, 1]
        await frontier.add(
          priorities.map((priority, i) =>
            request(`http://${i % 2 === 0 ? 'a' : 'b'}.test/${i + 1}`, { priority }),
          ),
        )
        const order1: string[] = []
        for (let i = 0; i < 6; i++) order1.push(...urlsOf(await lease(1)).map((url) => url.slice(-1)))
        expect(order1.join('')).toBe(expected)
      })

      it('leases the newest first in lifo, also when it was added between two leases', async () => {
        await open({ order: 'lifo' })
        await frontier.add(pages('a.test', 3))
        const [newest] = (await lease(1)).flatMap(({ requests }) => requests)
        expect(newest?.request.url).toBe('http://a.test/3')
        if (newest === undefined) return
        await frontier.settle([done(newest, { requests: pages('b.test', 2) })])
        expect(urlsOf(await lease(1))).toEqual(['http://b.test/2'])
        await frontier.add([request('http://c.test/')])
        expect(urlsOf(await lease(2))).toEqual(['http://c.test/', 'http://b.test/1'])
      })

      it.each(['fifo', 'lifo'] as const)('orders requeued requests by arrival in %s', async (order) => {
        await open({ order })
        await frontier.add(pages('a.test', 3))
        const before = await leaseAll()
        await frontier.settle(before.map((leased) => end(leased, { kind: 'requeue' })))
        const after = await leaseAll()
        expect(after.map(({ rank }) => rank)).toEqual(before.map(({ rank }) => rank))
        expect(after.map(({ rank }) => rank)).toEqual(after.map(({ rank }) => rank).sort((a, b) => b - a))
      })

      it.each(['fifo', 'priority'] as const)(
        'skips a host that has reached its limit, in %s',
        async (order) => {
          await open({ order })
          await frontier.add([...pages('a.test', 5), ...pages('b.test', 2)])
          expect(countsOf(await lease(4, 3))).toEqual({ 'a.test': 3, 'b.test': 1 })
          expect(countsOf(await lease(4, 3))).toEqual({ 'b.test': 1 })
        },
      )
    })

    it('does not lease a request before its time', async () => {
      await open()
      const now = clock.now()
      await frontier.add([
        request('http://a.test/1', { notBefore: now + 2000 }),
        request('http://a.test/2', { notBefore: now + 1000 }),
        request('http://a.test/3'),
      ])
      expect(await pending()).toMatchObject({ ready: 1, delayed: 2, nextDueAt: now + 1000 })
      expect(urlsOf(await lease())).toEqual(['http://a.test/3'])
      clock.advance(999)
      expect(await lease()).toEqual([])
      clock.advance(1)
      expect(urlsOf(await lease())).toEqual(['http://a.test/2'])
      expect(await pending()).toMatchObject({ ready: 0, delayed: 1, nextDueAt: now + 2000, leased: 2 })
    })

    it('counts the attempts of a retried request, and waits', async () => {
      await open()
      await frontier.add([request('http://a.test/')])
      const first = await leaseOne()
      const at = clock.now() + 5000
      await frontier.settle([end(first, { kind: 'retry', at, reason: 'busy' })])
      expect(await pending()).toMatchObject({ ready: 0, delayed: 1, nextDueAt: at, leased: 0 })
      expect(await lease()).toEqual([])
      clock.advance(5000)
      const second = await leaseOne()
      expect(second).toMatchObject({ attempt: 2, request: first.request })
      expect(second.id).not.toBe(first.id)
    })

    it('does not count an attempt when no request was sent', async () => {
      await open()
      await frontier.add([request('http://a.test/')])
      await frontier.settle([end(await leaseOne(), { kind: 'requeue' })])
      const again = await leaseOne()
      expect(again.attempt).toBe(1)
      await frontier.settle([end(again, { kind: 'requeue', at: clock.now() + 10 })])
      expect(await lease()).toEqual([])
      clock.advance(10)
      expect(await leaseOne()).toMatchObject({ attempt: 1 })
    })

    it('stores failed requests with the reason', async () => {
      await open()
      await frontier.add([request('http://a.test/1'), request('http://a.test/2'), request('http://b.test/')])
      const [one, two, three] = await leaseInOrder()
      await frontier.settle([end(one, { kind: 'retry', at: 0, reason: 'busy' })])
      const [again] = await leaseInOrder()
      clock.advance(7)
      await frontier.settle([end(two, failure('http-500')), end(three, failure('http-500'))])
      await frontier.settle([end(again, { ...failure('handler-threw'), stack: 'at parse' })])
      const { deadLetters } = opened
      const failedAt = clock.now()
      const reason = 'it did not go well'
      const failed = [
        { request: two.request, attempts: 1, failedAt, code: 'http-500', reason },
        { request: three.request, attempts: 1, failedAt, code: 'http-500', reason },
        { request: one.request, attempts: 2, failedAt, code: 'handler-threw', reason, stack: 'at parse' },
      ]
      if (sharded) expect(byUrl(await deadLetters.failed())).toEqual(byUrl(failed))
      else expect(await deadLetters.failed()).toEqual(failed)
      expect(codesOf(await deadLetters.failed({ code: 'handler-threw' }))).toEqual(['handler-threw'])
      expect(await deadLetters.failed({ host: 'b.test', code: 'http-500' })).toHaveLength(1)
      expect(await deadLetters.failed({ host: 'b.test', code: 'handler-threw' })).toEqual([])
      expect(codesOf(await deadLetters.failed({ url: one.request.url }))).toEqual(['handler-threw'])
      expect(await deadLetters.failed({ url: `${one.request.url}?` })).toEqual([])
      expect(codesOf(await deadLetters.failed({ host: 'a.test', limit: 1 }))).toEqual(['http-500'])
      expect(await frontier.add([two.request])).toEqual({ added: 0, duplicates: 1 })
    })

    it('requeues up to the given number of failed requests', async () => {
      await open()
      await frontier.add(pages('a.test', 3))
      const leased = await leaseInOrder()
      await frontier.settle(
        leased.map((one, i) => end(one, failure(i === 1 ? 'network-failure' : 'http-500'))),
      )
      await frontier.add([request('http://a.test/new')])
      const { deadLetters } = opened
      expect(await deadLetters.retryFailed({ code: 'http-500', limit: 1 })).toBe(1)
      expect(await deadLetters.failed()).toHaveLength(2)
      expect(await deadLetters.retryFailed()).toBe(2)
      expect(await deadLetters.failed()).toEqual([])
      const again = await leaseAll()
      expect(again.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1])
      expect(again.map(({ request: { url } }) => url)).toEqual([
        'http://a.test/new',
        ...leased.map(({ request: { url } }) => url),
      ])
    })

    it('applies all parts of a settlement', async () => {
      await open()
      await frontier.add([request('http://a.test/')])
      const settled = await frontier.settle([
        done(await leaseOne(), {
          requests: [...pages('b.test', 2), request('http://a.test/')],
          items: [{ n: 1 }, { n: 2 }],
          rejected: [{ item: { n: 'x' }, reason: 'n is not a number' }],
        }),
      ])
      expect(settled).toMatchObject({ added: 2, duplicates: 1, ignored: 0 })
      const url = 'http://a.test/'
      expect((await opened.items.items(0, 10)).map(({ position: _, ...rest }) => rest)).toEqual([
        { url, item: { n: 1 } },
        { url, item: { n: 2 } },
      ])
      expect(await opened.items.rejected(0, 10)).toMatchObject([
        { url, item: { n: 'x' }, reason: 'n is not a number' },
      ])
      expect(await pending()).toMatchObject({ ready: 2, leased: 0 })
    })

    it('ignores the settlement of a request that is not leased, or no longer leased', async () => {
      await open()
      await frontier.add([request('http://a.test/')])
      const leased = await leaseOne()
      const retry: Settlement = {
        ...end(leased, { kind: 'retry', at: 0, reason: 'busy' }),
        requests: pages('b.test', 1),
        items: [{ n: 1 }],
        rejected: [{ item: {}, reason: 'empty' }],
      }
      const nothing = { added: 0, duplicates: 0 }
      expect(await frontier.settle([retry, retry])).toMatchObject({ added: 1, duplicates: 0, ignored: 1 })
      expect(await frontier.settle([retry])).toMatchObject({ ...nothing, ignored: 1 })
      expect(await frontier.settle([{ ...retry, id: 'unknown' }])).toMatchObject({ ...nothing, ignored: 1 })
      const again = (await leaseAll()).find(({ request: { url } }) => url === leased.request.url)
      expect(again?.attempt).toBe(2)
      // The request is leased again, with another lease.
      expect(await frontier.settle([retry])).toMatchObject({ ...nothing, ignored: 1 })
      expect(await pending()).toMatchObject({ leased: 2 })
      expect(await opened.items.items(0, 10)).toHaveLength(1)
      expect(await opened.items.rejected(0, 10)).toHaveLength(1)
    })

    it('numbers items in the order of their settlements', async () => {
      await open()
      await frontier.add(pages('a.test', 4))
      const [one, two, three, four] = await leaseInOrder()
      const item = (n: number) => ({ items: [{ n }, { n: n + 0.5 }] })
      await frontier.settle([done(three, item(1)), done(one, item(2))])
      await frontier.settle([done(four, item(3))])
      await frontier.settle([done(two, item(4))])
      const all = await opened.items.items(0, 100)
      expect(all.map((logged) => logged.item['n'])).toEqual([1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5])
      const positions = all.map(({ position }) => position)
      expect(new Set(positions).size).toBe(8)
      expect(positions).toEqual(positions.toSorted((a, b) => a - b))
      expect(await opened.items.items(positions[2] ?? 0, 3)).toEqual(all.slice(3, 6))
      expect(await opened.items.items(positions[7] ?? 0, 3)).toEqual([])
    })

    it('stores that the start requests are complete', async () => {
      await open()
      await frontier.add([request('http://a.test/')])
      expect(await pending()).toMatchObject({ startsComplete: false })
      await frontier.add([], 'complete')
      await frontier.add([], 'complete')
      expect(await pending()).toMatchObject({ startsComplete: true, ready: 1 })
    })

    it('accepts ten thousand requests at a time', async () => {
      await open()
      const many = Array.from({ length: 10_000 }, (_, i) => request(`http://h${i % 100}.test/${i}`))
      expect(await frontier.add(many)).toEqual({ added: 10_000, duplicates: 0 })
      expect(await frontier.add(many)).toEqual({ added: 0, duplicates: 10_000 })
      const leases = await lease(20_000, 100)
      expect(leases).toHaveLength(100)
      expect(leases.every(({ requests }) => requests.length === 100)).toBe(true)
      const settlements = leases
        .flatMap(({ requests }) => requests)
        .map((leased, i) =>
          done(leased, { requests: [request(`http://x.test/${i % 5000}`)], items: [{ i }] }),
        )
      expect(await frontier.settle(settlements)).toMatchObject({ added: 5000, duplicates: 5000, ignored: 0 })
      expect(await pending()).toMatchObject({ ready: 5000, leased: 0 })
      const items = await opened.items.items(9000, 10_000)
      expect(items).toHaveLength(1_000)
      if (!sharded) expect(items.at(-1)?.item).toEqual({ i: 9999 })
    })

    const restarts = persists ? it : undefined
    restarts?.('continues after a restart with all requests that were not settled', async () => {
      await open()
      const at = clock.now() + 1000
      await frontier.add([...pages('a.test', 4), request('http://b.test/')], 'complete')
      const [one, two, three] = await leaseInOrder()
      await frontier.settle([
        done(one, { items: [{ n: 1 }] }),
        end(two, { kind: 'retry', at, reason: 'busy' }),
        end(three, failure('http-500')),
      ])
      opened = (await opened.reopen?.()) ?? opened
      frontier = opened.frontier
      expect(await pending()).toEqual({
        ready: 2,
        delayed: 1,
        nextDueAt: at,
        leased: 0,
        startsComplete: true,
      })
      expect(await frontier.settle([done(two)])).toMatchObject({ ignored: 1 })
      clock.advance(1000)
      const again = byUrl(await leaseAll())
      expect(again.map(({ request: { url }, attempt }) => [url, attempt])).toEqual([
        ['http://a.test/2', 2],
        ['http://a.test/4', 1],
        ['http://b.test/', 1],
      ])
      expect(await opened.items.items(0, 10)).toHaveLength(1)
      expect(await opened.deadLetters.failed()).toHaveLength(1)
      expect(await frontier.add(pages('a.test', 4))).toEqual({ added: 0, duplicates: 4 })
    })

    it('does what the model does for random calls', async () => {
      const order = sharded
        ? fc.constant<FrontierOrder>('hosts')
        : fc.constantFrom<FrontierOrder>('hosts', 'fifo', 'lifo', 'priority')
      await fc.assert(
        fc.asyncProperty(order, frontierSteps, async (chosen, steps) => {
          await open({ order: chosen })
          opened = await runFrontierPlan(opened, chosen, steps, clock, sharded)
        }),
        { numRuns: runs },
      )
    })

    /** Leased requests in the order of arrival, over all hosts. */
    async function leaseInOrder(): Promise<[LeasedRequest, LeasedRequest, LeasedRequest, LeasedRequest]> {
      return byUrl(await leaseAll()) as [LeasedRequest, LeasedRequest, LeasedRequest, LeasedRequest]
    }
  })
}

function request(url: string, more: Partial<CrawlRequest> = {}): CrawlRequest {
  return { url, handler: 'parse', depth: 0, ...more }
}

function pages(host: string, count: number): CrawlRequest[] {
  return Array.from({ length: count }, (_, i) => request(`http://${host}/${i + 1}`))
}

function end({ id }: LeasedRequest, how: RequestEnd): Settlement {
  return { id, end: how, requests: [], items: [], rejected: [] }
}

function done(leased: LeasedRequest, more: Partial<Settlement> = {}): Settlement {
  return { ...end(leased, { kind: 'done' }), ...more }
}

function failure(code: string) {
  return { kind: 'failed', code, reason: 'it did not go well' } as const
}

function urlsOf(leases: readonly HostLease[]): string[] {
  return leases.flatMap(({ requests }) => requests.map((leased) => leased.request.url))
}

function countsOf(leases: readonly HostLease[]): Record<string, number> {
  return Object.fromEntries(leases.map(({ host, requests }) => [host, requests.length]))
}

function byUrl<T extends { readonly request: CrawlRequest }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => (a.request.url < b.request.url ? -1 : 1))
}

function codesOf(failures: ReadonlyArray<{ readonly code: string }>): string[] {
  return failures.map(({ code }) => code)
}
