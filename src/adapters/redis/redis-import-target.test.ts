import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { type RedisServer, startRedisCluster } from '../../../testing/redis-server.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import { writePickle } from '../../../testing/write-pickle.ts'
import { scrapyRequestDict } from '../../../testing/write-scrapy-request.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { type FingerprintFamily, scrapyFingerprint } from '../scrapy/fingerprints.ts'
import { importScrapyRedis, type ScrapyImportOptions } from '../scrapy/import-scrapy-redis.ts'
import { parseRedisAddress } from './redis-address.ts'
import { ConnectionClosed, connectRedis, type RedisConnection } from './redis-connection.ts'
import { RedisFrontier } from './redis-frontier.ts'
import { RedisImportTarget, type RedisImportTargetOptions } from './redis-import-target.ts'
import { script } from './redis-scripts.ts'

let server: RedisServer
let connection: RedisConnection
let clock: FakeClock
let spider: string
let spiders = 0

useRedis((started) => {
  ;({ server, connection } = started)
})
beforeEach(() => {
  clock = new FakeClock()
  spider = `books-${++spiders}`
})

interface BringOptions extends ScrapyImportOptions, RedisImportTargetOptions {
  readonly crawl?: string
}

const bring = async (options: BringOptions = {}, through = connection, from = spider) => {
  const target = new RedisImportTarget(through, clock, options.crawl ?? from, options)
  return importScrapyRedis(target, clock, from, options)
}
const queue = () => `${spider}:requests`

/** As scrapy-redis leaves them: each remembered, then queued. */
async function leave(requests: readonly CrawlRequest[], family?: FingerprintFamily): Promise<void> {
  for (const request of requests) {
    const fingerprint = scrapyFingerprint(request, family === undefined ? {} : { family }) ?? ''
    if (family !== undefined && request.dontFilter !== true)
      await server.command('sadd', `${spider}:dupefilter`, fingerprint)
    await pushBytes('zset', writePickle(scrapyRequestDict(request)), -(request.priority ?? 0))
  }
}

async function pushBytes(kind: 'zset' | 'list', bytes: Uint8Array, score = 0): Promise<void> {
  await connection.run(PUSH, [queue()], [kind, String(score), Buffer.from(bytes).toString('hex')])
}

/** What is waiting, as workers get it. */
async function handedOut(crawl = spider): Promise<CrawlRequest[]> {
  const frontier = new RedisFrontier(connection, clock, crawl)
  const leases = await frontier.lease({ requests: 10_000, perHost: 10_000, now: clock.now() })
  await frontier.close()
  return leases.flatMap(({ requests }) => requests.map(({ request }) => request))
}

