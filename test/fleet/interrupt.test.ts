import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { expectedRequests, violationsOf } from '../spider/web-spider.ts'
import { brokenCrawl, heldKeys, redisItems, runArguments } from './fleet-of-web.ts'
import { FleetWorker } from './fleet-worker.ts'

/** Open requests have five seconds to finish; the rest is for a busy machine. */
const SOON_MS = 60_000

let redis: RedisServer
let web: SyntheticWeb
let folder: string
let worker: FleetWorker
/** When it resolves, the sites respond again. */
let responding: PromiseWithResolvers<void>

beforeEach(async () => {
  redis = await startRedis({ aof: true })
  web = await startSyntheticWeb({ hosts: 60, pages: 240 })
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-interrupt-'))
  responding = Promise.withResolvers()
  // Its queue must not get shorter before the interrupt.
  web.hold = () => (web.requested.length > 20 ? responding.promise : undefined)
  // With one thread, eight requests are sent at once, and with more than sixteen queued no further start requests are read.
  worker = new FleetWorker(runArguments(folder, web, redis, { threads: 1 }))
  const starts = web.seeds.map((url) => JSON.stringify({ url, dontFilter: false }))
  await redis.command('RPUSH', 'web:start_urls', ...starts)
  while (web.requested.length < 21) await sleep(20)
  expect(Number(await redis.command('HGET', 'orbweaver:{web}:counts', 'free'))).toBeGreaterThan(16)
})
afterEach(async () => {
  responding.resolve()
  await worker.kill()
  await web.close()
  await redis.stop()
  rmSync(folder, { recursive: true })
})

/** `undefined`: it did not stop in time. */
function endedSoon() {
  return Promise.race([worker.ended, sleep(SOON_MS, undefined, { ref: false })])
}

it.each(['SIGINT', 'SIGTERM'] as const)(
  'stops soon after %s with a long queue, which stays for the next run',
  async (signal) => {
    worker.interrupt(signal)
    expect(await endedSoon()).toMatchObject({ exitCode: 3 })
    responding.resolve()
    expect(await heldKeys(redis)).toEqual([])
    expect(await brokenCrawl(redis)).toEqual([])
    worker = new FleetWorker(runArguments(folder, web, redis, { threads: 16 }))
    expect(await worker.ended).toMatchObject({ exitCode: 0 })
    expect(await redisItems(redis)).toEqual(expectedRequests(web).items)
    expect(violationsOf(web, Number.POSITIVE_INFINITY)).toEqual([])
  },
)

it('stops soon after Ctrl-C while Redis is away', async () => {
  await redis.kill()
  worker.interrupt()
  expect(await endedSoon()).toMatchObject({ exitCode: 3 })
})
