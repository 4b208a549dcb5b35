import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { type RedisServer, startRedisCluster } from '../../../testing/redis-server.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { parseRedisAddress } from './redis-address.ts'
import { connectRedis, type RedisConnection } from './redis-connection.ts'
import { RedisFrontier } from './redis-frontier.ts'
import { StartMessages, type StartMessagesOptions, type TakenStarts } from './start-messages.ts'
import { StartPusher } from './start-pusher.ts'

describe('start messages', () => {
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
    crawl = `starts-${++crawls}`
  })

  const open = (options: StartMessagesOptions = {}) => new StartMessages(connection, clock, crawl, options)
  const redis = (name: string, ...args: string[]) => server.command(name, `${crawl}:start_urls`, ...args)
  const malformed = async () =>
    (await server.command('lrange', `${crawl}:start_urls:malformed`, '0', '-1'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { reason: string; message: string })
  const inFrontier = async () => {
    const frontier = new RedisFrontier(connection, clock, crawl)
    const leases = await frontier.lease({ requests: 5_000, perHost: 5_000, now: clock.now() })
    return leases.flatMap(({ requests }) => requests.map(({ request }) => request.url)).sort()
  }
  const fenceOf = () => server.command('zrange', `orbweaver:{${crawl}}:workers`, '0', '0')

  /** A worker, as far as it takes start messages. */
  class Taker {
    readonly starts: StartMessages
    readonly frontier: RedisFrontier

    constructor(options: StartMessagesOptions = {}, through: RedisConnection = connection) {
      this.starts = new StartMessages(through, clock, crawl, options)
      this.frontier = new RedisFrontier(through, clock, crawl)
    }

    add(batch: TakenStarts) {
      return this.frontier.addStarts(batch.batch, requestsOf(batch))
    }

    async addAll(): Promise<void> {
      for (let batch = await this.starts.take(); batch.requests.length > 0; batch = await this.starts.take())
        await this.add(batch)
    }
  }

  it('are read from the head of a list', async () => {
    await redis('rpush', 'http://a.test/1', 'http://a.test/2', 'http://a.test/3')
    await redis('lpush', 'http://a.test/0')
    const starts = open({ batch: 3 })
    expect(hrefs(await starts.take())).toEqual(['http://a.test/0', 'http://a.test/1', 'http://a.test/2'])
    expect(hrefs(await starts.take())).toEqual(['http://a.test/3'])
    expect(hrefs(await starts.take())).toEqual([])
  })

  it('are read from a set, in any order', async () => {
    await redis('sadd', 'http://a.test/1', 'http://a.test/2', 'http://a.test/3')
    const starts = open({ batch: 2 })
    const two = hrefs(await starts.take())
    expect(two).toHaveLength(2)
    expect([...two, ...hrefs(await starts.take())].sort()).toEqual([
      'http://a.test/1',
      'http://a.test/2',
      'http://a.test/3',
    ])
  })

  it('are read from a sorted set, highest score first', async () => {
    await redis('zadd', '1', 'http://a.test/low', '9', 'http://a.test/high', '5', 'http://a.test/middle')
    const starts = open({ batch: 2 })
    expect(hrefs(await starts.take())).toEqual(['http://a.test/high', 'http://a.test/middle'])
    expect(hrefs(await starts.take())).toEqual(['http://a.test/low'])
  })

  it.each(['list', 'set', 'zset'] as const)(
    'of a %s are no more at once than one call can add',
    async (as) => {
      const long = 'x'.repeat(400_000)
      const urls = Array.from({ length: 5 }, (_, i) => `http://a.test/${i}`)
      const messages = urls.map((url) => JSON.stringify({ url, body: long }))
      const pusher = new StartPusher(connection, crawl, { as })
      await pusher.push(messages.map((message, i) => ({ message, score: -i })))
      const starts = open()
      const sizes: number[] = []
      const taken: string[] = []
      for (let batch = await starts.take(); batch.requests.length > 0; batch = await starts.take()) {
        sizes.push(batch.requests.length)
        taken.push(...hrefs(batch))
      }
      expect(sizes).toEqual([2, 2, 1])
      expect(as === 'set' ? taken.sort() : taken).toEqual(urls)
    },
  )

  it('can be taken as soon as they are pushed', async () => {
    const starts = open()
    expect(hrefs(await starts.take())).toEqual([])
    await redis('rpush', 'http://a.test/')
    expect(hrefs(await starts.take())).toEqual(['http://a.test/'])
  })

  it('are bare URLs or JSON, in the richer reading or the strict one', async () => {
    const message = JSON.stringify({ url: 'http://a.test/?x=1', meta: { job: 7 }, handler: 'book' })
    await redis('rpush', message, 'http://a.test/')
    const [rich, bare] = (await open().take()).requests
    expect(rich).toEqual({
      href: 'http://a.test/?x=1',
      options: { handler: 'book', meta: { job: 7 }, dontFilter: true },
    })
    expect(bare).toEqual({ href: 'http://a.test/', options: { dontFilter: true } })
    await redis('rpush', message)
    const [strict] = (await open({ reading: 'strict' }).take()).requests
    expect(strict?.href).toBe('http://a.test/?handler=book')
  })

  it('are in the frontier when they are added, and nowhere else', async () => {
    await redis('rpush', 'http://a.test/1', 'http://a.test/2')
    const taker = new Taker()
    const batch = await taker.starts.take()
    expect(await taker.starts.count()).toBe(2)
    expect(await taker.add(batch)).toEqual({ added: 2, duplicates: 0 })
    expect(await taker.starts.count()).toBe(0)
    expect(await server.command('keys', `*{${crawl}}:taking*`)).toBe('')
    expect(await inFrontier()).toEqual(['http://a.test/1', 'http://a.test/2'])
  })

  it('are remembered as seen, with the page they redirect to, and fetched again when they are pushed again', async () => {
    const link = (url: string) => ({ url, handler: 'parse', depth: 1, from: 'http://a.test/page' })
    const taker = new Taker()
    const push = async () => {
      await redis('rpush', 'http://a.test/')
      return taker.add(await taker.starts.take())
    }
    expect(await push()).toEqual({ added: 1, duplicates: 0 })
    expect(await taker.frontier.add([link('http://a.test/')])).toEqual({ added: 0, duplicates: 1 })
    const [lease] = await taker.frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
    const { id = '', request } = lease?.requests[0] ?? {}
    const redirected = { ...request, url: 'http://a.test/home', redirectedFrom: ['http://a.test/'] }
    await taker.frontier.settle([
      { id, end: { kind: 'done' }, requests: [redirected as CrawlRequest], items: [], rejected: [] },
    ])
    expect(await taker.frontier.add([link('http://a.test/home')])).toEqual({ added: 0, duplicates: 1 })
    expect(await push()).toEqual({ added: 1, duplicates: 0 })
    expect(await inFrontier()).toEqual(['http://a.test/', 'http://a.test/home'])
    expect((await taker.frontier.counts()).seen).toBe(2)
  })

  it('are added once however often they are', async () => {
    await redis('rpush', 'http://a.test/1', 'http://a.test/2')
    const taker = new Taker()
    const batch = await taker.starts.take()
    await taker.add(batch)
    expect(await taker.add(batch)).toEqual({ added: 0, duplicates: 0 })
    expect(await inFrontier()).toEqual(['http://a.test/1', 'http://a.test/2'])
  })

  it('are removed even if they resulted in no request', async () => {
    await redis('rpush', 'http://a.test/1')
    const taker = new Taker()
    const { batch } = await taker.starts.take()
    await taker.frontier.addStarts(batch, [])
    expect(await taker.starts.count()).toBe(0)
  })

  it('are taken again when their worker is killed before it adds them', async () => {
    await redis('rpush', 'http://a.test/1', 'http://a.test/2', 'http://a.test/3')
    const [dead, next] = [new Taker({ batch: 2 }), new Taker()]
    await dead.starts.take()
    expect(await next.starts.count()).toBe(3)
    const third = await next.starts.take()
    expect(hrefs(third)).toEqual(['http://a.test/3'])
    await next.add(third)
    clock.advance(59_999)
    expect(hrefs(await next.starts.take())).toEqual([])
    clock.advance(1)
    const again = await next.starts.take()
    expect(hrefs(again)).toEqual(['http://a.test/1', 'http://a.test/2'])
    await next.add(again)
    expect(await next.starts.count()).toBe(0)
    expect(await inFrontier()).toEqual(['http://a.test/1', 'http://a.test/2', 'http://a.test/3'])
  })

  it('are added only by the second worker when the first was suspended', async () => {
    await redis('rpush', 'nonsense', 'http://a.test/1')
    const [slow, next] = [new Taker(), new Taker()]
    const late = await slow.starts.take()
    clock.advance(60_000)
    const batch = await next.starts.take()
    expect(await slow.add(late)).toEqual({ added: 0, duplicates: 0 })
    expect(await next.starts.count()).toBe(1)
    expect(await next.add(batch)).toEqual({ added: 1, duplicates: 0 })
    expect(await slow.add(late)).toEqual({ added: 0, duplicates: 0 })
    expect(await next.starts.count()).toBe(0)
    expect(await inFrontier()).toEqual(['http://a.test/1'])
    expect(await malformed()).toHaveLength(1)
  })

  describe.each(['take-starts', 'refuse-starts', 'join', 'add'])('of a worker that is killed', (script) => {
    it.each(['before', 'after'] as const)(`%s ${script} take effect once`, async (when) => {
      const urls = Array.from({ length: 7 }, (_, i) => `http://a.test/${i}`)
      await redis('rpush', ...urls.slice(0, 3), 'nonsense', ...urls.slice(3), '{')
      const doomed = new Taker({ batch: 5 }, new DyingConnection(connection, script, when))
      await expect(doomed.addAll()).rejects.toThrow('killed')
      clock.advance(60_000)
      const next = new Taker({ batch: 5 })
      await next.addAll()
      expect(await inFrontier()).toEqual(urls)
      expect((await malformed()).map(({ message }) => message).sort()).toEqual(['nonsense', '{'])
      expect(await next.starts.count()).toBe(0)
    })
  })

  it('take effect once when the worker lost its lease and the reply, too', async () => {
    await redis('rpush', 'http://a.test/1')
    const taker = new Taker()
    const batch = await taker.starts.take()
    await taker.add(batch)
    // The others took over; as far as it knows it has not added anything.
    await server.command('hdel', `orbweaver:{${crawl}}:worker:${await fenceOf()}`, 'lives')
    expect(await taker.add(batch)).toEqual({ added: 0, duplicates: 0 })
    expect(await inFrontier()).toEqual(['http://a.test/1'])
  })

  it('are moved to the malformed list with a reason when they cannot be read, and the others are taken', async () => {
    await redis('rpush', '{"url":', 'ftp://a.test/', '{"url":"http://a.test/","colour":"red"}')
    await redis('rpush', 'http://a.test/', '17', 'http://a.test/\xff')
    const starts = open({ batch: 2 })
    // A batch with nothing in it but these does not look like the end.
    expect(hrefs(await starts.take())).toEqual(['http://a.test/'])
    expect(hrefs(await starts.take())).toEqual(['http://a.test/ÿ'])
    expect(await malformed()).toMatchObject([
      { message: '{"url":', reason: expect.stringContaining('broken JSON') },
      { message: 'ftp://a.test/', reason: expect.stringContaining('neither JSON nor a URL') },
      { message: '{"url":"http://a.test/","colour":"red"}', reason: expect.stringContaining('colour') },
      { message: '17', reason: 'JSON, but no object' },
    ])
    expect(await starts.counts()).toEqual({ waiting: 2, malformed: 4 })
  })

  it('are moved to the malformed list when they name an unknown handler', async () => {
    await redis('rpush', '{"url":"http://a.test/1","handler":"constructor"}', 'http://a.test/2')
    const told: string[] = []
    const starts = open({
      handlerFault: (name) => (name === 'parse' ? undefined : `no handler ${name}`),
      onRefused: (reason, key) => told.push(`${key}: ${reason}`),
    })
    expect(hrefs(await starts.take())).toEqual(['http://a.test/2'])
    expect(await malformed()).toMatchObject([{ reason: 'handler: no handler constructor' }])
    expect(told).toEqual([`${crawl}:start_urls:malformed: handler: no handler constructor`])
  })

  describe('in an encoding', () => {
    const pushBytes = (bytes: string) =>
      server.command('eval', `return redis.call('RPUSH', KEYS[1], '${bytes}')`, '1', `${crawl}:start_urls`)

    it('are read in it', async () => {
      // ü in windows-1252; a character that web pages use for what cannot be read, in UTF-8.
      await pushBytes('http://a.test/\\252')
      expect(hrefs(await open({ encoding: 'windows-1252' }).take())).toEqual(['http://a.test/ü'])
      await pushBytes('http://a.test/\\239\\191\\189')
      expect(hrefs(await open().take())).toEqual(['http://a.test/\uFFFD'])
      await pushBytes('h\\000t\\000t\\000p\\000:\\000/\\000/\\000a\\000.\\000t\\000e\\000s\\000t\\000/\\000')
      expect(hrefs(await open({ encoding: 'utf-16le' }).take())).toEqual(['http://a.test/'])
    })

    it.each([
      ['utf-8', 'http://a.test/\\255', 'not UTF-8', 'http://a.test/\uFFFD'],
      ['gbk', 'http://a.test/\\255', 'not gbk', 'http://a.test/\uFFFD'],
    ])('are put aside whole when they are no %s', async (encoding, bytes, reason, message) => {
      await pushBytes(bytes)
      expect(hrefs(await open({ encoding }).take())).toEqual([])
      const base64 = Buffer.from('http://a.test/\xff', 'latin1').toString('base64')
      expect(await malformed()).toEqual([{ reason, message, base64, at: clock.now() }])
    })

    it('are rejected when there is no such encoding', () => {
      expect(() => open({ encoding: 'klingon' })).toThrow(/cannot be read as "klingon": name an encoding/)
    })
  })

  it('may be at another key', async () => {
    await server.command('rpush', `${crawl}-elsewhere`, 'http://a.test/')
    expect(hrefs(await open({ startUrls: `${crawl}-elsewhere` }).take())).toEqual(['http://a.test/'])
  })

  it('are rejected when the key has another type', async () => {
    await redis('sadd', 'http://a.test/')
    const key = `${crawl}:start_urls`
    await expect(open({ as: 'list' }).take()).rejects.toThrow(
      `${key} must hold a list of start messages; it is a set`,
    )
    await redis('del')
    await redis('set', 'http://a.test/')
    const starts = open()
    await expect(starts.take()).rejects.toThrow('must hold a list, a set or a sorted set')
    await expect(starts.count()).rejects.toThrow('it is a string')
  })

  it('are taken, refused, added and pushed once when every reply is lost', async () => {
    const twice: RedisConnection = {
      isCluster: false,
      async run(...call) {
        await connection.run(...call)
        return connection.run(...call)
      },
      close() {},
    }
    const pusher = new StartPusher(twice, crawl)
    const urls = Array.from({ length: 1_200 }, (_, i) => `http://a.test/${String(i).padStart(4, '0')}`)
    const messages = ['nonsense', ...urls, '{', '{']
    expect(await pusher.push(messages.map((message) => ({ message, score: 0 })))).toBe(1_203)
    await new Taker({ batch: 500 }, twice).addAll()
    expect(await inFrontier()).toEqual(urls)
    expect(await malformed()).toHaveLength(3)
  })

  it('each take effect once, whichever workers are killed or suspended', async () => {
    const kinds = fc.constantFrom('list' as const, 'set' as const, 'zset' as const)
    const steps = fc.array(
      fc.record({
        do: fc.constantFrom('push', 'take', 'die', 'add', 'wait'),
        who: fc.nat(2),
        n: fc.integer({ min: 1, max: 4 }),
      }),
      { maxLength: 25 },
    )
    await fc.assert(
      fc.asyncProperty(kinds, steps, async (as, plan) => {
        crawl = `starts-${++crawls}`
        const pusher = new StartPusher(connection, crawl, { as })
        const takers = [new Taker({ batch: 1 }), new Taker({ batch: 2 }), new Taker({ batch: 3 })]
        const batches: TakenStarts[][] = [[], [], []]
        const pushed: string[] = []
        for (const { do: step, who, n } of plan) {
          const mine = batches[who] as TakenStarts[]
          const taker = takers[who] as Taker
          if (step === 'push') {
            const messages = Array.from({ length: n }, (_, i) => `http://a.test/${pushed.length + i}`)
            pushed.push(...messages)
            await pusher.push(messages.map((message) => ({ message, score: n })))
          } else if (step === 'take') mine.push(await taker.starts.take())
          else if (step === 'die') mine.length = 0
          else if (step === 'wait') clock.advance(25_000)
          else for (const batch of mine.splice(0)) await taker.add(batch)
        }
        clock.advance(60_000)
        const last = new Taker()
        await last.addAll()
        for (const [who, mine] of batches.entries())
          for (const batch of mine) await (takers[who] as Taker).add(batch)
        expect(await inFrontier()).toEqual([...pushed].sort())
        expect(await last.starts.count()).toBe(0)
      }),
      { numRuns: 60 },
    )
  })
})