describe('importScrapyRedis', () => {
  it.each([
    ['scrapy-a', 'legacy'],
    ['scrapy-b', 'scrapy-redis'],
    ['scrapy-c', 'scrapy'],
  ] as const)(
    'finds out that the fingerprints are %s, and lets the crawl go by them',
    async (kind, family) => {
      await leave([page(1), page(2)], family)
      await server.command(
        'sadd',
        `${spider}:dupefilter`,
        scrapyFingerprint(page(3), { family }) ?? '',
        'something else',
      )
      expect(await bring()).toMatchObject({
        waiting: 2,
        imported: 2,
        unreadable: 0,
        dupefilter: { key: `${spider}:dupefilter`, size: 4, kind },
      })
      // A worker that says nothing follows.
      const frontier = new RedisFrontier(connection, clock, spider)
      expect(await frontier.add([page(1), page(3), page(4)])).toEqual({ added: 1, duplicates: 2 })
      await frontier.close()
    },
  )

  it('imports the whole request, the highest priority first', async () => {
    const whole: CrawlRequest = {
      url: 'http://a.test/p',
      method: 'POST',
      headers: { 'x-token': 'abc' },
      body: 'a=1',
      handler: 'parse_book',
      meta: { page: 2, cb_kwargs: { id: 7 } },
      priority: 5,
      dontFilter: true,
      depth: 3,
    }
    await leave([page(1), whole, { ...page(2), priority: -1 }])
    expect(await bring()).toMatchObject({ imported: 3, handlers: { parse: 2, parse_book: 1 } })
    expect(await handedOut()).toEqual([whole, page(1), { ...page(2), priority: -1 }])
    expect(await server.command('exists', queue())).toBe('0')
  })

  it('takes the oldest of a list first', async () => {
    for (const n of [1, 2, 3]) await pushBytes('list', writePickle(scrapyRequestDict(page(n))))
    expect(await bring({ order: 'fifo' })).toMatchObject({ imported: 3 })
    const frontier = new RedisFrontier(connection, clock, spider, { order: 'fifo' })
    const leases = await frontier.lease({ requests: 3, perHost: 3, now: clock.now() })
    expect(leases[0]?.requests.map(({ request }) => request)).toEqual([page(1), page(2), page(3)])
    await frontier.close()
  })

  it('fetches pending requests although they were seen, and stores fingerprints of new ones', async () => {
    const frontier = new RedisFrontier(connection, clock, spider)
    await frontier.add([page(1)])
    await leave([page(1), page(2)])
    expect(await bring()).toMatchObject({ imported: 2 })
    expect(await frontier.add([page(2)])).toEqual({ added: 0, duplicates: 1 })
    await frontier.close()
    expect(await handedOut()).toHaveLength(3)
  })

  it('moves unreadable entries to a list, with the reason and all bytes', async () => {
    const pickle = Buffer.from('80049500000000000000008c086275696c74696e73948c046576616c9493942e', 'hex')
    await leave([page(1)])
    await pushBytes('zset', pickle, -7)
    await pushBytes('zset', Buffer.from('no pickle'))
    expect(await bring()).toMatchObject({
      imported: 1,
      unreadable: 2,
      unreadableKey: `${queue()}:unreadable`,
      problems: [expect.stringContaining('STACK_GLOBAL'), expect.any(String)],
    })
    const [entry = ''] = (await connection.run(READ_HEX, [`${queue()}:unreadable`], [])) as string[]
    const [head = ''] = Buffer.from(entry, 'hex').toString('latin1').split('\n')
    expect(JSON.parse(head)).toEqual({
      reason: expect.stringContaining('is not data'),
      at: clock.now(),
      score: '-7',
    })
    expect(entry.slice(2 * (head.length + 1))).toBe(pickle.toString('hex'))
    expect(await server.command('exists', queue())).toBe('0')
  })

  it('moves nothing when nothing can be read, and says why', async () => {
    await pushBytes('zset', Buffer.from('no pickle'), -7)
    await pushBytes('zset', Buffer.from('{"not": "a request"}'))
    await server.command('sadd', `${spider}:dupefilter`, 'x')
    const before = await server.command('debug', 'digest')
    expect(await bring()).toMatchObject({
      imported: 0,
      unreadable: 2,
      isChanged: false,
      problems: [expect.any(String), 'not a request: no url'],
    })
    expect(await server.command('debug', 'digest')).toBe(before)
  })

  it('reads what a JSON serializer wrote', async () => {
    const stored = { url: 'http://a.test/j', callback: 'parse_book', body: '', headers: { 'X-A': ['b'] } }
    await pushBytes('zset', Buffer.from(JSON.stringify(stored)))
    expect(await bring()).toMatchObject({ imported: 1, unreadable: 0 })
    expect(await handedOut()).toEqual([
      { url: 'http://a.test/j', headers: { 'x-a': 'b' }, handler: 'parse_book', depth: 0 },
    ])
  })

  it('gives requests of the rules of a CrawlSpider the handlers that were named', async () => {
    for (const rule of [0, 1, 2]) {
      const made = { url: `http://a.test/${rule}`, callback: '_callback', meta: { rule, link_text: 'x' } }
      await pushBytes('zset', Buffer.from(JSON.stringify(made)))
    }
    await expect(bring()).rejects.toThrow(/\(rule 0: 1, rule 1: 1, rule 2: 1\).*--rules parse_item/)
    expect(await server.command('zcard', queue())).toBe('3')
    const rules = [{ handler: 'parse_item' }, { handler: '$rules', meta: { $follow: true } }]
    await expect(bring({ rules })).rejects.toThrow('(rule 2: 1)')
    expect(await bring({ rules: [...rules, { handler: 'parse_list' }] })).toMatchObject({
      handlers: { parse_item: 1, $rules: 1, parse_list: 1 },
      unknownRules: {},
    })
    expect((await handedOut()).toSorted((a, b) => (a.url < b.url ? -1 : 1))).toMatchObject([
      { handler: 'parse_item', meta: { rule: 0, link_text: 'x' } },
      { handler: '$rules', meta: { $follow: true } },
      { handler: 'parse_list' },
    ])
  })

  it('moves thousands in batches, each once, when every reply is lost', async () => {
    const pages = Array.from({ length: 1000 }, (_, i) => page(i))
    const args = pages.map((one) => Buffer.from(writePickle(scrapyRequestDict(one))).toString('hex'))
    await connection.run(PUSH, [queue()], ['zset', '0', ...args])
    const repeating: RedisConnection = {
      isCluster: false,
      async run(...call) {
        await connection.run(...call)
        return connection.run(...call)
      },
      close() {},
    }
    expect(await bring({}, repeating)).toMatchObject({ waiting: 1000, imported: 1000 })
    expect(urlsOf(await handedOut())).toEqual(urlsOf(pages))
  })

  it.each([1, 3, 7, 8, 9, 10, 11, 12, 13, 14])(
    'loses and duplicates nothing when it is killed around call %d, and continues when called again',
    async (calls) => {
      const pages = Array.from({ length: 700 }, (_, i) => page(i))
      const args = pages.map((one) => Buffer.from(writePickle(scrapyRequestDict(one))).toString('hex'))
      await connection.run(PUSH, [queue()], ['list', '0', ...args])
      let left = calls
      const dying: RedisConnection = {
        isCluster: false,
        async run(...call) {
          const reply = await connection.run(...call)
          // What the call did stays done.
          if (--left <= 0) throw new ConnectionClosed('killed')
          return reply
        },
        close() {},
      }
      await bring({}, dying).catch(() => {})
      expect(await bring()).toMatchObject({})
      clock.advance(60_000)
      expect(urlsOf(await handedOut())).toEqual(urlsOf(pages))
    },
  )

  it('leaves requests in the queue with keep, and imports each once', async () => {
    await leave([page(1), page(2)])
    expect(await bring({ keep: true })).toMatchObject({ imported: 2, known: 0 })
    await leave([page(3)])
    expect(await bring({ keep: true })).toMatchObject({ imported: 1, known: 2 })
    expect(await server.command('zcard', queue())).toBe('3')
    expect(await bring()).toMatchObject({ imported: 0, known: 3 })
    expect(await server.command('exists', queue())).toBe('0')
    expect(await handedOut()).toHaveLength(3)
  })

  it('changes nothing with dryRun', async () => {
    await leave([page(1), page(2)], 'legacy')
    await pushBytes('zset', Buffer.from('no pickle'))
    const before = await server.command('debug', 'digest')
    expect(await bring({ dryRun: true })).toMatchObject({
      imported: 2,
      unreadable: 1,
      dupefilter: { kind: 'scrapy-a' },
    })
    expect(await server.command('debug', 'digest')).toBe(before)
  })

  it('imports to a crawl of another name, which uses the same dupefilter', async () => {
    await leave([page(1)], 'scrapy')
    const crawl = `${spider}-new`
    expect(await bring({ crawl })).toMatchObject({ crawl, imported: 1 })
    expect(await handedOut(crawl)).toEqual([page(1)])
    await leave([page(2)], 'scrapy')
    expect(await bring({ crawl })).toMatchObject({ imported: 1, dupefilter: { kind: 'scrapy-c' } })
  })

  it.each([
    ['the queue is something else', { requestsKey: 'a-string' }, 'is a string: scrapy-redis keeps'],
    ['the dupefilter is not a set', { dupefilterKey: 'a-string' }, 'not a set of fingerprints'],
    ['the family of the fingerprints cannot be detected', {}, 'Give --family a'],
    ['the name is not allowed', { crawl: 'no name' }, 'cannot be called'],
  ])('says what to do when %s', async (_, options, message) => {
    await server.command('set', 'a-string', 'x')
    await server.command('sadd', `${spider}:dupefilter`, 'who knows')
    await leave([page(1)])
    await expect(bring(options)).rejects.toThrow(message)
    expect(await server.command('zcard', queue())).toBe('1')
  })

  it('rejects a crawl with another kind of seen set, unless the dupefilter is not used', async () => {
    const frontier = new RedisFrontier(connection, clock, spider)
    await frontier.add([page(9)])
    await frontier.close()
    await leave([page(1)], 'legacy')
    await expect(bring()).rejects.toThrow('exists and stores seen URLs elsewhere')
    expect(await bring({ dupefilter: 'none' })).toMatchObject({ imported: 1 })
  })

  it('imports nothing from a missing queue', async () => {
    expect(await bring()).toMatchObject({ waiting: 0, imported: 0 })
    // The crawl is not begun by that.
    expect(await server.command('keys', `*{${spider}}*`)).toBe('')
  })
})

