import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { RedisServer } from '../../../testing/redis-server.ts'
import { withTimeOf } from '../../../testing/redis-time.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { scrapyFingerprint } from '../scrapy/fingerprints.ts'
import { forgetUrls } from './forget-urls.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisFrontier } from './redis-frontier.ts'
import type { SeenOptions } from './seen-options.ts'

let server: RedisServer
let connection: RedisConnection
let clock: FakeClock
let crawl: string
let crawls = 0
let frontiers: RedisFrontier[]

useRedis((started) => {
  server = started.server
  connection = withTimeOf(started.connection, () => clock.now())
})
beforeEach(() => {
  clock = new FakeClock()
  crawl = `seen-${++crawls}`
  frontiers = []
})
afterEach(async () => {
  for (const frontier of frontiers) await frontier.close()
})

function open(seen?: SeenOptions, name = crawl): RedisFrontier {
  // No worker is lost in these tests, however far the clock is advanced.
  const options = { leaseMs: 1e12, ...withoutUndefined({ seen }) }
  const frontier = new RedisFrontier(connection, clock, name, options)
  frontiers.push(frontier)
  return frontier
}
const addedTo = async (frontier: RedisFrontier, ...urls: string[]) =>
  (await frontier.add(urls.map(request))).added
const seenBy = async (frontier: RedisFrontier) => (await frontier.counts()).seen
const keys = async (pattern: string) =>
  (await server.command('keys', pattern)).split('\n').filter((key) => key !== '')

