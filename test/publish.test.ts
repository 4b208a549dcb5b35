import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type GatedSite, serveGatedSite } from '../testing/gated-site.ts'
import { type RedisServer, startRedis } from '../testing/redis-server.ts'
import { runOrbweaver } from './run-orbweaver.ts'
import { StartedOrbweaver } from './started-orbweaver.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-publish-'))
const PAGES = 3
const QUICK = ['--delay', '0', '--email', 'test@example.org', '--parse-threads', '0']
let redis: RedisServer
let site: GatedSite
let target: string

beforeAll(async () => {
  redis = await startRedis()
  target = `redis-stream:${redis.address}?stream=pages`
})
afterAll(async () => {
  await redis.stop()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  await redis.command('flushall')
  site = await serveGatedSite(PAGES)
})
afterEach(() => site.close())

/** The paths of the pages in the stream. */
async function paths(): Promise<string[]> {
  const lines = (await redis.command('xrange', 'pages', '-', '+')).split('\n')
  const ids = new Set(lines.filter((line) => line.startsWith('http')))
  return [...ids].map((id) => new URL(id).pathname).sort()
}

it('publishes pages while a round runs, and after a kill what is missing', async () => {
  const dir = join(folder, 'killed')
  const args = ['crawl', dir, site.url, ...QUICK, '--index-to', target, '--index-every', '1']
  // One page of the second round is sent, and one is not: the round does not end.
  site.allow(2)
  const killed = new StartedOrbweaver(args)
  await expect.poll(paths, { timeout: 90_000 }).toHaveLength(2)
  killed.kill('SIGKILL')
  await killed.ended
  site.allow(100)
  const { exitCode, stderr } = await runOrbweaver(args)
  expect(exitCode, stderr).toBe(0)
  expect(await paths()).toEqual(expect.arrayContaining(['/', '/page/0', '/page/1']))
})

it('says that the stream cannot be reached, and publishes the next time', async () => {
  const dir = join(folder, 'away')
  site.allow(100)
  await runOrbweaver(['crawl', dir, site.url, ...QUICK])
  const away = await runOrbweaver(['index', dir, '--to', 'redis-stream:redis://127.0.0.1:1/0?stream=pages'])
  expect(away.exitCode).toBe(3)
  expect(away.stdout + away.stderr).toContain('cannot connect to Redis at redis://127.0.0.1:1/0')
  const { exitCode } = await runOrbweaver(['index', dir, '--to', target])
  expect(exitCode).toBe(0)
  expect(await paths()).toHaveLength(PAGES)
})

it('rejects --index-every without an index', async () => {
  const { exitCode, stderr } = await runOrbweaver([
    'crawl',
    join(folder, 'none'),
    site.url,
    '--index-every',
    '5',
  ])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('--index-every needs --index or --index-to')
})
