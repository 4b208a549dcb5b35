import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { type RedisServer, startRedisCluster } from '../../../testing/redis-server.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import type { JsonObject } from '../../base/json.ts'
import { ItemTaker, type ItemTakerOptions, type TakenItems } from './item-taker.ts'
import { parseRedisAddress } from './redis-address.ts'
import { connectRedis, type RedisConnection } from './redis-connection.ts'
import { RedisFrontier } from './redis-frontier.ts'

let server: RedisServer
let connection: RedisConnection
let clock: FakeClock
let crawl: string
let crawls = 0

useRedis((started) => {
  ;({ server, connection } = started)
})
beforeEach(() => {
  clock = new FakeClock()
  crawl = `items-${++crawls}`
})

const key = () => `${crawl}:items`
const own = (name: string) => `orbweaver:{${crawl}}:${name}`
const redis = (command: string, ...args: string[]) => server.command(command, key(), ...args)
const length = async (list: string) => Number(await server.command('llen', list))

async function open(options: ItemTakerOptions = {}, through = connection): Promise<ItemTaker> {
  const taker = new ItemTaker(through, clock, crawl, options)
  await taker.join()
  return taker
}

/** As a worker settles them: `page/<n>` for each number. */
async function settle(...numbers: readonly number[]): Promise<void> {
  const frontier = new RedisFrontier(connection, clock, crawl)
  await frontier.add(numbers.map((n) => ({ url: pageOf(n), handler: 'parse', depth: 0 })))
  const [lease] = await frontier.lease({ requests: 5_000, perHost: 5_000, now: clock.now() })
  for (const { id, request } of lease?.requests ?? []) {
    const items = [{ n: numbers.find((n) => pageOf(n) === request.url) ?? -1 }]
    await frontier.settle([{ id, end: { kind: 'done' }, requests: [], items, rejected: [] }])
  }
}
const pageOf = (n: number) => `http://a.test/page/${n}`
const numbersIn = ({ items }: TakenItems) => items.map(({ item }) => item['n'])