describe('a seen set that forgets', () => {
  const period = { seenSeconds: 1000 }
  const URL = 'http://a.test/'

  it('keeps a fingerprint for one to two periods', async () => {
    const frontier = open(period)
    for (let round = 0; round < 3; round++) {
      // At an odd moment of a generation.
      clock.advance(370_000)
      const at = clock.now()
      expect(await addedTo(frontier, URL)).toBe(1)
      let isSeen = true
      while (isSeen) {
        clock.advance(100_000)
        isSeen = (await addedTo(frontier, URL)) === 0
      }
      expect(clock.now() - at).toBeGreaterThan(1_000_000)
      expect(clock.now() - at).toBeLessThanOrEqual(2_000_000)
      clock.advance(5_000_000)
    }
  })

  it('counts the fingerprints of both periods', async () => {
    const frontier = open(period)
    clock.advance(1_000_000 - (clock.now() % 1_000_000))
    await addedTo(frontier, 'http://a.test/1', 'http://a.test/2')
    clock.advance(1_000_000)
    await addedTo(frontier, 'http://a.test/1', 'http://a.test/3')
    expect(await seenBy(frontier)).toBe(3)
    clock.advance(1_000_000)
    expect(await seenBy(frontier)).toBe(1)
    clock.advance(1_000_000)
    expect(await seenBy(frontier)).toBe(0)
  })

  it('behaves like a list of times for any sequence of calls', async () => {
    const steps = fc.array(
      fc.record({
        waitMs: fc.constantFrom(0, 1, 300_000, 999_999, 1_000_000),
        page: fc.nat(4),
        forget: fc.boolean(),
      }),
      { maxLength: 25 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        crawl = `seen-${++crawls}`
        const frontier = open(period)
        const generations = new Map<string, number>()
        for (const { waitMs, page, forget } of plan) {
          clock.advance(waitMs)
          const url = `http://a.test/${page}`
          const now = Math.floor(clock.now() / 1_000_000)
          const isKnown = now - (generations.get(url) ?? -2) <= 1
          if (forget) {
            expect((await forgetUrls(connection, crawl, [url])).known).toBe(isKnown ? 1 : 0)
            generations.delete(url)
          } else {
            expect(await addedTo(frontier, url)).toBe(isKnown ? 0 : 1)
            if (!isKnown) generations.set(url, now)
          }
          const known = [...generations.values()].filter((generation) => now - generation <= 1)
          expect(await seenBy(frontier)).toBe(known.length)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('sets an expiry on all its keys', async () => {
    const frontier = open(period)
    await frontier.add(Array.from({ length: 3000 }, (_, i) => request(`http://a.test/${i}`)))
    expect(await seenBy(frontier)).toBe(3000)
    const found = await keys(`*{${crawl}}:seen:*`)
    expect(found.length).toBeGreaterThan(10)
    for (const key of found) {
      const left = Number(await server.command('pttl', key))
      expect(left).toBeGreaterThan(1_000_000 - 60_000)
      expect(left).toBeLessThanOrEqual(2_000_000)
    }
  })
})

describe("Scrapy's dupefilter", () => {
  it.each([
    ['scrapy-a', 'legacy'],
    ['scrapy-b', 'scrapy-redis'],
    ['scrapy-c', 'scrapy'],
  ] as const)('%s is read and written as Python does', async (dupefilter, family) => {
    const frontier = open({ dupefilter })
    const [known = '', fresh = ''] = ['http://a.test/?b=1&a=2', 'http://a.test/new'].map((url) =>
      scrapyFingerprint({ url }, { family }),
    )
    await server.command('sadd', `${crawl}:dupefilter`, known)
    expect(await addedTo(frontier, 'http://a.test/?a=2&b=1', 'http://a.test/new')).toBe(1)
    expect(await server.command('smembers', `${crawl}:dupefilter`)).toContain(fresh)
    expect(await seenBy(frontier)).toBe(2)
    expect(await keys(`*{${crawl}}:seen:*`)).toEqual([])
  })

  it('is updated in the same script as the links of a page', async () => {
    const frontier = open({ dupefilter: 'scrapy-b', dupefilterKey: `${crawl}-filter` })
    await addedTo(frontier, 'http://a.test/')
    const [lease] = await frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
    const id = lease?.requests[0]?.id ?? ''
    const links = ['http://a.test/', 'http://a.test/1', 'http://a.test/1#x'].map(request)
    expect(
      await frontier.settle([{ id, end: { kind: 'done' }, requests: links, items: [], rejected: [] }]),
    ).toEqual({ added: 1, duplicates: 2, ignored: 0 })
    expect(await server.command('scard', `${crawl}-filter`)).toBe('2')
  })

  it('rejects a key of another type, and writes nothing', async () => {
    await server.command('set', `${crawl}:dupefilter`, 'bits')
    await expect(addedTo(open({ dupefilter: 'scrapy-a' }), 'http://a.test/')).rejects.toThrow(
      `${crawl}:dupefilter holds a string`,
    )
    expect(await keys(`*{${crawl}}*`)).toEqual([])
  })

  it('stops a call without changes if its key gets another type later', async () => {
    const frontier = open({ dupefilter: 'scrapy-a' })
    await addedTo(frontier, 'http://a.test/')
    await server.command('set', `${crawl}:dupefilter`, 'bits')
    await expect(addedTo(frontier, 'http://a.test/2')).rejects.toThrow('is not a set of fingerprints')
    await server.command('del', `${crawl}:dupefilter`)
    expect(await frontier.pending()).toMatchObject({ ready: 1 })
  })
})

describe('a seen set that is shared', () => {
  it('keeps each crawl from fetching URLs of the other', async () => {
    const other = `${crawl}-other`
    const [mine, theirs] = [open({ seenWith: other }), open(undefined, other)]
    expect(await addedTo(mine, 'http://a.test/1')).toBe(1)
    expect(await addedTo(theirs, 'http://a.test/1', 'http://a.test/2')).toBe(1)
    expect(await addedTo(mine, 'http://a.test/2')).toBe(0)
    expect(await seenBy(mine)).toBe(2)
    expect(await seenBy(theirs)).toBe(2)
    expect(await mine.pending()).toMatchObject({ ready: 1 })
  })

  it('must have the same rule for both crawls, in either order', async () => {
    const other = `${crawl}-other`
    await addedTo(open({ seenWith: other }), 'http://a.test/')
    await expect(addedTo(open({ seenSeconds: 60 }, other), 'http://a.test/')).rejects.toThrow(
      ConfigurationError,
    )
    const third = `${crawl}-third`
    await addedTo(open({ dupefilter: 'scrapy-c' }, third), 'http://a.test/')
    await expect(addedTo(open({ seenWith: third }, `${crawl}-4`), 'http://a.test/')).rejects.toThrow(
      `dupefilter scrapy-c in ${third}:dupefilter`,
    )
  })
})

describe('the seen rule of a crawl', () => {
  it('is set by its first worker; others use it or are rejected', async () => {
    await addedTo(open({ dupefilter: 'scrapy-b' }), 'http://a.test/?b=1&a=2')
    expect(await addedTo(open(), 'http://a.test/?a=2&b=1')).toBe(0)
    for (const seen of [{ seenSeconds: 60 }, { dupefilter: 'scrapy-a' }] as const)
      await expect(addedTo(open(seen), 'http://a.test/')).rejects.toThrow(
        `other settings for what it has seen (dupefilter scrapy-b in ${crawl}:dupefilter)`,
      )
  })
})

describe('forgetUrls', () => {
  it.each([
    ['its own set', undefined],
    ['a set that forgets', { seenSeconds: 1000 }],
    ["Scrapy's dupefilter", { dupefilter: 'scrapy-b' }],
  ] as const)('makes URLs new again in %s, and says how many were known', async (_, seen) => {
    const frontier = open(seen)
    const urls = Array.from({ length: 1500 }, (_unused, i) => `http://a.test/${i}`)
    await addedTo(frontier, ...urls)
    clock.advance(1_000_000)
    const forgotten = await forgetUrls(connection, crawl, ['HTTP://A.test/7#x', 'http://a.test/none'])
    expect(forgotten.known).toBe(1)
    expect(await seenBy(frontier)).toBe(1499)
    expect(await addedTo(frontier, 'http://a.test/7', 'http://a.test/8')).toBe(1)
    expect((await forgetUrls(connection, crawl, urls)).known).toBe(1500)
    expect(await seenBy(frontier)).toBe(0)
    expect(await addedTo(frontier, ...urls)).toBe(1500)
  })

  it('forgets a URL as Python wrote it', async () => {
    await addedTo(open({ dupefilter: 'scrapy-b' }), 'http://a.test/')
    const url = 'http://a.test:80/x/../y'
    const fingerprint = scrapyFingerprint({ url }) ?? ''
    await server.command('sadd', `${crawl}:dupefilter`, fingerprint)
    expect((await forgetUrls(connection, crawl, [url])).known).toBe(1)
    expect(await server.command('sismember', `${crawl}:dupefilter`, fingerprint)).toBe('0')
  })

  it('returns the same result when its reply was lost', async () => {
    await addedTo(open(), 'http://a.test/')
    const twice: RedisConnection = {
      isCluster: false,
      async run(...call) {
        await connection.run(...call)
        return connection.run(...call)
      },
      close() {},
    }
    expect((await forgetUrls(twice, crawl, ['http://a.test/'])).known).toBe(1)
  })

  it('returns undefined for a crawl that does not exist', async () => {
    expect((await forgetUrls(connection, crawl, ['http://a.test/'])).known).toBe(0)
  })
})

function request(url: string): CrawlRequest {
  return { url, handler: 'parse', depth: 0 }
}
