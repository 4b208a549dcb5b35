import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import { type RedisServer, startRedis, startRedisCluster } from '../../testing/redis-server.ts'
import { connectRedis, type RedisConnection } from './connection.ts'
import { parseRedisAddress } from './redis-address.ts'
import { type StartBatch, StartMessages, type StartMessagesOptions } from './start-messages.ts'
import { StartPusher } from './start-pusher.ts'

describe('start messages', () => {
  let server: RedisServer
  let connection: RedisConnection
  let clock: FakeClock
  let crawl: string
  let crawls = 0

  beforeAll(async () => {
    server = await startRedis()
    connection = await connectRedis(parseRedisAddress(server.address))
  })
  afterAll(async () => {
    connection?.close()
    await server?.stop()
  })
  beforeEach(() => {
    clock = new FakeClock()
    crawl = `starts-${++crawls}`
  })

  const open = (options: StartMessagesOptions = {}) => new StartMessages(connection, clock, crawl, options)
  const redis = (name: string, ...args: string[]) => server.command(name, `${crawl}:start_urls`, ...args)
  const malformed = async () =>
    (await server.command('lrange', `${crawl}:start_urls:malformed`, '0', '-1'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { reason: string; message: string })

  it('are read from the head of a list', async () => {
    await redis('rpush', 'http://a.test/1', 'http://a.test/2', 'http://a.test/3')
    await redis('lpush', 'http://a.test/0')
    const starts = open()
    expect(hrefs(await starts.take(3))).toEqual(['http://a.test/0', 'http://a.test/1', 'http://a.test/2'])
    expect(hrefs(await starts.take(3))).toEqual(['http://a.test/3'])
    expect(hrefs(await starts.take(3))).toEqual([])
  })

  it('are read from a set, in any order', async () => {
    await redis('sadd', 'http://a.test/1', 'http://a.test/2', 'http://a.test/3')
    const starts = open()
    const two = hrefs(await starts.take(2))
    expect(two).toHaveLength(2)
    expect([...two, ...hrefs(await starts.take(2))].sort()).toEqual([
      'http://a.test/1',
      'http://a.test/2',
      'http://a.test/3',
    ])
  })

  it('are read from a sorted set, highest score first', async () => {
    await redis('zadd', '1', 'http://a.test/low', '9', 'http://a.test/high', '5', 'http://a.test/middle')
    const starts = open()
    expect(hrefs(await starts.take(2))).toEqual(['http://a.test/high', 'http://a.test/middle'])
    expect(hrefs(await starts.take(2))).toEqual(['http://a.test/low'])
  })

  it('are there as soon as they are pushed', async () => {
    const starts = open()
    expect(hrefs(await starts.take(5))).toEqual([])
    await redis('rpush', 'http://a.test/')
    expect(hrefs(await starts.take(5))).toEqual(['http://a.test/'])
  })

  it('are bare URLs or JSON, in the richer reading or the strict one', async () => {
    const message = JSON.stringify({ url: 'http://a.test/?x=1', meta: { job: 7 }, handler: 'book' })
    await redis('rpush', message, 'http://a.test/')
    const [rich, bare] = (await open().take(2)).requests
    expect(rich).toEqual({
      href: 'http://a.test/?x=1',
      options: { handler: 'book', meta: { job: 7 }, dontFilter: true },
    })
    expect(bare).toEqual({ href: 'http://a.test/', options: { dontFilter: true } })
    await redis('rpush', message)
    const [strict] = (await open({ reading: 'strict' }).take(1)).requests
    expect(strict?.href).toBe('http://a.test/?handler=book')
  })

  it('are not lost when their taker dies before it acknowledges', async () => {
    await redis('rpush', 'http://a.test/1', 'http://a.test/2', 'http://a.test/3')
    const [dead, next] = [open(), open()]
    await dead.take(2)
    expect(await next.count()).toBe(3)
    const third = await next.take(9)
    expect(hrefs(third)).toEqual(['http://a.test/3'])
    await third.acknowledge()
    clock.advance(59_999)
    expect(hrefs(await next.take(9))).toEqual([])
    clock.advance(1)
    const again = await next.take(9)
    expect(hrefs(again)).toEqual(['http://a.test/1', 'http://a.test/2'])
    await again.acknowledge()
    expect(await next.count()).toBe(0)
  })

  it('are gone when they are acknowledged', async () => {
    await redis('rpush', 'http://a.test/1', 'http://a.test/2')
    const starts = open()
    await (await starts.take(2)).acknowledge()
    expect(await starts.count()).toBe(0)
    clock.advance(100_000)
    expect(hrefs(await starts.take(2))).toEqual([])
    expect(await server.command('keys', `*{${crawl}}*`)).toBe('')
  })

  it('stay with the next when one that stood still acknowledges late', async () => {
    await redis('rpush', 'nonsense', 'http://a.test/')
    const [slow, next] = [open(), open()]
    const late = await slow.take(9)
    clock.advance(60_000)
    const batch = await next.take(9)
    await late.acknowledge()
    expect(await next.count()).toBe(2)
    await batch.acknowledge()
    expect(await next.count()).toBe(0)
    expect(await malformed()).toHaveLength(1)
  })

  it('are put aside with a reason when they cannot be read, and the others are taken', async () => {
    await redis('rpush', '{"url":', 'ftp://a.test/', '{"url":"http://a.test/","colour":"red"}')
    await redis('rpush', 'http://a.test/', '17', 'http://a.test/\xff')
    const starts = open()
    // A batch with nothing in it but these does not look like the end.
    const batch = await starts.take(2)
    expect(hrefs(batch)).toEqual(['http://a.test/'])
    await batch.acknowledge()
    const rest = await starts.take(2)
    expect(hrefs(rest)).toEqual(['http://a.test/ÿ'])
    await rest.acknowledge()
    expect(await malformed()).toMatchObject([
      { message: '{"url":', reason: expect.stringContaining('broken JSON') },
      { message: 'ftp://a.test/', reason: expect.stringContaining('neither JSON nor a URL') },
      { message: '{"url":"http://a.test/","colour":"red"}', reason: expect.stringContaining('colour') },
      { message: '17', reason: 'JSON, but no object' },
    ])
    expect(await starts.count()).toBe(0)
  })

  it('are put aside when they are no UTF-8', async () => {
    await server.command(
      'eval',
      "return redis.call('RPUSH', KEYS[1], 'http://a.test/\\255')",
      '1',
      `${crawl}:start_urls`,
    )
    expect(hrefs(await open().take(9))).toEqual([])
    expect(await malformed()).toMatchObject([{ reason: 'not UTF-8' }])
  })

  it('may be at another key', async () => {
    await server.command('rpush', `${crawl}-elsewhere`, 'http://a.test/')
    const starts = open({ startUrls: `${crawl}-elsewhere` })
    expect(hrefs(await starts.take(9))).toEqual(['http://a.test/'])
  })

  it('are refused when the key holds something else', async () => {
    await redis('sadd', 'http://a.test/')
    const key = `${crawl}:start_urls`
    await expect(open({ as: 'list' }).take(1)).rejects.toThrow(
      `${key} must hold a list of start messages; it is a set`,
    )
    await redis('del')
    await redis('set', 'http://a.test/')
    const starts = open()
    await expect(starts.take(1)).rejects.toThrow('must hold a list, a set or a sorted set')
    await expect(starts.count()).rejects.toThrow('it is a string')
  })

  it('are taken and pushed once when a reply is lost', async () => {
    const twice: RedisConnection = {
      isCluster: false,
      async run(...call) {
        await connection.run(...call)
        return connection.run(...call)
      },
      close() {},
    }
    const pusher = new StartPusher(twice, crawl)
    const urls = Array.from({ length: 1_200 }, (_, i) => `http://a.test/${i}`)
    expect(await pusher.push(urls.map((message) => ({ message, score: 0 })))).toBe(1_200)
    const starts = new StartMessages(twice, clock, crawl)
    const taken: string[] = []
    for (let batch = await starts.take(500); batch.requests.length > 0; batch = await starts.take(500)) {
      taken.push(...hrefs(batch))
      await batch.acknowledge()
    }
    expect(taken).toEqual(urls)
  })

  it('are each handed to a process that lives, whichever others die', async () => {
    const kinds = fc.constantFrom('list' as const, 'set' as const, 'zset' as const)
    const steps = fc.array(
      fc.record({
        do: fc.constantFrom('push', 'take', 'die', 'acknowledge', 'wait'),
        who: fc.nat(2),
        n: fc.integer({ min: 1, max: 4 }),
      }),
      { maxLength: 25 },
    )
    await fc.assert(
      fc.asyncProperty(kinds, steps, async (as, plan) => {
        crawl = `starts-${++crawls}`
        const pusher = new StartPusher(connection, crawl, { as })
        const takers = [open(), open(), open()]
        const batches: StartBatch[][] = [[], [], []]
        const pushed: string[] = []
        const done = new Set<string>()
        const settle = async (batch: StartBatch) => {
          for (const href of hrefs(batch)) done.add(href)
          await batch.acknowledge()
        }
        for (const { do: step, who, n } of plan) {
          const mine = batches[who] as StartBatch[]
          if (step === 'push') {
            const messages = Array.from({ length: n }, (_, i) => `http://a.test/${pushed.length + i}`)
            pushed.push(...messages)
            await pusher.push(messages.map((message) => ({ message, score: n })))
          } else if (step === 'take') mine.push(await (takers[who] as StartMessages).take(n))
          else if (step === 'die') mine.length = 0
          else if (step === 'wait') clock.advance(25_000)
          else for (const batch of mine.splice(0)) await settle(batch)
        }
        clock.advance(60_000)
        const last = open()
        for (let batch = await last.take(3); batch.requests.length > 0; batch = await last.take(3))
          await settle(batch)
        expect([...done].sort()).toEqual([...pushed].sort())
        expect(await last.count()).toBe(0)
      }),
      { numRuns: 60 },
    )
  })
})

it('keeps start messages of a cluster where the crawl is', async () => {
  const cluster = await startRedisCluster()
  const connection = await connectRedis(parseRedisAddress(cluster.address))
  try {
    const pusher = new StartPusher(connection, 'books')
    expect(pusher.key).toBe('{books}:start_urls')
    await pusher.push([{ message: 'http://a.test/', score: 0 }])
    const starts = new StartMessages(connection, new FakeClock(), 'books')
    const batch = await starts.take(1)
    expect(hrefs(batch)).toEqual(['http://a.test/'])
    await batch.acknowledge()
    expect(await starts.count()).toBe(0)
    expect(() => new StartPusher(connection, 'books', { startUrls: 'books:start_urls' })).toThrow(
      'the key of the start messages must contain {books}',
    )
  } finally {
    connection.close()
    await cluster.stop()
  }
})

function hrefs({ requests }: StartBatch): string[] {
  return requests.map(({ href }) => href)
}
