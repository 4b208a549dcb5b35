import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { RedisServer } from '../../../testing/redis-server.ts'
import { withTimeOf } from '../../../testing/redis-time.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { HostLease, LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { fleetHosts } from './fleet-hosts.ts'
import { forgetUrls } from './forget-urls.ts'
import { CrawlEndCheck, inspectCrawl } from './inspect-crawl.ts'
import { crawlShards } from './job.ts'
import { jobKeys, shardKeys } from './keys.ts'
import { latestDeadLetters } from './latest-dead-letters.ts'
import { ConnectionClosed, type RedisConnection } from './redis-connection.ts'
import { RedisFrontier, type RedisFrontierOptions } from './redis-frontier.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { ShardedFrontier } from './sharded-frontier.ts'
import { openItemTaker } from './sharded-item-taker.ts'
import { shardOf } from './shards.ts'
import { StartMessages } from './start-messages.ts'
import { StartPusher } from './start-pusher.ts'

const SHARDS = 4

let server: RedisServer
let connection: RedisConnection
let clock: FakeClock
let crawl: string
let crawls = 0
let opened: Array<{ close(): Promise<void> }>

useRedis((started) => {
  server = started.server
  connection = withTimeOf(started.connection, () => clock.now())
})
beforeEach(() => {
  clock = new FakeClock()
  crawl = `sharded-${++crawls}`
  opened = []
})
afterEach(async () => {
  for (const frontier of opened) await frontier.close().catch(() => {})
})

function open(options: RedisFrontierOptions = {}, through = connection): ShardedFrontier {
  const frontier = new ShardedFrontier(through, clock, crawl, SHARDS, { wallClock: clock, ...options })
  opened.push(frontier)
  return frontier
}
const baseOf = (shard: number) => shardKeys(crawl, false, SHARDS)[shard]?.base ?? ''
const lease = (frontier: ShardedFrontier, requests = 100) =>
  frontier.lease({ requests, perHost: 100, now: clock.now() })
const leaseOne = async (frontier: ShardedFrontier) => requestsOf(await lease(frontier))[0] as LeasedRequest

describe('the end of a crawl', () => {
  it('is not believed while a page is settled after the shard of its links was read', async () => {
    const worker = open()
    await worker.add([page(hostIn(1))])
    const leased = await leaseOne(worker)
    // Another process reads the shard of the links before they are added, and that of the page after it is settled.
    let isSettled = false
    const reader = open(
      {},
      {
        ...connection,
        async run(script, keys, args) {
          if (script.name === 'pending' && keys[0] === baseOf(1) && !isSettled) {
            await linksRead.promise
            isSettled = true
            await worker.settle([done(leased, { requests: [page(hostIn(2))] })])
          }
          const reply = await connection.run(script, keys, args)
          if (script.name === 'pending' && keys[0] === baseOf(2)) linksRead.resolve()
          return reply
        },
      },
    )
    const linksRead = Promise.withResolvers<void>()
    expect(await reader.pending()).toMatchObject({ ready: 1 })
    expect(isSettled).toBe(true)
  })

  it('is reported when all shards are empty', async () => {
    const worker = open()
    const end = new CrawlEndCheck(connection, crawl)
    await worker.add([page(hostIn(1))], 'complete')
    const leased = await leaseOne(worker)
    expect(await open().pending()).toEqual({
      ...{ ready: 0, delayed: 0, leased: 0, elsewhere: 1, startsComplete: true },
    })
    await worker.settle([done(leased)])
    expect(await open().pending()).toEqual({ ready: 0, delayed: 0, leased: 0, startsComplete: true })
    expect(await end.isReached()).toBe(false)
    await worker.close()
    expect(await end.isReached()).toBe(true)
  })
})

