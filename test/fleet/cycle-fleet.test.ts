import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { requireS3Server } from '../../testing/require-s3-server.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { useS3 } from '../../testing/use-s3.ts'
import { type CrawlState, readCrawlState } from '../crash/crawl-state.ts'
import { DELAY_MS, violationsOf } from '../spider/web-spider.ts'
import { FleetWorker } from './fleet-worker.ts'

/** Several times what it takes: the machine may be busy. */
const TIMEOUT_MS = 600_000

const s3 = requireS3Server() ? useS3() : undefined
let redis: RedisServer
let folder: string
let web: SyntheticWeb
const processes: FleetWorker[] = []
/** Page requests so far. */
let requested = 0

beforeEach(async () => {
  redis = await startRedis()
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-cycle-fleet-'))
  web = await startSyntheticWeb({ hosts: 24, pages: 600 })
  requested = 0
  web.hold = () => void requested++
})
afterEach(async () => {
  await Promise.all(processes.splice(0).map((one) => one.kill()))
  await web.close()
  await redis.stop()
  rmSync(folder, { recursive: true })
})

it('fetches the same list as one process does, with an offer and three workers of which one is killed', async () => {
  const { plain, fleet, list } = await twoCrawls()
  await done('fetch', plain)
  await done('updatedb', plain)
  await restAndForget()

  const first = worker(fleet)
  const offer = start('fetch', fleet, '--redis', redis.address, '--no-work')
  // Alone until it has written a part, so that there is more than one writer in the end.
  while (writers(fleet).size === 0) await sleep(50)
  const [killed = ''] = writers(fleet)
  const [second, third] = [worker(fleet), worker(fleet)]
  await askedFor(list.length / 2)
  await Promise.race([nextPartBy(killed, fleet), offer.ended])
  await first.kill()
  expect(await offer.ended).toMatchObject({ exitCode: 0 })
  second.interrupt('SIGINT')
  third.interrupt('SIGTERM')
  for (const one of [second, third]) expect([0, 1]).toContain((await one.ended).exitCode)
  expect(violationsOf(web, Number.POSITIVE_INFINITY)).toEqual([])
  expect(writers(fleet).size).toBeGreaterThan(1)

  await done('updatedb', fleet)
  const [state, wanted] = [await readCrawlState(fleet), await readCrawlState(plain)]
  expect(state.records).toEqual(wanted.records)
  expect(lastOf(state).remaining).toEqual([])
  // Redirects were followed.
  expect(lastOf(state).rows.some((url) => !list.includes(url))).toBe(true)
  expect(lastOf(state).pages).toEqual(lastOf(wanted).pages)
})

it.runIf(s3 !== undefined)(
  'fetches the same list with workers that share no files, and segments in an object store',
  async () => {
    const { plain, fleet, list } = await twoCrawls()
    await done('fetch', plain)
    await done('updatedb', plain)
    await restAndForget()

    const place = s3?.newPlace() ?? ''
    // Puts the segments that the directory has. No result is merged, so the exit code is 1.
    expect((await start('updatedb', fleet, '--segments', place).ended).exitCode).toBe(1)
    const machines = ['one', 'two'].map((name) => join(folder, name))
    const workers = machines.map((dir) =>
      start(...['worker', '--dir', dir, '--segments', place], '--redis', redis.address, '--threads', '1'),
    )
    const offer = start('fetch', fleet, '--redis', redis.address, '--no-work')
    await askedFor(list.length / 2)
    // One machine fails for good: what it had not put is fetched again.
    await workers[0]?.kill()
    expect(await offer.ended).toMatchObject({ exitCode: 0 })
    workers[1]?.interrupt()
    expect((await workers[1]?.ended)?.exitCode).toBe(0)
    expect(violationsOf(web, Number.POSITIVE_INFINITY)).toEqual([])
    for (const dir of machines) expect(readdirSync(dir)).not.toContain('crawldb.duckdb')

    await done('updatedb', fleet)
    const [state, wanted] = [await readCrawlState(fleet), await readCrawlState(plain)]
    expect(state.records).toEqual(wanted.records)
    expect(lastOf(state).remaining).toEqual([])
    expect(lastOf(state).pages).toEqual(lastOf(wanted).pages)
  },
  TIMEOUT_MS,
)

