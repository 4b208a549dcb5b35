import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { openRedisFrontier } from '../adapters/redis/open-redis-frontier.ts'
import type { LoggedItem } from '../domain/frontier/item-log.ts'
import { takeItems } from './take-items.ts'

let server: RedisServer
let crawl: string
let crawls = 0

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server?.stop())
beforeEach(() => {
  crawl = `shop-${++crawls}`
})

const push = (...numbers: readonly number[]) =>
  server.command('rpush', `${crawl}:items`, ...numbers.map((n) => JSON.stringify({ n })))
const left = async () => Number(await server.command('llen', `${crawl}:items`))
const numbersIn = (items: readonly LoggedItem[]) => items.map(({ item }) => item['n'])

describe('takeItems', () => {
  it('returns all items, each once', async () => {
    await push(1, 2, 3, 4, 5)
    const taken: unknown[] = []
    for await (const items of takeItems(crawl, { redis: server.address, batch: 2 }))
      taken.push(numbersIn(items))
    expect(taken).toEqual([[1, 2], [3, 4], [5]])
    expect(await left()).toBe(0)
    expect(await server.command('keys', `orbweaver:{${crawl}}:*`)).toBe(`orbweaver:{${crawl}}:items-taken`)
  })

  it('leaves the batch of an unfinished loop to others', async () => {
    await push(1, 2, 3)
    const options = { redis: server.address, batch: 1 }
    await expect(async () => {
      for await (const [first] of takeItems(crawl, options)) if (first?.item['n'] === 2) throw new Error('no')
    }).rejects.toThrow('no')
    const taken: LoggedItem[] = []
    for await (const items of takeItems(crawl, options)) taken.push(...items)
    expect(taken.map(({ position, item }) => [position, item['n']])).toEqual([
      [2, 2],
      [3, 3],
    ])
  })

  it('waits for more until the crawl is finished', async () => {
    const worker = await openRedisFrontier(server.address, crawl)
    const taken: unknown[] = []
    await push(1)
    await worker.frontier.add([{ url: 'http://a.test/', handler: 'parse', depth: 0 }], 'complete')
    for await (const items of takeItems(crawl, { redis: server.address, follow: true })) {
      taken.push(...numbersIn(items))
      if (taken.length < 3) await push(taken.length + 1)
      else await finish()
    }
    expect(taken).toEqual([1, 2, 3])

    async function finish(): Promise<void> {
      const { frontier, clock, close } = worker
      const [lease] = await frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
      const id = lease?.requests[0]?.id ?? ''
      await frontier.settle([{ id, end: { kind: 'done' }, requests: [], items: [], rejected: [] }])
      await close()
    }
  })

  it('stops by signal, and the last items count as taken', async () => {
    await push(1, 2)
    const stop = new AbortController()
    const options = { redis: server.address, follow: true, signal: stop.signal }
    for await (const items of takeItems(crawl, options)) if (items.length > 0) stop.abort()
    expect(await left()).toBe(0)
  })
})