describe('links to another shard', () => {
  it.each([
    ['with a fingerprint', {}],
    ['with dontFilter', { dontFilter: true }],
  ])('%s are added once, also if the worker is lost before their page is settled', async (_, more) => {
    const links = [page(hostIn(2), more), page(hostIn(3), more), page(hostIn(2), { ...more, priority: 1 })]
    const lost = open(
      {},
      {
        ...connection,
        async run(script, keys, args) {
          if (script.name === 'settle') throw new ConnectionClosed('killed')
          return connection.run(script, keys, args)
        },
      },
    )
    await lost.add([page(hostIn(1))])
    await expect(lost.settle([done(await leaseOne(lost), { requests: links })])).rejects.toThrow('killed')
    const filtered = 'dontFilter' in more ? 3 : 2
    expect(await open().pending()).toMatchObject({ ready: filtered, elsewhere: 1 })
    await lost.close()
    const next = open()
    const again = requestsOf(await lease(next)).filter(({ request }) => request.url === page(hostIn(1)).url)
    expect(again).toHaveLength(1)
    await next.settle(again.map((leased) => done(leased, { requests: links })))
    expect(await next.pending()).toMatchObject({ ready: 0, leased: filtered })
    expect((await next.counts()).added).toBe(1 + filtered)
  })

  it('with dontFilter are added again by the next attempt', async () => {
    const worker = open()
    await worker.add([page(hostIn(1))])
    const links = [page(hostIn(2), { dontFilter: true })]
    const retry = { kind: 'retry', at: 0, reason: 'busy' } as const
    await worker.settle([{ ...done(await leaseOne(worker), { requests: links }), end: retry }])
    const again = requestsOf(await lease(worker)).find(({ attempt }) => attempt === 2) as LeasedRequest
    await worker.settle([done(again, { requests: links })])
    expect((await worker.counts()).added).toBe(3)
  })

  it('are sent again to a shard that forgot them', async () => {
    const worker = open()
    await worker.add([page(hostIn(1))])
    const leased = await leaseOne(worker)
    await backUp(baseOf(2))
    await worker.settle([done(leased, { requests: [page(hostIn(2))] })])
    await restore(baseOf(2))
    expect(await new RedisFrontier(connection, clock, crawl, shard(2)).pending()).toMatchObject({ ready: 0 })
    // The last look before the end finds out.
    expect(await worker.pending()).toMatchObject({ ready: 1 })
    // Again, as the reply may be lost: they are known.
    clock.advance(10_000)
    await worker.renew()
    expect(await worker.pending()).toMatchObject({ ready: 1 })
  })

  it('that Redis cannot store make their page a dead letter', async () => {
    const worker = open()
    await worker.add([page(hostIn(1))])
    const bad = page(hostIn(2), { priority: Number.NaN })
    await worker.settle([done(await leaseOne(worker), { requests: [bad] })])
    expect(await worker.deadLetters.failed()).toMatchObject([{ code: 'cannot-settle' }])
    expect(await worker.pending()).toMatchObject({ ready: 0, leased: 0 })
  })
})

