import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { itemsOf, startLimitedWorker } from './limited-fleet.ts'
import { type LoggedSites, type SiteResponse, serveLoggedSites } from './logged-sites.ts'

/** A worker takes 8 hosts at most, so three workers get some. */
const HOSTS = 24
const PAGES = 5

let redis: RedisServer
let sites: LoggedSites
let folder: string

beforeEach(async () => {
  redis = await startRedis()
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-cookies-'))
})
afterEach(async () => {
  await sites.close()
  await redis.stop()
  rmSync(folder, { recursive: true })
})

const start = (name: string) => startLimitedWorker(folder, sites, redis, name, { flags: ['--cookies'] })
const refused = () => sites.log.filter(({ status }) => status === 403)
const workersOf = (host: string) =>
  new Set(sites.log.filter((page) => page.host === host).map(({ worker }) => worker))
const shared = () => sites.log.filter(({ host }) => workersOf(host).size > 1)

/** Each page renews the session: only its last cookie counts. */
function renewingSessions(): (host: string, path: string, cookie: string) => SiteResponse {
  const last = new Map<string, number>()
  return (host, path, cookie) => {
    const n = last.get(host) ?? 0
    if (path !== '/' && cookie !== `sid=${host}-${n}`) return { status: 403 }
    last.set(host, n + 1)
    return { status: 200, setCookie: `sid=${host}-${n + 1}; Path=/; HttpOnly` }
  }
}

/** The front page begins the session. */
function sessions(host: string, path: string, cookie: string): SiteResponse {
  if (path === '/') return { status: 200, setCookie: `sid=${host}; Path=/` }
  return { status: cookie === `sid=${host}` ? 200 : 403 }
}

it('sends the last cookies of a host, whichever worker got them', async () => {
  sites = await serveLoggedSites(HOSTS, PAGES, renewingSessions())
  const names = ['a', 'b', 'c']
  const all = Promise.withResolvers<void>()
  sites.hold = () => {
    if (new Set(sites.log.map(({ worker }) => worker)).size === names.length) all.resolve()
    return all.promise
  }
  const ends = await Promise.all(names.map((name) => start(name).ended))
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
  expect(refused()).toEqual([])
  expect(await itemsOf(redis)).toHaveLength(HOSTS * (PAGES + 1))
  expect(shared().length).toBeGreaterThan(0)
})

it('keeps the sessions of a worker that was killed', async () => {
  sites = await serveLoggedSites(HOSTS, PAGES, sessions)
  // Its hosts have their cookies from it, and it has got nothing else.
  sites.hold = ({ worker, path }) => (worker === 'doomed' && path !== '/' ? new Promise(() => {}) : undefined)
  const doomed = start('doomed')
  const isHeld = () => sites.log.some(({ status, path }) => status === 0 && path !== '/')
  while (!isHeld() || (await itemsOf(redis)).length < 8) await sleep(50)
  await doomed.kill()
  const ends = await Promise.all(['a', 'b'].map((name) => start(name).ended))
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  expect(refused()).toEqual([])
  expect(new Set(await itemsOf(redis)).size).toBe(HOSTS * (PAGES + 1))
  // The sessions that it began.
  expect(shared().filter(({ worker, path }) => worker !== 'doomed' && path !== '/').length).toBeGreaterThan(0)
})