describe('ItemTaker', () => {
  it('takes items oldest first, with their pages, and each has a number of its own', async () => {
    await settle(1, 2, 3)
    const taker = await open({ batch: 2 })
    const first = await taker.take()
    expect(first.items).toEqual([
      { position: 1, url: pageOf(1), item: { n: 1 } },
      { position: 2, url: pageOf(2), item: { n: 2 } },
    ])
    expect(await first.acknowledge()).toBe(true)
    const second = await taker.take()
    expect(second.items).toEqual([{ position: 3, url: pageOf(3), item: { n: 3 } }])
    await second.acknowledge()
    expect((await taker.take()).items).toEqual([])
    expect(await taker.count()).toBe(0)
    expect(await server.command('keys', own('item-*'))).toBe('')
  })

  it('returns items again that are not acknowledged', async () => {
    await settle(1, 2)
    const taker = await open()
    const first = await taker.take()
    const again = await taker.take()
    expect(again.items).toEqual(first.items)
    expect(await first.acknowledge()).toBe(false)
    expect(await again.acknowledge()).toBe(true)
    expect(await again.acknowledge()).toBe(true)
    expect(await taker.count()).toBe(0)
  })

  it('shares items with other consumers, and takes over from a killed one after its timeout', async () => {
    await settle(1, 2, 3)
    const [dead, next] = [await open({ batch: 2 }), await open()]
    const lost = await dead.take()
    const third = await next.take()
    expect(numbersIn(third)).toEqual([3])
    await third.acknowledge()
    expect(await next.count()).toBe(2)
    clock.advance(59_999)
    expect(numbersIn(await next.take())).toEqual([])
    clock.advance(1)
    const again = await next.take()
    expect(again.items).toEqual(lost.items)
    expect(await lost.acknowledge()).toBe(false)
    expect(await again.acknowledge()).toBe(true)
    expect(await lost.acknowledge()).toBe(false)
    expect(await next.count()).toBe(0)
  })

  it('acknowledges late if no other consumer took the items', async () => {
    await settle(1)
    const taker = await open()
    const taken = await taker.take()
    clock.advance(3_600_000)
    expect(await taken.acknowledge()).toBe(true)
  })

  it('resumes at once under its name with its stored state, and stops the earlier process of that name', async () => {
    await settle(1, 2)
    const killed = await open({ name: 'shop', batch: 1 })
    await (await killed.take()).acknowledge('one')
    const lost = await killed.take()
    const back = new ItemTaker(connection, clock, crawl, { name: 'shop', batch: 1 })
    expect(await back.join()).toBe('one')
    expect((await back.take()).items).toEqual(lost.items)
    const replaced = { code: 'CONSUMER_REPLACED' }
    await expect(lost.acknowledge('two')).rejects.toMatchObject(replaced)
    await expect(killed.take()).rejects.toMatchObject(replaced)
    await expect(killed.remember('two')).rejects.toMatchObject(replaced)
    expect(await new ItemTaker(connection, clock, crawl, { name: 'shop' }).join()).toBe('one')
  })

  it('stores its state together with the acknowledgement, or not at all', async () => {
    await settle(1)
    const slow = await open({ name: 'slow' })
    const taken = await slow.take()
    clock.advance(60_000)
    await (await open()).take()
    expect(await taken.acknowledge('written')).toBe(false)
    expect(await slow.join()).toBe('')
  })

  it('leaves its items to the next consumer at once when it is closed, and no keys', async () => {
    await settle(1)
    const taker = await open()
    await taker.take()
    await taker.leave()
    const next = await open()
    const taken = await next.take()
    expect(numbersIn(taken)).toEqual([1])
    await taken.acknowledge()
    await next.leave()
    expect(await server.command('keys', own('consumer*'))).toBe('')
    await expect(next.take()).rejects.toMatchObject({ code: 'CONSUMER_REPLACED' })
  })

  it('limits the size of a batch', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(1_500_000) })
    for (let i = 0; i < 4; i++) await server.command('eval', PUSH_LONG, '1', key(), String(long.length))
    const taker = await open()
    const sizes: number[] = []
    for (let taken = await taker.take(); taken.items.length > 0; taken = await taker.take()) {
      sizes.push(taken.items.length)
      await taken.acknowledge()
    }
    expect(sizes).toEqual([2, 2])
  })

  it('moves values that are not items to the malformed list, once', async () => {
    await redis('rpush', 'nonsense', '[1]', '{"n": 1, "price": NaN}', '"text"')
    const taker = await open()
    const taken = await taker.take()
    expect(taken.items.map(({ item }) => item)).toEqual([{ n: 1, price: null } satisfies JsonObject])
    expect(taken.malformed).toBe(3)
    await taken.acknowledge()
    await taken.acknowledge()
    expect(await server.command('lrange', taker.malformedKey, '0', '-1')).toBe('nonsense\n[1]\n"text"')
    // A batch with nothing else in it does not look like the end.
    await redis('rpush', '1', '2', '{"n": 2}')
    const next = await (await open({ batch: 2 })).take()
    expect([numbersIn(next), next.malformed]).toEqual([[2], 2])
  })

  it('rejects a key of another type', async () => {
    await redis('set', 'x')
    await expect((await open()).take()).rejects.toThrow(`${key()} must hold a list of items; it is a string`)
  })

  it('takes effect once when every reply is lost', async () => {
    await settle(1, 2, 3)
    await redis('rpush', 'nonsense')
    const twice: RedisConnection = {
      isCluster: false,
      async run(...call) {
        await connection.run(...call)
        return connection.run(...call)
      },
      close() {},
    }
    const taker = await open({ batch: 2 }, twice)
    const taken: unknown[] = []
    for (let some = await taker.take(); some.items.length > 0; some = await taker.take()) {
      taken.push(...numbersIn(some))
      expect(await some.acknowledge('x')).toBe(true)
    }
    expect(taken).toEqual([1, 2, 3])
    expect(await length(taker.malformedKey)).toBe(1)
  })

  it('knows the pages of items when other programs take from the head or add items', async () => {
    await redis('rpush', '{"n": -1}', '{"n": -2}')
    await settle(1, 2, 3, 4)
    await redis('lpop', '1')
    const taker = await open({ batch: 2 })
    const urls: string[] = []
    for (let taken = await taker.take(); taken.items.length > 0; taken = await taker.take()) {
      for (const { url, item } of taken.items) urls.push(`${String(item['n'])} ${url}`)
      await taken.acknowledge()
      await redis('lpop', '1')
    }
    // 2 was taken by others.
    expect(urls).toEqual([`-2 `, `1 ${pageOf(1)}`, `3 ${pageOf(3)}`, `4 ${pageOf(4)}`])
    expect(await length(own('item-urls'))).toBe(0)
  })

  it('keeps no more pages than items', async () => {
    await settle(1, 2, 3, 4, 5)
    await redis('lpop', '2')
    const taker = await open({ batch: 1 })
    const taken = await taker.take()
    expect(taken.items[0]?.url).toBe(pageOf(3))
    expect([await length(key()), await length(own('item-urls'))]).toEqual([2, 2])
    await redis('lpop', '2')
    await taken.acknowledge()
    await taker.take()
    expect(await length(own('item-urls'))).toBe(0)
  })

  it('takes items from a Redis whose memory is full, as that makes room', async () => {
    await settle(1, 2)
    await server.command('config', 'set', 'maxmemory', '1')
    // A call that waited for memory would wait for ever.
    const impatient = await connectRedis(parseRedisAddress(server.address), {
      onOutage: () => impatient.close(),
    })
    try {
      const taker = await open({ name: 'shelf', batch: 1 }, impatient)
      await taker.remember('begun')
      expect(await (await taker.take()).acknowledge('one')).toBe(true)
      expect(numbersIn(await taker.take())).toEqual([2])
      await taker.leave()
      expect(await taker.join()).toBe('one')
    } finally {
      await server.command('config', 'set', 'maxmemory', '0')
      impatient.close()
    }
  })

  it('works in a cluster', async () => {
    const cluster = await startRedisCluster()
    const nodes = await connectRedis(parseRedisAddress(cluster.address))
    try {
      const frontier = new RedisFrontier(nodes, clock, 'shop')
      await frontier.add([{ url: pageOf(1), handler: 'parse', depth: 0 }])
      const [lease] = await frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
      const id = lease?.requests[0]?.id ?? ''
      await frontier.settle([{ id, end: { kind: 'done' }, requests: [], items: [{ n: 1 }], rejected: [] }])
      const taker = new ItemTaker(nodes, clock, 'shop')
      await taker.join()
      const taken = await taker.take()
      expect(taken.items).toEqual([{ position: 1, url: pageOf(1), item: { n: 1 } }])
      expect(await taken.acknowledge()).toBe(true)
      await taker.leave()
    } finally {
      nodes.close()
      await cluster.stop()
    }
  })
})

