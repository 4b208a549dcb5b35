import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { passTime, TestWorker } from '../../../testing/redis-fleet.ts'
import type { RedisServer } from '../../../testing/redis-server.ts'
import { withTimeOf } from '../../../testing/redis-time.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import type { Cookie } from '../../domain/fetch/cookie.ts'
import type { LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { HostCookies } from '../../domain/frontier/host-cookies.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import type { RedisConnection } from './redis-connection.ts'
import type { RedisFrontierOptions } from './redis-frontier.ts'

/** Cookies of hosts by value. */
class TestCookies implements HostCookies {
  readonly restored: Array<readonly [host: string, values: string[]]> = []
  readonly changes = new Map<string, string>()

  restore(host: string, cookies: readonly Cookie[]): void {
    this.restored.push([host, cookies.map(({ value }) => value)])
  }

  changed(host: string): readonly Cookie[] | undefined {
    const value = this.changes.get(host)
    this.changes.delete(host)
    if (value === undefined) return undefined
    return value === '' ? [] : [{ ...COOKIE, value }]
  }
}

const COOKIE: Cookie = {
  ...{ name: 'id', value: '1', domain: 'a.test', hostOnly: true, path: '/', secure: false },
  expiresAt: 1_900_000_000_000,
}

describe('the records of a host', () => {
  let server: RedisServer
  let connection: RedisConnection
  let clock: FakeClock
  let workers: TestWorker[]
  let crawl: string
  let crawls = 0

  useRedis((started) => {
    server = started.server
    connection = withTimeOf(started.connection, () => clock.now())
  })
  beforeEach(() => {
    clock = new FakeClock()
    workers = []
    crawl = `records-${++crawls}`
  })
  afterEach(async () => {
    for (const { frontier } of workers) await frontier.close()
  })

  function join(options: RedisFrontierOptions = {}) {
    const worker = new TestWorker(connection, clock, crawl, { countsPages: true, restMs: 0, ...options })
    const cookies = new TestCookies()
    worker.frontier.carryCookies(cookies)
    workers.push(worker)
    return { worker, cookies, frontier: worker.frontier }
  }
  const lease = ({ frontier }: Pick<TestWorker, 'frontier'>, requests = 100) =>
    frontier.lease({ requests, perHost: 100, now: clock.now() })
  const key = (name: string) => `orbweaver:{${crawl}}:${name}`

  it('has the pages that all workers settled', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 4))
    const [first] = await lease(a, 2)
    expect(first).toMatchObject({ host: 'a.test', isNew: true, pages: new Map([['a.test', 0]]) })
    await a.frontier.settle(first?.requests.map((leased) => pageOf('a.test', leased)) ?? [])
    const [second] = await lease(b, 1)
    expect(second).toMatchObject({ isNew: true, pages: new Map([['a.test', 2]]) })
    expect(await lease(b, 1)).toMatchObject([{ isNew: false, pages: new Map([['a.test', 2]]) }])
  })

  it('has only pages whose settlement counted, each once', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 2))
    const [first] = await lease(a, 1)
    const settlements = first?.requests.map((leased) => pageOf('a.test', leased)) ?? []
    await lease(b)
    a.worker.stop()
    await passTime(clock, 36_000, workers)
    const [second] = await lease(b)
    expect(second?.requests).toHaveLength(2)
    // It lost the host: its page is fetched again.
    a.worker.resume()
    await a.frontier.settle(settlements)
    expect((await server.command('HGETALL', key('host-pages'))).trim()).toBe('')
    const own = second?.requests.map((leased) => pageOf('a.test', leased)) ?? []
    await b.frontier.settle(own)
    await b.frontier.settle(own)
    expect((await server.command('HGET', key('host-pages'), 'a.test')).trim()).toBe('2')
  })

  it('has the pages of each host in the queue of a domain', async () => {
    const a = join({ keyOf: () => 'a.test' })
    await a.frontier.add([...pages('x.a.test', 1), ...pages('y.a.test', 1)])
    const [first] = await lease(a)
    await a.frontier.settle(first?.requests.slice(0, 1).map((leased) => pageOf('x.a.test', leased)) ?? [])
    await a.frontier.add(pages('x.a.test', 2))
    expect(await lease(a)).toMatchObject([{ host: 'a.test', pages: new Map([['x.a.test', 1]]) }])
  })

  it('has the cookies that its last owner stored', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 4))
    const [first] = await lease(a, 1)
    expect(a.cookies.restored).toEqual([['a.test', []]])
    a.cookies.changes.set('a.test', 'login')
    await a.frontier.settle(first?.requests.map(done) ?? [])
    const [second] = await lease(b, 1)
    expect(b.cookies.restored).toEqual([['a.test', ['login']]])
    // It has the host already.
    const more = await lease(b, 1)
    expect(b.cookies.restored).toHaveLength(1)
    b.cookies.changes.set('a.test', '')
    await b.frontier.settle([...(second?.requests ?? []), ...(more[0]?.requests ?? [])].map(done))
    await lease(a, 1)
    expect(a.cookies.restored.at(-1)).toEqual(['a.test', []])
  })

  it('has no cookies of a worker that lost it', async () => {
    const [a, b] = [join(), join()]
    await a.frontier.add(pages('a.test', 2))
    const [first] = await lease(a, 1)
    await lease(b)
    a.worker.stop()
    await passTime(clock, 36_000, workers)
    const [second] = await lease(b, 1)
    a.worker.resume()
    a.cookies.changes.set('a.test', 'late')
    await a.frontier.settle(first?.requests.map(done) ?? [])
    b.cookies.changes.set('a.test', 'right')
    await b.frontier.settle(second?.requests.map(done) ?? [])
    await lease(a, 1)
    expect(a.cookies.restored.at(-1)).toEqual(['a.test', ['right']])
  })

  it.each(['[', '{"a":1}', '[{"name":"id","value":"a\\r\\nb"}]'])(
    'is checked when it is read: %s',
    async (text) => {
      const a = join()
      await a.frontier.add(pages('a.test', 1))
      await server.command('HSET', key('cookies'), 'a.test', text)
      await server.command('HSET', key('host-pages'), 'a.test', text)
      expect(await lease(a)).toMatchObject([{ pages: new Map([['a.test', 0]]) }])
      expect(a.cookies.restored).toEqual([['a.test', []]])
    },
  )

  it('is deleted with the crawl', async () => {
    const a = join()
    await a.frontier.add(pages('a.test', 1))
    const [first] = await lease(a)
    a.cookies.changes.set('a.test', 'login')
    await a.frontier.settle(first?.requests.map((leased) => pageOf('a.test', leased)) ?? [])
    const exist = () => server.command('EXISTS', key('cookies'), key('host-pages'))
    expect((await exist()).trim()).toBe('2')
    await a.frontier.control.clear({ force: true })
    expect((await exist()).trim()).toBe('0')
  })
})

function pages(host: string, n: number) {
  return Array.from({ length: n }, (_, i) => ({ url: `http://${host}/${i + 1}`, handler: 'parse', depth: 0 }))
}

function done({ id }: LeasedRequest): Settlement {
  return { id, end: { kind: 'done' }, requests: [], items: [], rejected: [] }
}

function pageOf(host: string, leased: LeasedRequest): Settlement {
  return { ...done(leased), pageOf: host }
}