it('continues after the offer was interrupted and after it was killed, and fetches few pages twice', async () => {
  const { fleet, list } = await twoCrawls()
  web.reset()
  const helper = worker(fleet)
  const one = start('fetch', fleet, '--redis', redis.address, '--no-work')
  await askedFor(list.length / 5)
  one.interrupt()
  expect(await one.ended).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining('Resume with: orbweaver fetch'),
  })
  const before = web.requested.length
  const two = start('fetch', fleet, '--redis', redis.address)
  await askedFor(list.length / 2)
  await two.kill()
  const askedMeanwhile = web.requested.length - before
  const three = start('fetch', fleet, '--redis', redis.address)
  expect(await three.ended).toMatchObject({ exitCode: 0 })
  helper.interrupt()
  expect(await helper.ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(' fetched') })

  expect(violationsOf(web, Number.POSITIVE_INFINITY)).toEqual([])
  const pages = web.requested.filter(({ url }) => !url.endsWith('/robots.txt')).map(({ url }) => url)
  // Only pages that the killed process was fetching or had not written; none of the interrupted one.
  expect(pages.length - new Set(pages).size).toBeLessThanOrEqual(askedMeanwhile)
  expect(lastOf(await readCrawlState(fleet)).remaining).toEqual([])
})

/** Two equal directories with a fetch list of which nothing is fetched. */
async function twoCrawls(): Promise<{ plain: string; fleet: string; list: readonly string[] }> {
  writeFileSync(
    join(folder, 'orbweaver.config.json'),
    JSON.stringify({
      agent: { email: 'test@example.org' },
      // Error responses of the test sites must not pause their hosts.
      politeness: { delaySeconds: DELAY_MS / 1000, backoffSeconds: 0.05, maxFailures: false, threads: 4 },
      redis: { leaseSeconds: 3 },
    }),
  )
  const plain = join(folder, 'plain')
  const fleet = join(folder, 'fleet')
  await done('crawl', plain, ...web.seeds, '--rounds', '2')
  await done('generate', plain)
  cpSync(plain, fleet, { recursive: true })
  requested = 0
  const list = lastOf(await readCrawlState(plain)).remaining
  return { plain, fleet, list }
}

function lastOf({ segments }: CrawlState) {
  const segment = segments.at(-1)
  if (segment === undefined) throw new Error('there is no segment')
  return segment
}

/** It takes few hosts at a time, so that others are left for the other workers. */
function worker(dir: string): FleetWorker {
  return start('worker', '--dir', dir, '--redis', redis.address, '--threads', '1')
}

function start(...args: string[]): FleetWorker {
  const process = new FleetWorker(args)
  processes.push(process)
  return process
}

async function done(...args: string[]): Promise<void> {
  const { exitCode, stderr } = await start(...args).ended
  expect(exitCode, stderr).toBe(0)
}

async function askedFor(pages: number): Promise<void> {
  while (requested < pages) await sleep(10)
}

/** The directory of the fleet is another crawl, which does not know the requests of the plain one. */
async function restAndForget(): Promise<void> {
  await sleep(1_000)
  web.reset()
  requested = 0
}

/** The names of the processes that wrote parts of the last segment. */
function writers(dir: string): Set<string> {
  const folder = fetchFolder(dir)
  const parts = existsSync(folder) ? readdirSync(folder) : []
  return new Set(parts.flatMap((name) => writerOf(name) ?? []))
}

/** Resolves when the next part of this process has its final name, before the process settles its requests: the others fetch them again. */
function nextPartBy(writer: string, dir: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(fetchFolder(dir), { persistent: false }, (_event, name) => {
      if (name === null || writerOf(name) !== writer) return
      watcher.close()
      resolve()
    })
  })
}

function fetchFolder(dir: string): string {
  const segments = readdirSync(join(dir, 'segments')).sort()
  return join(dir, 'segments', segments.at(-1) ?? '', 'crawl_fetch')
}

function writerOf(file: string): string | undefined {
  return /^part-.*-(w\w+)\.parquet$/.exec(file)?.[1]
}