const PUSH_LONG = `return redis.call('RPUSH', KEYS[1], '{"text":"' .. string.rep('x', tonumber(ARGV[1])) .. '"}')`

describe('the log of items', () => {
  it('rejects a key of another type, and the settlement changes nothing', async () => {
    const frontier = new RedisFrontier(connection, clock, crawl)
    await frontier.add([{ url: pageOf(1), handler: 'parse', depth: 0 }])
    const [lease] = await frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
    await redis('set', 'x')
    const id = lease?.requests[0]?.id ?? ''
    const items = [{ n: 1 }]
    const settlement = { id, end: { kind: 'done' }, requests: [], items, rejected: [] } as const
    const problem = /items must hold a list of items; it is a string/
    await expect(frontier.settle([settlement])).rejects.toThrow(problem)
    await expect(frontier.items.items(0, 1)).rejects.toThrow(problem)
    await expect(frontier.counts()).rejects.toThrow(problem)
    await redis('del')
    expect(await frontier.pending()).toMatchObject({ leased: 1 })
  })

  it('has items that other programs added, and knows the pages of its own', async () => {
    await redis('rpush', '{"n": -1}', '{"n": -2, "price": Infinity}')
    const { items: log } = new RedisFrontier(connection, clock, crawl)
    expect(await log.items(0, 10)).toEqual([
      { position: 1, url: '', item: { n: -1 } },
      { position: 2, url: '', item: { n: -2, price: null } },
    ])
    await settle(1, 2)
    const all = await log.items(0, 10)
    expect(all.map(({ url }) => url)).toEqual(['', '', pageOf(1), pageOf(2)])
    expect((await log.items(1, 2)).map(({ url }) => url)).toEqual(['', pageOf(1)])
    expect((await log.items(0, 1)).map(({ url }) => url)).toEqual([''])
  })
})