it('needs all keys on one node of a cluster', async () => {
  const cluster = await startRedisCluster()
  const there = await connectRedis(parseRedisAddress(cluster.address))
  try {
    await expect(bring({ requestsKey: 'books:requests' }, there, 'books')).rejects.toThrow(
      'the key of the pending requests must contain {books}',
    )
    const pickle = Buffer.from(writePickle(scrapyRequestDict(page(1)))).toString('hex')
    await there.run(PUSH, ['{books}:requests'], ['list', '0', pickle])
    expect(await bring({}, there, 'books')).toMatchObject({ imported: 1 })
  } finally {
    there.close()
    await cluster.stop()
  }
})

/** KEYS 1 queue  ARGV 1 kind  2 score  3… bytes in hex */
const PUSH = script(
  'push-bytes',
  `for i = 3, #ARGV do
  local bytes = ARGV[i]:gsub('%x%x', function(hex) return string.char(tonumber(hex, 16)) end)
  if ARGV[1] == 'list' then redis.call('LPUSH', KEYS[1], bytes) else redis.call('ZADD', KEYS[1], ARGV[2], bytes) end
end`,
)
const READ_HEX = script(
  'read-hex',
  `local list = redis.call('LRANGE', KEYS[1], 0, -1)
for i, entry in ipairs(list) do
  list[i] = entry:gsub('.', function(c) return string.format('%02x', c:byte()) end)
end
return list`,
)

function page(n: number): CrawlRequest {
  return { url: `http://a.test/${n}`, handler: 'parse', depth: 0 }
}

function urlsOf(requests: readonly CrawlRequest[]): string[] {
  return requests.map(({ url }) => url).sort()
}
