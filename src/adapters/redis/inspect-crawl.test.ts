import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type RedisServer, startRedis, startRedisCluster } from '../../../testing/redis-server.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import { CrawlEndCheck, listCrawls } from './inspect-crawl.ts'
import { openRedisFrontier } from './open-redis-frontier.ts'
import type { RedisConnection } from './redis-connection.ts'
import { shareConnection } from './shared-connections.ts'

let server: RedisServer
let connection: RedisConnection
let crawl: string
let end: CrawlEndCheck
let crawls = 0

useRedis((started) => {
  ;({ server, connection } = started)
})
beforeEach(() => {
  crawl = `crawl-${++crawls}`
  end = new CrawlEndCheck(connection, crawl)
})

/** Of a crawl with one page, at its end. */
async function workToTheEnd() {
  const worker = await openRedisFrontier(server.address, crawl)
  const { frontier, clock } = worker
  await frontier.add([{ url: 'http://a.test/', handler: 'parse', depth: 0 }], 'complete')
  expect(await end.isReached()).toBe(false)
  const [lease] = await frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
  expect(await end.isReached()).toBe(false)
  const id = lease?.requests[0]?.id ?? ''
  await frontier.settle([{ id, end: { kind: 'done' }, requests: [], items: [{ n: 1 }], rejected: [] }])
  return worker
}

describe('CrawlEndCheck', () => {
  it('is reached when the queue is empty and the workers have left', async () => {
    const worker = await workToTheEnd()
    expect(await end.isReached()).toBe(false)
    await worker.close()
    expect(await end.isReached()).toBe(true)
  })

  it('is not reached while start messages wait', async () => {
    await (await workToTheEnd()).close()
    await server.command('rpush', `${crawl}:start_urls`, 'http://a.test/2')
    expect(await end.isReached()).toBe(false)
  })

  it('is not reached by a crawl that has not started, even if items of an earlier one exist', async () => {
    expect(await end.isReached()).toBe(false)
    await server.command('rpush', `${crawl}:items`, '{}')
    expect(await end.isReached()).toBe(false)
  })

  it('is reached when the last worker has cleared the crawl', async () => {
    const { frontier, close } = await workToTheEnd()
    await close(async () => void (await frontier.control.clear()))
    expect(await end.isReached()).toBe(true)
  })
})

describe.each([
  ['one server', startRedis],
  ['a cluster', startRedisCluster],
])('listCrawls on %s', (_, start) => {
  it('names all crawls except cleared ones', async () => {
    const redis = await start()
    onTestFinished(() => redis.stop())
    const all = await shareConnection(redis.address)
    onTestFinished(() => all.close())
    expect(await listCrawls(all)).toEqual([])
    for (const name of ['shop', 'news', 'a*b', 'old']) {
      const { frontier, close } = await openRedisFrontier(redis.address, name)
      await frontier.add([{ url: 'http://a.test/', handler: 'parse', depth: 0 }])
      await close(async () => void (name === 'old' && (await frontier.control.clear())))
    }
    expect(await listCrawls(all)).toEqual(['a*b', 'news', 'shop'])
  })
})
