import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RedisConnection } from '../../src/adapters/redis/redis-connection.ts'
import type { LiveCrawl } from '../../src/domain/live/live-crawl.ts'
import { FleetLive } from '../../src/wiring/fleet-live.ts'
import { runSpider } from '../../src/wiring/run-spider.ts'
import type { RedisServer } from '../../testing/redis-server.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { useRedis } from '../../testing/use-redis.ts'
import { DELAY_MS, webSpider } from '../spider/web-spider.ts'
import { redisItems } from './fleet-of-web.ts'

const SLOW_MS = 200
/** A worker renews its lease every half second. With one thread it leases few hosts at a time. */
const SETTINGS = { politeness: { threads: 1 }, redis: { leaseSeconds: 3 } } as const

let server: RedisServer
let connection: RedisConnection
let web: SyntheticWeb

useRedis((started) => {
  ;({ server, connection } = started)
})
beforeEach(async () => {
  // Trees without links between them: there is one path to each page.
  web = await startSyntheticWeb({ hosts: 12, pages: 240, hostile: false, crossLinks: 0 })
})
afterEach(async () => {
  await web.close()
})

it('keeps the delay that an operator sets for a host of two workers, until it is restored', async () => {
  const [host = ''] = web.sites.values().map(({ plan }) => plan.host)
  const ofHost = () => web.judge.hits.filter((hit) => hit.host === host)
  const change = async (delayMs: number | null) => {
    expect(await fleetLive().act({ action: 'set-delay', host, delayMs })).toMatchObject({ ok: true })
    await bothRenewed()
    setBy.push(await delaysSetBy(workers, host))
  }
  const workers: LiveCrawl[] = []
  const setBy: string[][] = []
  let slowFrom = 0
  let slowTo = 0
  // Responses are held until both workers know the delay: so all requests after them have it.
  const slowDown = once(async () => {
    await change(SLOW_MS)
    slowFrom = ofHost().length
  })
  const restore = once(async () => {
    slowTo = ofHost().length
    await change(null)
  })
  web.hold = (url) => {
    if (url.endsWith('/robots.txt')) return undefined
    const hits = ofHost().length
    if (hits >= 4 && slowFrom === 0) return slowDown()
    return slowFrom > 0 && hits >= slowFrom + 8 ? restore() : undefined
  }
  const watchers = [{ started: (worker: LiveCrawl) => void workers.push(worker) }]
  const run = () => runSpider(webSpider(web.seeds), { redis: server.address, settings: SETTINGS, watchers })
  const results = await Promise.all([run(), run()])
  expect(results.map(({ ended }) => ended)).toEqual(['finished', 'finished'])
  expect(results.every(({ stats }) => stats.pages > 0)).toBe(true)
  expect(await redisItems(server)).toEqual([...web.expected().keys()].toSorted())

  const hits = ofHost()
  const gaps = hits.slice(1).map(({ start }, i) => start - (hits[i]?.end ?? 0))
  expect(slowTo - slowFrom).toBeGreaterThanOrEqual(8)
  expect(Math.min(...gaps.slice(slowFrom - 1, slowTo - 1))).toBeGreaterThanOrEqual(SLOW_MS)
  const [slow = [], restored = []] = setBy
  expect(slow).toContain('operator')
  expect(restored).not.toContain('operator')
  expect(web.judge.violations({ minGapMs: DELAY_MS, maxRepeats: 3 })).toEqual([])
})

/** Who set the delay of the host, for each worker that has it. */
async function delaysSetBy(workers: readonly LiveCrawl[], host: string): Promise<string[]> {
  const query = { sort: 'host', descending: false, offset: 0, limit: 100 } as const
  const lists = await Promise.all(workers.map((worker) => worker.hosts(query)))
  return lists.flatMap(({ hosts }) =>
    hosts.filter((one) => one.host === host).map(({ delaySetBy }) => delaySetBy),
  )
}

/** Resolves when both workers have renewed their leases twice: the first renewal may have been under way. */
async function bothRenewed(): Promise<void> {
  const heard = async () => {
    const { fleet } = await fleetLive().report()
    return fleet?.workers.map(({ heardAt }) => heardAt) ?? []
  }
  for (let round = 0; round < 2; round++) {
    const before = Math.max(...(await heard()))
    for (let all = await heard(); all.length < 2 || Math.min(...all) <= before; all = await heard())
      await sleep(50)
  }
}

/** A new one has read nothing yet. */
function fleetLive(): FleetLive {
  return new FleetLive(connection, 'web', {
    ...{ keys: {}, delayMs: DELAY_MS, retryFailed: () => Promise.resolve(0) },
  })
}

function once(work: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined
  return () => {
    result ??= work()
    return result
  }
}
