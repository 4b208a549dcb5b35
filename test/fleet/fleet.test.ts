import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runSpider } from '../../src/wiring/run-spider.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { expectedRequests, violationsOf, webSpider } from '../spider/web-spider.ts'
import { redisItems, runArguments } from './fleet-of-web.ts'
import { FleetWorker } from './fleet-worker.ts'

let redis: RedisServer
let web: SyntheticWeb
let folder: string

beforeEach(async () => {
  redis = await startRedis()
  web = await startSyntheticWeb({ hosts: 24, pages: 600 })
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-fleet-'))
})
afterEach(async () => {
  await web.close()
  await redis.stop()
  rmSync(folder, { recursive: true })
})

/** With one thread a worker leases few hosts at a time. Error responses of the test sites must not pause their hosts. */
const FEW_HOSTS = { politeness: { threads: 1, maxFailures: false } } as const

/** A worker leases at most 8 of the 24 hosts, so at least three workers get some, in any order. */
const MIN_SHARING_WORKERS = 3

describe.each([1, 4, 8])('a fleet of %d workers', (workers) => {
  it('stores one item per page, and no host gets requests of two workers at once', async () => {
    const sharing = Math.min(workers, MIN_SHARING_WORKERS)
    holdUntilAtOnce(sharing)
    const results = await Promise.all(
      Array.from({ length: workers }, () =>
        runSpider(webSpider(web.seeds), { redis: redis.address, settings: FEW_HOSTS }),
      ),
    )
    expect(await redisItems(redis)).toEqual(expectedRequests(web).items)
    // robots.txt is shared, except a long one and one that could not be fetched.
    expect(violationsOf(web, 2 + workers)).toEqual([])
    expect(results.map(({ ended }) => ended)).toEqual(results.map(() => 'finished'))
    expect(pagesAtOnce()).toBeGreaterThanOrEqual(sharing)
  })
})

/** Holds all responses until `wanted` pages are requested at once: by that many workers, as each has one thread. */
function holdUntilAtOnce(wanted: number): void {
  const reached = Promise.withResolvers<void>()
  web.hold = (url) => {
    if (url.endsWith('/robots.txt')) return undefined
    if (pagesAtOnce() >= wanted) reached.resolve()
    return reached.promise
  }
}

function pagesAtOnce(): number {
  const verdicts = web.judge.verdicts(({ path }) => (path === '/robots.txt' ? 'robots' : 'page'))
  return verdicts.get('page')?.mostInParallel ?? 0
}

it('continues when a worker is killed, and keeps the delays of hosts', async () => {
  const start = () => new FleetWorker(runArguments(folder, web, redis))
  const doomed = start()
  // It holds hosts, and has requested some of them.
  while (web.requested.length < 60) await sleep(20)
  await doomed.kill()
  const ends = await Promise.all([start().ended, start().ended])
  expect(ends.map(({ exitCode }) => exitCode)).toContain(0)
  expect(await redisItems(redis)).toEqual(expectedRequests(web).items)
  expect(violationsOf(web, Number.POSITIVE_INFINITY)).toEqual([])
})

it('takes start URLs that other programs push while it runs, and waits for more', async () => {
  const stop = new AbortController()
  const [first = '', second = ''] = web.seeds
  const idle = {
    ...webSpider([]),
    rules: [],
    settings: { http: { allowPrivateHosts: [new URL(first).hostname, new URL(second).hostname] } },
  }
  const running = runSpider(idle, { redis: redis.address, wait: true, signal: stop.signal })
  for (const url of [first, second]) {
    await redis.command('RPUSH', 'web:start_urls', url)
    while (!(await redisItems(redis)).includes(url)) await sleep(50)
  }
  await redis.command('RPUSH', 'web:start_urls', '{"no": "url"}')
  while ((await redis.command('LLEN', 'web:start_urls:malformed')).trim() !== '1') await sleep(50)
  stop.abort()
  expect((await running).ended).toBe('interrupted')
  expect(await redisItems(redis)).toEqual([first, second].sort())
})