describe('a lease', () => {
  it('takes equal shares of all shards that have requests', async () => {
    const worker = open()
    await worker.add([0, 1, 2, 3].flatMap((n) => pages(hostIn(n), 10)))
    expect(countsOf(await lease(worker, 8))).toEqual([2, 2, 2, 2])
    // The next ones begin with the next shard.
    expect(countsOf(await lease(worker, 3))).toEqual([1, 1, 1])
    expect(countsOf(await lease(worker, 100)).reduce((sum, n) => sum + n)).toBe(29)
  })

  it('needs few calls when most shards are empty', async () => {
    let calls = 0
    const counting: RedisConnection = {
      ...connection,
      run(...call) {
        calls++
        return connection.run(...call)
      },
    }
    const worker = open({}, counting)
    await worker.add(pages(hostIn(2), 10))
    await lease(worker, 4)
    calls = 0
    expect(countsOf(await lease(worker, 3))).toEqual([3])
    expect(calls).toBeLessThanOrEqual(1)
  })

  it('hands requests of start messages over to the shards of their hosts, once', async () => {
    const worker = open()
    const urls = [0, 1, 2, 3].map((n) => page(hostIn(n)).url)
    await new StartPusher(connection, crawl).push(urls.map((message) => ({ message, score: 0 })))
    const { batch, requests } = await new StartMessages(connection, clock, crawl).take()
    const admitted = requests.map(({ href }) => ({ url: href, handler: 'parse', depth: 0, dontFilter: true }))
    expect(await worker.addStarts(batch, admitted)).toEqual({ added: 4, duplicates: 0 })
    expect(await worker.pending()).toMatchObject({ ready: 4 })
    const leased = await lease(worker)
    expect(leased.map(({ host }) => host).sort()).toEqual([0, 1, 2, 3].map(hostIn).sort())
    for (const { host } of leased) expect(worker.holds(host)).toBe(true)
    // A link to such a page is known.
    expect(await worker.add(urls.map((url) => ({ url, handler: 'parse', depth: 1 })))).toMatchObject({
      added: 0,
    })
    await worker.settle(requestsOf(leased).map((one) => done(one)))
    expect(await worker.counts()).toMatchObject({ added: 4, done: 4, waiting: 0, leased: 0 })
  })

  it('of one shard can be lost without the others', async () => {
    const worker = open()
    await worker.add([page(hostIn(1)), page(hostIn(2))])
    const leased = requestsOf(await lease(worker))
    // As if Redis had given the worker up in this shard.
    const fence = await server.command('zrange', `${baseOf(2)}:workers`, '0', '0')
    await server.command('hdel', `${baseOf(2)}:worker:${fence}`, 'lives')
    await worker.renew()
    expect([worker.holds(hostIn(1)), worker.holds(hostIn(2))]).toEqual([true, false])
    const settled = await worker.settle(leased.map((one) => done(one)))
    expect(settled).toEqual({ added: 0, duplicates: 0, ignored: 1 })
    expect((await worker.counts()).done).toBe(1)
  })
})

describe('the number of shards', () => {
  it('is fixed when the crawl is created, also after it was cleared', async () => {
    const worker = open()
    await worker.add([page(hostIn(1))])
    const other = new ShardedFrontier(connection, clock, crawl, 8)
    await expect(other.add([page(hostIn(1))])).rejects.toThrow(
      'this crawl was created with 4 shards, not 8, and the number cannot be changed',
    )
    const single = new RedisFrontier(connection, clock, crawl)
    await expect(single.add([page(hostIn(1))])).rejects.toMatchObject({ code: 'CRAWL_MISMATCH' })
    await worker.close()
    await open().control.clear({ items: true })
    expect(await crawlShards(connection, crawl)).toHaveLength(SHARDS)
    await expect(crawlShards(connection, crawl, { shards: 1 })).rejects.toThrow(
      'created with 4 shards, not 1',
    )
  })

  it('is 1 for a crawl of an earlier version', async () => {
    const old = new RedisFrontier(connection, clock, crawl)
    await old.add(pages(hostIn(1), 2))
    await old.close()
    await server.command('hdel', `${jobKeys(crawl, false).base}:counts`, 'shards')
    expect(await crawlShards(connection, crawl)).toHaveLength(1)
    await expect(open().add([page(hostIn(1))])).rejects.toThrow('created with 1 shard, not 4')
    const again = new RedisFrontier(connection, clock, crawl)
    expect(requestsOf(await again.lease({ requests: 9, perHost: 9, now: clock.now() }))).toHaveLength(2)
    await again.close()
  })

  it.each<RedisFrontierOptions>([
    { order: 'fifo' },
    { seen: { dupefilter: 'scrapy-c' } },
    { seen: { seenWith: 'other' } },
  ])('must be 1 for %j', (options) => {
    expect(() => open(options)).toThrow(/needs a crawl with 1 shard/)
  })
})

