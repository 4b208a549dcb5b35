import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import type { WebPlan } from '../../testing/synthetic-web/plan-sites.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { seededRandom } from '../crash/random.ts'
import { expectedRequests, violationsOf } from '../spider/web-spider.ts'
import { Chaos, type Troubles } from './chaos.ts'
import { brokenCrawl, heldKeys, redisItems, runArguments, urlsIn } from './fleet-of-web.ts'
import { FleetWorker } from './fleet-worker.ts'
import { grown } from './grown.ts'

/** Short, so that the requests of a lost worker soon go to others; a third of it is longer than the longest Retry-After of these sites. */
const LEASE_SECONDS = 4
/** About five times the usual duration: the machine may be busy. */
const TIMEOUT_MS = 400_000

let redis: RedisServer
let folder: string
let web: SyntheticWeb
let chaos: Chaos | undefined

beforeEach(async () => {
  redis = await startRedis({ aof: true })
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-chaos-'))
})
afterEach(async () => {
  await chaos?.killAll()
  await web.close()
  await redis.stop()
  rmSync(folder, { recursive: true })
})

interface Case {
  readonly workers: number
  readonly plan: WebPlan
  readonly troubles: Troubles
}

const CASES: readonly Case[] = [
  {
    workers: 6,
    plan: { hosts: 48, pages: 1_500 },
    troubles: { kill: 12, longStop: 8, shortStop: 4, redisKill: 4 },
  },
  ...[1, 8].map((workers) => ({
    workers,
    plan: { hosts: 24, pages: 300 },
    troubles: { kill: 2, longStop: 1, shortStop: 0, redisKill: 1 },
  })),
]

it.each(CASES)(
  'crawls all pages with $workers workers, stores each item once and keeps the delays, while processes are killed and suspended',
  async ({ workers, plan, troubles }) => {
    const seed = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000)
    web = await startSyntheticWeb(plan)
    const fetched = new Set<string>()
    web.hold = (url) => void (url.endsWith('/robots.txt') || fetched.add(url))
    const expected = expectedRequests(web)
    chaos = new Chaos(redis, {
      ...{ workers, troubles, random: seededRandom(seed) },
      args: runArguments(folder, web, redis, { threads: 2, leaseSeconds: LEASE_SECONDS }),
      leaseMs: LEASE_SECONDS * 1000,
    })
    process.stdout.write(`chaos of ${workers} workers: CHAOS_SEED=${seed}\n`)

    const all = chaos.left
    const startedAt = performance.now()
    while (chaos.left > 0) {
      // Spread over the progress of the crawl, not over time, so that it does not depend on the speed of the machine.
      const share = (all - chaos.left + 0.5) / all
      await grown(fetched, expected.requested.length * share)
      await chaos.strike()
    }
    const ends = await chaos.ended()
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const repeats = web.requested.filter(({ url }) => fetched.has(url)).length - fetched.size
    const joins = Number(await redis.command('HGET', 'orbweaver:{web}:counts', 'fences'))
    process.stdout.write(
      `${chaos.started} processes joined ${joins} times and fetched ${repeats} pages again, in ${seconds} s\n`,
    )
    // The test is only valid if some work was lost.
    expect(repeats).toBeGreaterThan(0)
    expect(joins).toBeGreaterThan(workers)

    expect(violationsOf(web, Number.POSITIVE_INFINITY)).toEqual([])
    for (const { exitCode, stderr } of ends) expect([0, 1], stderr).toContain(exitCode)
    expect(await redisItems(redis)).toEqual(expected.items)
    expect(await exportedItems()).toEqual(expected.items)
    expect(await failures()).toEqual(expected.failed)
    expect(await brokenCrawl(redis)).toEqual([])
    expect(await heldKeys(redis)).toEqual([])
  },
  TIMEOUT_MS,
)

async function exportedItems(): Promise<string[]> {
  const file = join(folder, 'items.jsonl')
  const exporter = new FleetWorker(['items', 'web', '--redis', redis.address, '--out', file])
  expect(await exporter.ended).toMatchObject({ exitCode: 0 })
  return urlsIn(readFileSync(file, 'utf8'))
}

/** The dead letters. */
async function failures(): Promise<string[]> {
  const { stdout } = await new FleetWorker(['failed', 'web', '--redis', redis.address, '--json']).ended
  const { failed } = JSON.parse(stdout) as {
    failed: ReadonlyArray<{ readonly code: string; readonly request: { readonly url: string } }>
  }
  return failed.map(({ code, request }) => `${request.url} ${code}`).sort()
}
