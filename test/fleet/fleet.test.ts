import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runSpider } from '../../src/wiring/run-spider.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { expectedRequests, violationsOf, webSpider } from '../spider/web-spider.ts'

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

/** With one thread a worker takes a few hosts at a time. What the sites response on purpose must not park them. */
const FEW_HOSTS = { politeness: { threads: 1, maxFailures: false } } as const

/** A worker takes 8 of the 24 hosts at most: so many of them have some each, whoever comes first. */
const SURE_OF_A_HOST = 3

/** The pages of the items in Redis, as anybody can read them. */
async function itemUrls(): Promise<string[]> {
  const list = await redis.command('LRANGE', 'web:items', '0', '-1')
  return list
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => String((JSON.parse(line) as { url: unknown }).url))
    .sort()
}

describe.each([1, 4, 8])('a fleet of %d workers', (workers) => {
  it('makes one item of each page, and no host sees more than one of them', async () => {
    const sharing = Math.min(workers, SURE_OF_A_HOST)
    holdUntilAtOnce(sharing)
    const results = await Promise.all(
      Array.from({ length: workers }, () =>
        runSpider(webSpider(web.seeds), { redis: redis.address, settings: FEW_HOSTS }),
      ),
    )
    expect(await itemUrls()).toEqual(expectedRequests(web).items)
    // robots.txt is shared; a long one, or one that could not be had, each worker asks for itself.
    expect(violationsOf(web, 2 + workers)).toEqual([])
    expect(results.map(({ ended }) => ended)).toEqual(results.map(() => 'finished'))
    expect(pagesAtOnce()).toBeGreaterThanOrEqual(sharing)
  })
})

/** No page is answered before so many are asked for at once: with one thread each, by so many workers. */
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

it('goes on when a worker is killed, and asks nobody too soon', async () => {
  const file = join(folder, 'web.ts')
  const source = pathToFileURL(join(import.meta.dirname, '../spider/web-spider.ts')).href
  writeFileSync(
    file,
    `import { webSpider } from '${source}'\nexport default ({ seeds }) => webSpider(seeds.split(' '))\n`,
  )
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ politeness: { maxFailures: false } }))
  const start = () =>
    worker([
      'run',
      file,
      '--config',
      config,
      '--redis',
      redis.address,
      '--arg',
      `seeds=${web.seeds.join(' ')}`,
    ])
  const doomed = start()
  // It has hosts, and has asked some of them.
  while (web.requested.length < 60) await sleep(20)
  doomed.kill('SIGKILL')
  const others = [start(), start()]
  const codes = await Promise.all(others.map(async (child) => (await once(child, 'exit'))[0] as number))
  expect(Math.min(...codes)).toBe(0)
  const { items } = expectedRequests(web)
  expect(await itemUrls()).toEqual(items)
  expect(violationsOf(web, Number.POSITIVE_INFINITY)).toEqual([])
})

function worker(args: readonly string[]): ChildProcess {
  const program = join(import.meta.dirname, '../../testing/orbweaver-process.ts')
  return spawn(process.execPath, [program, ...args], { stdio: 'ignore' })
}

it('takes start URLs that others push while it runs, and waits for more', async () => {
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
    while (!(await itemUrls()).includes(url)) await sleep(50)
  }
  await redis.command('RPUSH', 'web:start_urls', '{"no": "url"}')
  while ((await redis.command('LLEN', 'web:start_urls:malformed')).trim() !== '1') await sleep(50)
  stop.abort()
  expect((await running).ended).toBe('interrupted')
  expect(await itemUrls()).toEqual([first, second].sort())
})
