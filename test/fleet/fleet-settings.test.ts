import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OrbweaverConfig } from '../../src/adapters/config/config-schema.ts'
import { openRedisFrontier } from '../../src/adapters/redis/open-redis-frontier.ts'
import { spider } from '../../src/wiring/define-spider.ts'
import { runSpider } from '../../src/wiring/run-spider.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { linksTo } from '../../testing/spider-lab.ts'

/** /1 links to /2, and so on to /8. */
const PAGES = 8
let server: Server
let redis: RedisServer
let home: string
let requested: string[]
/** Awaited before each response. */
let onRequest: (n: number) => unknown

beforeAll(async () => {
  redis = await startRedis()
  server = createServer(async ({ url = '/' }, response) => {
    const n = Number(url.slice(1))
    if (n >= 1) requested.push(url)
    await onRequest(n)
    response.writeHead(n >= 1 ? 200 : 404, { 'content-type': 'text/html' })
    response.end(n < PAGES ? linksTo(`/${n + 1}`) : '')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.close()
  await redis?.stop()
})
beforeEach(async () => {
  await redis.command('flushall')
  requested = []
  onRequest = () => {}
})

const numbers = () =>
  spider({
    name: 'numbers',
    start: `${home}/1`,
    *parse(page) {
      yield page.item({ url: page.url })
      yield* page.followAll('a')
    },
  })

function run(settings: NonNullable<OrbweaverConfig['redis']> = {}, messages: string[] = []) {
  return runSpider(numbers(), {
    redis: redis.address,
    settings: { politeness: { delaySeconds: 0 }, agent: { email: 'test@localhost' }, redis: settings },
    onMessage: (message) => messages.push(message),
  })
}

async function keys(pattern = '*'): Promise<string[]> {
  const list = await redis.command('keys', pattern)
  return list === '' ? [] : list.split('\n').sort()
}

/** Sets the state of all workers, as the commands do. */
async function tell(state: 'paused' | 'draining' | undefined): Promise<void> {
  const { frontier, close } = await openRedisFrontier(redis.address, 'numbers')
  await frontier.control.setState(state)
  await close()
}

it('shares a robots.txt record between workers', async () => {
  let robots = 0
  onRequest = (n) => Number.isNaN(n) && robots++
  await run()
  await redis.command('rpush', 'numbers:start_urls', `${home}/3`)
  await run()
  expect(requested.filter((path) => path === '/3')).toHaveLength(2)
  expect(robots).toBe(1)
})

describe('a crawl in Redis', () => {
  it('stays when it is finished, so that the next run has nothing to do', async () => {
    expect(await run()).toMatchObject({ ended: 'finished', crawl: 'numbers', stats: { pages: PAGES } })
    expect(await run()).toMatchObject({ ended: 'finished', stats: { pages: 0 } })
    expect(await redis.command('llen', 'numbers:items')).toBe(String(PAGES))
  })

  it('is cleared by the last worker when it is finished without persist; its items stay', async () => {
    const results = await Promise.all([run({ persist: false }), run({ persist: false })])
    expect(results.map(({ ended }) => ended)).toEqual(['finished', 'finished'])
    expect((await keys('orbweaver*')).map((key) => key.replace(/.*}:/, ''))).not.toContain('requests')
    expect(await keys('*seen:*')).toEqual([])
    expect(await redis.command('llen', 'numbers:items')).toBe(String(PAGES))
    expect(await run({ persist: false })).toMatchObject({ stats: { pages: PAGES } })
  })

  it('starts again with flushOnStart, but not while other workers are running', async () => {
    await run()
    expect(await run({ flushOnStart: true })).toMatchObject({ stats: { pages: PAGES } })
    const other = await openRedisFrontier(redis.address, 'numbers')
    await other.frontier.add([], 'complete')
    expect(await run({ flushOnStart: true })).toMatchObject({ stats: { pages: 0 } })
    await other.close()
  })

  it('has the name and the keys of the settings', async () => {
    await redis.command('sadd', 'in:nightly', `${home}/100`)
    await run({ job: 'nightly', startKey: 'in:%(name)s', itemsKey: '%(spider)s/out', idleSeconds: 2 })
    expect(await redis.command('llen', 'nightly/out')).toBe(String(PAGES + 1))
    expect(
      (await keys()).every((key) => key === 'nightly/out' || key.startsWith('orbweaver:{nightly}')),
    ).toBe(true)
  })

  it('is not changed when a setting is invalid, and no connection stays open', async () => {
    await expect(run({ startEncoding: 'none-such' })).rejects.toThrow(/cannot be read as "none-such"/)
    const clients = await redis.command('client', 'list')
    // The connection of this test.
    expect(clients.trim().split('\n')).toHaveLength(1)
  })

  it('waits idleSeconds for more requests, from the last one that was added', async () => {
    const running = run({ idleSeconds: 2 })
    while (requested.length < PAGES) await sleep(20)
    await sleep(500)
    await redis.command('rpush', 'numbers:start_urls', `{"url": "${home}/100"}`)
    expect(await running).toMatchObject({ ended: 'finished', stats: { pages: PAGES + 1 } })
  })

  it('is drained: its workers stop, later ones stop at once, and it can be resumed', async () => {
    onRequest = (n) => n === 3 && tell('draining')
    const messages: string[] = []
    const drained = await run({ leaseSeconds: 3 }, messages)
    expect(drained.ended).toBe('drained')
    expect(messages.join()).toContain('the crawl is draining')
    expect(requested).toEqual(['/1', '/2', '/3'])
    expect(await run()).toMatchObject({ ended: 'drained', stats: { requests: 0 } })
    await tell(undefined)
    await run()
    expect([...new Set(requested)]).toHaveLength(PAGES)
    expect(requested).toHaveLength(PAGES)
  })

  it('is paused: its workers wait, and continue when it is resumed', async () => {
    await tell('paused')
    const messages: string[] = []
    const running = run({}, messages)
    while (!messages.some((message) => message.includes('orbweaver resume numbers'))) await sleep(20)
    await sleep(1_500)
    expect(requested).toEqual([])
    await tell(undefined)
    expect(await running).toMatchObject({ ended: 'finished', stats: { pages: PAGES } })
    expect(messages.at(-1)).toBe('the crawl is resumed')
  })

  it('reports once that Redis is away, and once that it is back', async () => {
    const messages: string[] = []
    let isKilled = false
    onRequest = (n) => {
      if (n !== 2 || isKilled) return
      isKilled = true
      void redis
        .kill()
        .then(() => sleep(1_500))
        .then(() => redis.restart())
    }
    // It comes back without its data, which ends the crawl; only the messages matter here.
    await run({}, messages).catch(() => {})
    expect(isKilled).toBe(true)
    expect(messages.filter((message) => message.startsWith('warning: Redis is away'))).toHaveLength(1)
    expect(messages.filter((message) => message === 'Redis is back')).toHaveLength(1)
  })
})