describe('control', () => {
  it('pauses all shards at once', async () => {
    const worker = open()
    await worker.add([0, 1, 2, 3].map((n) => page(hostIn(n))))
    await open().control.setState('paused')
    await worker.renew()
    expect(await lease(worker)).toEqual([])
    await open().control.setState(undefined)
    await worker.pending()
    expect(requestsOf(await lease(worker))).toHaveLength(4)
  })

  it('keeps the delay of a host in its shard, for all workers', async () => {
    const worker = open()
    await worker.add([page(hostIn(1))])
    const heard: unknown[] = []
    worker.onHostDelays((delays) => heard.push([...delays]))
    const { control } = open()
    expect(await control.setHostDelay(hostIn(2), 7_000)).toBe('ok')
    expect(await control.setHostDelay(hostIn(3), 8_000)).toBe('ok')
    await worker.renew()
    expect(heard.at(-1)).toEqual([
      [hostIn(2), 7_000],
      [hostIn(3), 8_000],
    ])
  })

  it('clears all shards, and leaves one alone that has new requests', async () => {
    const worker = open()
    await worker.add([0, 1, 2, 3].flatMap((n) => pages(hostIn(n), 3)))
    await worker.settle(requestsOf(await lease(worker, 4)).map((one) => done(one, { items: [{ n: 1 }] })))
    expect(await open().control.clear()).toEqual({ ok: false, workers: 1 })
    await worker.close()
    expect(await open().control.clear()).toEqual({ ok: true })
    expect(await inspectCrawl(connection, crawl)).toMatchObject({
      counts: { waiting: 0, added: 0, seen: 0, items: 4 },
    })
    // A process that was killed after it had begun: the next worker finishes.
    await open().add([0, 1, 2, 3].map((n) => page(hostIn(n))))
    await closeAll()
    const begun = await connection.run(
      SCRIPTS.beginClearing,
      [baseOf(0), `${crawl}:items`],
      ['hosts', '', '0', '0', '0', '0', '', '', '', 'x', `${baseOf(0)}:requests`],
    )
    expect(begun).toEqual(['ok', 'x'])
    const next = open()
    expect(await next.add([0, 1, 2, 3].map((n) => page(hostIn(n))))).toEqual({ added: 4, duplicates: 0 })
    // The first process comes back.
    await connection.run(
      SCRIPTS.beginClearing,
      [baseOf(2), 'none'],
      ['hosts', '', '0', '0', '0', '0', 'force', '', '', 'x', `${baseOf(2)}:requests`],
    )
    expect(await next.pending()).toMatchObject({ ready: 4 })
    await closeAll()
    await open().control.clear({ items: true })
    expect(await inspectCrawl(connection, crawl)).toBeUndefined()
  })
})

