import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LoginSite } from '../../testing/login-site.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { FleetWorker } from '../fleet/fleet-worker.ts'

/** Without that of the login. */
const HOSTS = 12
const PAGES = 4

let site: LoginSite
let redis: RedisServer
let folder: string

beforeEach(async () => {
  site = await LoginSite.start({ pages: PAGES }, HOSTS + 1)
  redis = await startRedis()
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-fleet-sessions-'))
})
afterEach(async () => {
  await site.close()
  await redis.stop()
  rmSync(folder, { recursive: true })
})

/** Its pages are requested in the session of the front page, which another worker may have by then. */
function start(name: string, { sessions, shards = 1 }: { sessions: number; shards?: number }): FleetWorker {
  const source = pathToFileURL(join(import.meta.dirname, '../../src/wiring/define-spider.ts')).href
  const file = join(folder, 'pages.ts')
  writeFileSync(
    file,
    `import { spider } from '${source}'
const [login, ...origins] = ${JSON.stringify(site.origins)}
export default spider({
  name: 'pages',
  start: origins.map((origin) => origin + '/'),
  sessions: {
    max: ${sessions},
    expired: (page) => page.header('location') === '/login',
    async login(session) {
      const reply = await session.fetch(login + '/api/login', { json: { user: 'me', password: 'right' } })
      const hosts = origins.map((origin) => new URL(origin).hostname)
      session.setHeader('authorization', 'Bearer ' + reply.json().token, hosts)
    },
  },
  *parse(page) {
    yield page.item({ url: page.url, session: page.session })
    yield* page.followAll('a', { session: 'same' })
  },
})
`,
  )
  const config = join(folder, `${name}.json`)
  writeFileSync(
    config,
    JSON.stringify({
      agent: { name, email: 'test@example.org' },
      politeness: { threads: 1, delaySeconds: 0.02 },
      http: { allowPrivateHosts: ['127.0.0.1'] },
      redis: { leaseSeconds: 5, shards },
    }),
  )
  return new FleetWorker(['run', file, '--config', config, '--redis', redis.address])
}

async function items(): Promise<Array<{ readonly url: string; readonly session: string }>> {
  const lines = (await redis.command('LRANGE', 'pages:items', '0', '-1')).split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

it('uses a session in one worker at a time', async () => {
  const both = Promise.withResolvers<void>()
  site.hold = () => {
    if (new Set(site.judge.hits.map(({ userAgent }) => userAgent)).size === 2) both.resolve()
    return both.promise
  }
  const runs = await Promise.all(['one', 'two'].map((name) => start(name, { sessions: 2 }).ended))
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  const stored = await items()
  expect(new Set(stored.map(({ url }) => url)).size).toBe(HOSTS * (PAGES + 1))
  expect(new Set(site.judge.hits.map(({ userAgent }) => userAgent)).size).toBe(2)
  expect(site.overlaps).toBe(0)
  expect(site.logins.size).toBeLessThanOrEqual(2)
  expect(site.judge.violations({ minGapMs: 20, maxRepeats: 1_000 })).toEqual([])
})
