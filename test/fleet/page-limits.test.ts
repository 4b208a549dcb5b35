import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import type { WorkerEnd } from './fleet-worker.ts'
import { itemsOf, type LimitedWorkerOptions, startLimitedWorker } from './limited-fleet.ts'
import { type LoggedPage, type LoggedSites, serveLoggedSites } from './logged-sites.ts'

/** A worker takes 8 hosts at most, so three workers get some. */
const HOSTS = 24
const PAGES = 10

let redis: RedisServer
let sites: LoggedSites
let folder: string

beforeEach(async () => {
  redis = await startRedis()
  sites = await serveLoggedSites(HOSTS, PAGES)
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-limits-'))
})
afterEach(async () => {
  await sites.close()
  await redis.stop()
  rmSync(folder, { recursive: true })
})

const start = (name: string, options: LimitedWorkerOptions) =>
  startLimitedWorker(folder, sites, redis, name, options)
const sent = () => sites.log.filter(({ status }) => status === 200)
const workersOf = (pages: readonly LoggedPage[]) => new Set(pages.map(({ worker }) => worker))

function expectReached(ends: readonly WorkerEnd[]): void {
  for (const { exitCode, stdout, stderr } of ends) {
    expect(`${stdout}${stderr}`).toMatch(/stopped: --max-pages\s+reached/)
    expect(exitCode).toBe(0)
  }
}

/** Holds all pages until each of these workers has requested one. */
function holdUntilAll(names: readonly string[]): void {
  const all = Promise.withResolvers<void>()
  sites.hold = () => {
    if (names.every((name) => workersOf(sites.log).has(name))) all.resolve()
    return all.promise
  }
}

/** Holds the pages of a worker forever, after it has got three. */
function holdAfterThree(doomed: string): void {
  sites.hold = ({ worker }) =>
    worker === doomed && sent().filter((page) => page.worker === doomed).length >= 3
      ? new Promise(() => {})
      : undefined
}

/** Waits until a worker is held and all pages that it got are stored. */
async function untilHeldAndStored(doomed: string): Promise<void> {
  const isReached = async () => {
    const own = sites.log.filter(({ worker }) => worker === doomed)
    const items = await itemsOf(redis)
    const isStored = ({ host, path }: LoggedPage) =>
      items.some((url) => url.endsWith(path) && url.includes(`${host}:`))
    return own.some(({ status }) => status === 0) && own.filter(({ status }) => status > 0).every(isStored)
  }
  while (!(await isReached())) await sleep(50)
}

it('fetches --max-pages pages with all workers together, and all workers stop', async () => {
  const names = ['a', 'b', 'c']
  holdUntilAll(names)
  const options = { flags: ['--max-pages', '50'], leaseSeconds: 60 }
  const workers = names.map((name) => start(name, options))
  expectReached(await Promise.all(workers.map(({ ended }) => ended)))
  expect(sent()).toHaveLength(50)
  expect(sites.log).toHaveLength(50)
  expect(await itemsOf(redis)).toHaveLength(50)
  expect(workersOf(sent()).size).toBe(3)

  // The run continues for a lease.
  const late = await start('late', options).ended
  expectReached([late])
  expect(late.stdout).toMatch(/other\s+workers\s+of\s+this\s+run/)
  expect(sites.log).toHaveLength(50)
  expectReached([await start('more', { ...options, flags: ['--max-pages', '70'] }).ended])
  expect(sent()).toHaveLength(70)
  expect(new Set(await itemsOf(redis)).size).toBe(70)
})

it('fetches neither more nor less than --max-pages pages after a worker was killed', async () => {
  holdAfterThree('doomed')
  const options = { flags: ['--max-pages', '60'] }
  const doomed = start('doomed', options)
  await untilHeldAndStored('doomed')
  const others = [start('a', options), start('b', options)]
  // The others have fetched all pages but the one that the killed worker has reserved.
  while (sent().length < 59) await sleep(20)
  await doomed.kill()
  expectReached(await Promise.all(others.map(({ ended }) => ended)))
  expect(sent()).toHaveLength(60)
  expect(new Set(await itemsOf(redis)).size).toBe(60)
})

it('fetches maxPagesPerHost pages of each host, also of the hosts of a worker that was killed', async () => {
  holdAfterThree('doomed')
  const options = { limits: { maxPagesPerHost: 4 } }
  const doomed = start('doomed', options)
  await untilHeldAndStored('doomed')
  const others = [start('a', options), start('b', options)]
  await doomed.kill()
  const ends = await Promise.all(others.map(({ ended }) => ended))
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  const counts = Map.groupBy(sent(), ({ host }) => host)
  expect([...counts.values()].map((pages) => pages.length)).toEqual(Array.from({ length: HOSTS }, () => 4))
  expect([...counts.values()].some((pages) => workersOf(pages).size > 1)).toBe(true)
  expect(new Set(await itemsOf(redis)).size).toBe(4 * HOSTS)
})