describe('what other processes see', () => {
  it('is the sum of all shards, with each worker once', async () => {
    const worker = open({ name: 'one', status: () => ({ pages: 3 }) })
    await worker.add([0, 1, 2, 3].flatMap((n) => pages(hostIn(n), 2)))
    const leased = requestsOf(await lease(worker, 4))
    await worker.renew()
    expect(await inspectCrawl(connection, crawl)).toMatchObject({
      shards: SHARDS,
      counts: { waiting: 4, leased: 4, added: 8, seen: 8, heldHosts: 4 },
      workers: [{ name: 'one', leased: 4, hosts: 4, status: { pages: 3 } }],
    })
    expect(await worker.workers()).toHaveLength(1)
    const keys = await crawlShards(connection, crawl)
    const hosts = await fleetHosts(connection, keys, 100)
    expect(hosts.map(({ host }) => host).sort()).toEqual([0, 1, 2, 3].map(hostIn).sort())
    expect(new Set(hosts.map(({ worker: fence }) => fence))).toEqual(
      new Set((await worker.workers()).map(({ fence }) => fence)),
    )
    await worker.settle(
      leased.map((one) => ({ ...done(one), end: { kind: 'failed', code: 'http-404', reason: 'HTTP 404' } })),
    )
    expect(await latestDeadLetters(connection, keys, 3)).toMatchObject({ total: 4 })
    expect((await latestDeadLetters(connection, keys, 3)).latest).toHaveLength(3)
    expect(await worker.deadLetters.retryFailed({ limit: 3 })).toBe(3)
    expect(await worker.deadLetters.failed()).toHaveLength(1)
  })

  it('is forgotten in the shard of the host', async () => {
    const worker = open()
    const all = [0, 1, 2, 3].map((n) => page(hostIn(n)))
    await worker.add(all)
    const urls = all.map(({ url }) => url)
    expect(await forgetUrls(connection, crawl, [...urls, 'http://other.test/'])).toMatchObject({ known: 4 })
    expect(await worker.add(all)).toEqual({ added: 4, duplicates: 0 })
  })

  it('are the items of all shards, which a consumer takes once and resumes', async () => {
    const worker = open()
    const hosts = [0, 1, 2, 3].map(hostIn)
    await worker.add(hosts.flatMap((host) => pages(host, 3)))
    const leased = requestsOf(await lease(worker))
    await worker.settle(leased.map((one) => done(one, { items: [{ url: one.request.url }] })))
    const urls = leased.map(({ request: { url } }) => url).sort()
    const log = await worker.items.items(0, 5)
    const more = await worker.items.items(log.at(-1)?.position ?? 0, 100)
    expect([...log, ...more].map(({ url }) => url).sort()).toEqual(urls)
    expect(await worker.items.items(0, 100)).toEqual([...log, ...more])

    const taken: string[] = []
    const positions = new Set<number>()
    const take = async (batches: number) => {
      const taker = await openItemTaker(connection, clock, crawl, { name: 'me', batch: 2 })
      const state = await taker.join()
      for (let i = 0; i < batches; i++) {
        const { items, acknowledge } = await taker.take()
        for (const { position } of items) positions.add(position)
        taken.push(...items.map(({ url }) => url))
        if (items.length > 0) expect(await acknowledge(`after ${taken.length}`)).toBe(true)
      }
      return { state, left: await taker.count() }
    }
    expect(await take(3)).toEqual({ state: '', left: 6 })
    expect(await take(6)).toEqual({ state: 'after 6', left: 0 })
    expect((await take(1)).state).toBe('after 12')
    expect(taken.sort()).toEqual(urls)
    expect(positions.size).toBe(12)
  })
})

/** The first name of a host that is in the shard. */
function hostIn(number: number): string {
  for (let i = 0; ; i++) if (shardOf(`h${i}.test`, SHARDS) === number) return `h${i}.test`
}

function page(host: string, more: Partial<CrawlRequest> = {}): CrawlRequest {
  return { url: `http://${host}/`, handler: 'parse', depth: 0, from: 'http://from.test/', ...more }
}

function pages(host: string, count: number): CrawlRequest[] {
  return Array.from({ length: count }, (_, i) => ({ ...page(host), url: `http://${host}/${i}` }))
}

function done({ id }: LeasedRequest, more: Partial<Settlement> = {}): Settlement {
  return { id, end: { kind: 'done' }, requests: [], items: [], rejected: [], ...more }
}

function requestsOf(leases: readonly HostLease[]): LeasedRequest[] {
  return leases.flatMap(({ requests }) => requests)
}

function countsOf(leases: readonly HostLease[]): number[] {
  return leases.map(({ requests }) => requests.length)
}

function shard(number: number): RedisFrontierOptions {
  return { shard: { number, of: SHARDS } }
}

async function closeAll(): Promise<void> {
  for (const frontier of opened.splice(0)) await frontier.close()
}

/** Keeps the keys of a shard as they are, to be restored later. */
function backUp(base: string): Promise<string> {
  return server.command('EVAL', COPY, '0', base, '', 'backup:')
}

/** As a Redis that lost its latest writes. */
async function restore(base: string): Promise<void> {
  const remove = "for _, key in ipairs(redis.call('KEYS', ARGV[1] .. ':*')) do redis.call('DEL', key) end"
  await server.command('EVAL', remove, '0', base)
  await server.command('EVAL', COPY, '0', `backup:${base}`, 'backup:', '')
}

const COPY = `for _, key in ipairs(redis.call('KEYS', ARGV[1] .. ':*')) do
  redis.call('COPY', key, ARGV[3] .. key:sub(#ARGV[2] + 1), 'REPLACE')
end`
