import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { type ProxyOptions, parseProxy, type WebProxy } from './proxy.ts'
import { type ProxyEvent, ProxyPool } from './proxy-pool.ts'
import { ProxyProbes } from './proxy-probes.ts'
import { ProxyRoutes } from './proxy-routes.ts'

let clock: FakeClock
let events: ProxyEvent[]

beforeEach(() => {
  clock = new FakeClock()
  events = []
})

const poolOf = (...proxies: ProxyOptions[]): ProxyPool =>
  new ProxyPool(proxies.map(parseProxy), clock, (event) => events.push(event))
const HOSTS = Array.from({ length: 1_000 }, (_, i) => `host-${i}.test`)
const choose = (pool: ProxyPool, host: string) => pool.choose(host, host) as WebProxy

describe('a pool of proxies', () => {
  it('gives each host its proxy, in proportion to the weights', () => {
    const pool = poolOf({ url: 'http://a.test' }, { url: 'http://b.test', weight: 3 })
    const first = HOSTS.map((host) => choose(pool, host).host)
    expect(HOSTS.map((host) => choose(pool, host).host)).toEqual(first)
    const share = first.filter((host) => host === 'b.test').length
    expect(share).toBeGreaterThan(700)
    expect(share).toBeLessThan(800)
  })

  it('moves only the hosts of a proxy that fails, and moves them back', () => {
    const pool = poolOf({ url: 'http://a.test' }, { url: 'http://b.test' }, { url: 'http://c.test' })
    const before = HOSTS.map((host) => choose(pool, host))
    const [failed] = pool.proxies as [WebProxy]
    pool.succeeded(failed, 'x.test', false)
    pool.failed(failed, 'connection refused')
    HOSTS.forEach((host, i) => {
      const now = choose(pool, host)
      if (before[i] === failed) expect(now).not.toBe(failed)
      else expect(now).toBe(before[i])
    })
    clock.advance(5_000)
    expect(HOSTS.map((host) => choose(pool, host))).toEqual(before)
  })

  it('connects directly to hosts that no proxy serves', () => {
    const pool = poolOf({ url: 'http://a.test', noProxy: ['direct.test'] })
    expect(pool.choose('direct.test', 'direct.test')).toBe('direct')
  })

  it('suspends a proxy for longer each time, up to a minute', () => {
    const pool = poolOf({ url: 'http://me:secret@a.test' }, { url: 'http://b.test' })
    const [a] = pool.proxies as [WebProxy]
    for (let i = 0; i < 6; i++) {
      pool.failed(a, 'no connection')
      clock.advance(60_000)
    }
    expect(events.flatMap((event) => (event.kind === 'suspended' ? [event.seconds] : []))).toEqual([
      5, 10, 20, 40, 60, 60,
    ])
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  it('reports once that all proxies fail, and that one works again', () => {
    const pool = poolOf({ url: 'http://a.test' }, { url: 'http://b.test' })
    const [a, b] = pool.proxies as [WebProxy, WebProxy]
    pool.succeeded(a, 'x.test', false)
    for (const proxy of [a, b, a, b]) pool.failed(proxy, 'no connection')
    expect(events.filter(({ kind }) => kind === 'all-down')).toHaveLength(1)
    expect(pool.isDown).toBe(true)
    expect(pool.choose('x.test', 'x.test')).toBeUndefined()
    pool.succeeded(b, 'x.test', false)
    expect(events.at(-1)).toEqual({ kind: 'back', proxy: 'http://b.test:80', wasDown: true })
    expect(pool.isDown).toBe(false)
  })

  it('suspends a proxy through which ten hosts in a row cannot be reached, if there is another', () => {
    const pool = poolOf({ url: 'http://a.test' }, { url: 'http://b.test' })
    const [a, b] = pool.proxies as [WebProxy, WebProxy]
    pool.succeeded(a, 'x.test', false)
    for (const host of HOSTS.slice(0, 9)) pool.doubted(a, host)
    pool.succeeded(a, 'x.test', false)
    for (const host of HOSTS.slice(0, 9)) pool.doubted(a, host)
    expect(events).toEqual([])
    pool.doubted(a, 'last.test')
    expect(events).toMatchObject([{ kind: 'suspended', proxy: a.label }])
    for (const host of HOSTS.slice(0, 20)) pool.doubted(b, host)
    expect(events).toHaveLength(1)
  })

  it('uses the cheap tier first, and the next one for an hour for a host that blocks', () => {
    const pool = poolOf({ url: 'http://a.test' }, { url: 'http://b.test', tier: 5 })
    const [a, b] = pool.proxies as [WebProxy, WebProxy]
    pool.succeeded(a, 'blocks.test', true)
    pool.succeeded(a, 'blocks.test', false)
    pool.succeeded(a, 'blocks.test', true)
    expect(choose(pool, 'blocks.test')).toBe(a)
    pool.succeeded(a, 'blocks.test', true)
    expect(choose(pool, 'blocks.test')).toBe(b)
    expect(choose(pool, 'other.test')).toBe(a)
    expect(events).toEqual([{ kind: 'escalated', host: 'blocks.test', tier: 5 }])
    pool.failed(b, 'no connection')
    expect(choose(pool, 'blocks.test')).toBe(a)
    clock.advance(3_600_000)
    expect(choose(pool, 'blocks.test')).toBe(a)
  })
})

describe('a request through a pool', () => {
  const url = 'http://x.test/'
  const base = { url, timings: { startedAt: 0, totalMs: 0 } }
  const DOWN: FetchOutcome = { ...base, kind: 'network-failure', cause: 'proxy', detail: 'refused' }
  const response = { status: 200, headers: [], requestHeaders: [], address: '', protocol: 'http/1.1' }
  const GOOD: FetchOutcome = { ...base, kind: 'not-modified', response }
  const PROXIES = [{ url: 'http://a.test' }, { url: 'http://b.test' }]

  it('is sent through another proxy if its own is down', async () => {
    const pool = poolOf(...PROXIES)
    const down = choose(pool, 'x.test')
    const sent: Array<WebProxy | undefined> = []
    const outcome = await new ProxyRoutes(pool, clock).send({ url }, 'x.test', async (proxy) => {
      sent.push(proxy)
      return proxy === down ? DOWN : GOOD
    })
    expect(outcome).toBe(GOOD)
    expect(sent).toEqual([down, pool.proxies.find((proxy) => proxy !== down)])
  })

  it('fails if no proxy has ever worked', async () => {
    const routes = new ProxyRoutes(poolOf(...PROXIES), clock)
    expect(await routes.send({ url }, 'x.test', async () => DOWN)).toBe(DOWN)
  })

  it('waits while all proxies are down, and is never sent directly', async () => {
    const pool = poolOf(...PROXIES)
    const routes = new ProxyRoutes(pool, clock)
    await routes.send({ url }, 'x.test', async () => GOOD)
    let isUp = false
    const sent: unknown[] = []
    const waiting = routes.send({ url }, 'x.test', async (proxy) => {
      sent.push(proxy)
      return isUp ? GOOD : DOWN
    })
    for (let i = 0; i < 5; i++) {
      await settled()
      clock.advance(60_000)
    }
    isUp = true
    await settled()
    clock.advance(60_000)
    expect(await waiting).toBe(GOOD)
    expect(sent).not.toContain(undefined)
    expect(events.filter(({ kind }) => kind === 'all-down')).toHaveLength(1)
  })

  it('ends when it is aborted while it waits', async () => {
    const routes = new ProxyRoutes(poolOf(...PROXIES), clock)
    await routes.send({ url }, 'x.test', async () => GOOD)
    const { signal, abort } = controller()
    const waiting = routes.send({ url, signal }, 'x.test', async () => DOWN)
    await settled()
    abort()
    expect(await waiting).toMatchObject({ kind: 'network-failure', cause: 'aborted' })
  })

  it('fails if others get through while it waits', async () => {
    const pool = poolOf({ url: 'http://a.test' })
    const routes = new ProxyRoutes(pool, clock)
    await routes.send({ url }, 'x.test', async () => GOOD)
    const waiting = routes.send({ url }, 'bad.test', async () => DOWN)
    await settled()
    clock.advance(5_000)
    const [proxy] = pool.proxies as [WebProxy]
    pool.succeeded(proxy, 'x.test', false)
    expect(await waiting).toBe(DOWN)
  })

  it('keeps the proxy of its session, whatever the host', async () => {
    const pool = poolOf(...PROXIES, { url: 'http://c.test' })
    const routes = new ProxyRoutes(pool, clock)
    const session = { id: 's1', cookies: { store: () => {}, headerFor: () => undefined } }
    const used = new Set<unknown>()
    for (const host of HOSTS.slice(0, 50))
      await routes.send({ url, session }, host, async (proxy) => {
        used.add(proxy)
        return GOOD
      })
    expect(used.size).toBe(1)
  })
})

describe('probes', () => {
  it('suspend a proxy that cannot be connected to, and clear one that can', async () => {
    const pool = poolOf({ url: 'http://a.test' }, { url: 'http://b.test' })
    const [a] = pool.proxies as [WebProxy]
    pool.succeeded(a, 'x.test', false)
    let isUp = false
    const probe = async (proxy: WebProxy) => {
      if (proxy === a && !isUp) throw new Error('refused')
    }
    const probes = new ProxyProbes(pool, { probe }, clock, 30_000)
    clock.advance(30_000)
    await settled()
    expect(events).toMatchObject([{ kind: 'suspended', proxy: a.label, reason: 'refused' }])
    isUp = true
    clock.advance(30_000)
    await settled()
    expect(events.at(-1)).toMatchObject({ kind: 'back', proxy: a.label })
    probes.close()
    clock.advance(300_000)
    expect(events).toHaveLength(2)
  })
})

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

function controller(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const made = new AbortController()
  return { signal: made.signal, abort: () => made.abort() }
}