it('keeps start messages on the cluster node of the crawl', async () => {
  const cluster = await startRedisCluster()
  const connection = await connectRedis(parseRedisAddress(cluster.address))
  try {
    const pusher = new StartPusher(connection, 'books')
    expect(pusher.key).toBe('{books}:start_urls')
    await pusher.push([{ message: 'http://a.test/', score: 0 }])
    const clock = new FakeClock()
    const starts = new StartMessages(connection, clock, 'books')
    const batch = await starts.take()
    expect(hrefs(batch)).toEqual(['http://a.test/'])
    const frontier = new RedisFrontier(connection, clock, 'books')
    expect(await frontier.addStarts(batch.batch, requestsOf(batch))).toEqual({ added: 1, duplicates: 0 })
    expect(await starts.counts()).toEqual({ waiting: 0, malformed: 0 })
    expect(() => new StartPusher(connection, 'books', { startUrls: 'books:start_urls' })).toThrow(
      'the key of the start messages must contain {books}',
    )
  } finally {
    connection.close()
    await cluster.stop()
  }
})

/** Of a process that is killed: before a script, or when that took effect and before the process knows. */
class DyingConnection implements RedisConnection {
  readonly isCluster = false
  readonly #connection: RedisConnection
  readonly #script: string
  readonly #when: 'before' | 'after'

  constructor(connection: RedisConnection, script: string, when: 'before' | 'after') {
    this.#connection = connection
    this.#script = script
    this.#when = when
  }

  async run(...call: Parameters<RedisConnection['run']>): Promise<unknown> {
    if (call[0].name !== this.#script) return this.#connection.run(...call)
    if (this.#when === 'after') await this.#connection.run(...call)
    throw new Error('killed')
  }

  close(): void {}
}

function requestsOf({ requests }: TakenStarts): CrawlRequest[] {
  return requests.map(({ href }) => ({ url: href, handler: 'parse', depth: 0, dontFilter: true }))
}

function hrefs({ requests }: TakenStarts): string[] {
  return requests.map(({ href }) => href)
}
