import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { slotOf } from '../../src/adapters/redis/shards.ts'
import { command, commandJson } from '../../testing/command-line.ts'
import { ownerOf } from '../../testing/move-slot.ts'
import { type RedisCluster, startRedisCluster } from '../../testing/redis-server.ts'
import { ServedDirectory } from '../../testing/served-directory.ts'
import { type LimitedWorkerOptions, startLimitedWorker } from '../fleet/limited-fleet.ts'
import { type LoggedSites, type SiteResponse, serveLoggedSites } from '../fleet/logged-sites.ts'

/** A worker takes 8 hosts at most, so two workers get some. */
const HOSTS = 16
const PAGES = 3
const SHARDS = 4

const TIMEOUT_MS = 240_000

describe('a crawl with shards in a cluster', { timeout: TIMEOUT_MS }, () => {
  let cluster: RedisCluster
  let folder: string
  let sites: LoggedSites
  let jobs = 0
  let job: string

  beforeAll(async () => {
    cluster = await startRedisCluster()
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-cluster-commands-'))
  })
  afterEach(() => sites.close())
  afterAll(async () => {
    await cluster.stop()
    rmSync(folder, { recursive: true })
  })

  it('is controlled, read and filled by the commands for crawls in Redis', async () => {
    let isBroken = true
    await serve((host, path) => ({ status: isBroken && path === '/2' && host === '127.2.0.3' ? 404 : 200 }))
    await done(await start('first', ['--max-pages', '10']).ended)
    expect(sites.log).toHaveLength(10)
    expect(await status()).toMatchObject({ shards: SHARDS, counts: { done: 10 } })

    await ran('pause', 0)
    expect((await command(['status', job, ...redis()])).stdout).toContain('paused')
    await ran('resume', 0)
    expect((await ran('push', 0, `${sites.starts[0]}pushed`)).stdout).toContain('1 start URL pushed')
    await done(await start('second', []).ended)
    expect((await ran('failed', 0)).stdout).toContain('127.2.0.3')
    isBroken = false
    await ran('failed', 0, '--retry')
    await done(await start('third', []).ended)
    expect((await ran('failed', 1)).stdout).toContain('no request has failed')

    const file = join(folder, 'items.jsonl')
    await ran('items', 0, '--out', file, '--overwrite')
    const urls = readFileSync(file, 'utf8').trim().split('\n')
    expect(new Set(urls).size).toBe(HOSTS * (PAGES + 1) + 1)
    expect(urls).toHaveLength(HOSTS * (PAGES + 1) + 1)

    const served = await ServedDirectory.start('--redis', cluster.address)
    try {
      const { crawls } = (await (await fetch(new URL('/api/crawls', served.url))).json()) as {
        crawls: Array<{ id: string }>
      }
      expect(crawls.map(({ id }) => id)).toContain(job)
      const report = await fetch(new URL(`/api/live/report?crawl=${job}`, served.url))
      expect(await report.text()).toContain('"pages"')
    } finally {
      await served.stop()
    }
    await ran('drain', 0)
    const late = await start('late', []).ended
    expect(`${late.stdout}${late.stderr}`).toContain('draining')
    await ran('clear', 0, '--items', '--yes')
    expect(await status()).toBeNull()
  })

  it('keeps its number of shards, whatever a worker or a configuration names', async () => {
    await serve()
    await done(await start('first', ['--max-pages', '4']).ended)
    const other = await start('other', ['--shards', '8']).ended
    expect(other.exitCode).toBe(2)
    expect(other.stderr.trim().split('\n')).toHaveLength(1)
    expect(other.stderr).toContain(`created with ${SHARDS} shards, not 8`)
    // Commands that create no crawl use the number that it has.
    const config = join(folder, 'other.json')
    writeFileSync(config, JSON.stringify({ redis: { shards: 8 } }))
    for (const args of [['status'], ['items', '--out', join(folder, 'some.jsonl')], ['pause'], ['resume']])
      expect(await ran(args[0] ?? '', 0, ...args.slice(1), '--config', config)).toMatchObject({ stderr: '' })
    // So does a worker without a number.
    await done(await start('unnumbered', [], {}, []).ended)
    expect(sites.log.length).toBe(HOSTS * (PAGES + 1))
  })

  it('has one page limit for all of its workers', async () => {
    await serve()
    const options = { limits: { maxPagesPerHost: 3 } }
    const workers = ['a', 'b'].map((name) => start(name, ['--max-pages', '30'], options))
    for (const { ended } of workers) await done(await ended)
    expect(sites.log).toHaveLength(30)
    await done(await start('last', [], options).ended)
    const pagesOf = (wanted: string) => sites.log.filter(({ host }) => host === wanted).length
    const hosts = new Set(sites.log.map(({ host }) => host))
    expect([...hosts].map(pagesOf)).toEqual(Array(HOSTS).fill(3))
  })

  it('moves cookies with the hosts', async () => {
    await serve((host, path, cookie): SiteResponse => {
      if (path === '/') return { status: 200, setCookie: `sid=${host}; Path=/` }
      return { status: cookie === `sid=${host}` ? 200 : 403 }
    })
    await done(await start('a', ['--cookies', '--max-pages', '30']).ended)
    await done(await start('b', ['--cookies']).ended)
    const workersOf = (wanted: string) =>
      new Set(sites.log.filter(({ host }) => host === wanted).map(({ worker }) => worker)).size
    expect(sites.log.filter(({ host }) => workersOf(host) === 2).length).toBeGreaterThan(0)
    expect(sites.log.map(({ status }) => status)).toEqual(Array(HOSTS * (PAGES + 1)).fill(200))
  })

  it('takes the requests of scrapy-redis', async () => {
    await serve()
    const key = `{${job}}:requests`
    const node = await ownerOf(cluster, slotOf(key))
    for (const start of sites.starts)
      await node.command('zadd', key, '0', `(dp0\nVurl\np1\nV${start}\np2\nsVcallback\np3\nNs.`)
    const imported = await command(['import-scrapy-redis', job, ...redis(), '--shards', String(SHARDS)])
    expect(imported, imported.stderr).toMatchObject({ exitCode: 0 })
    expect(imported.stdout).toContain(`${HOSTS} requests imported`)
    expect(await status()).toMatchObject({ shards: SHARDS, counts: { waiting: HOSTS } })
    await done(await start('first', []).ended)
    expect(sites.log).toHaveLength(HOSTS * (PAGES + 1))
  })

  it('fetches lists of the cycle', async () => {
    await serve()
    const dir = join(folder, 'cycle')
    await commandDone(['inject', dir, ...sites.starts])
    await commandDone(['generate', dir])
    await commandDone(['fetch', dir, ...redis(), '--shards', String(SHARDS), ...QUICK])
    await commandDone(['updatedb', dir])
    await commandDone(['generate', dir])
    const other = await command(['fetch', dir, ...redis(), '--shards', '8', ...QUICK])
    expect(other.exitCode).toBe(2)
    expect(other.stderr).toContain(`created with ${SHARDS} shards, not 8`)
    const worker = command(['worker', '--dir', dir, ...redis(), '--once', ...QUICK])
    await commandDone(['fetch', dir, ...redis(), ...QUICK])
    expect([0, 1]).toContain((await worker).exitCode)
    await commandDone(['updatedb', dir])
    const { statuses } = await commandJson<{ statuses: unknown }>(['readdb', dir, '--stats'])
    expect(JSON.stringify(statuses)).toContain(String(HOSTS * (PAGES + 1)))
    expect(sites.log).toHaveLength(HOSTS * (PAGES + 1))
  })

  async function serve(respondTo?: Parameters<typeof serveLoggedSites>[2]): Promise<void> {
    sites = await serveLoggedSites(HOSTS, PAGES, respondTo)
    job = `job-${++jobs}`
  }

  function start(
    name: string,
    flags: readonly string[],
    options: LimitedWorkerOptions = {},
    shards: readonly string[] = ['--shards', String(SHARDS)],
  ) {
    const numbers = flags.includes('--shards') ? [] : shards
    const all = ['--job', job, ...numbers, ...flags]
    return startLimitedWorker(folder, sites, cluster, name, { ...options, flags: all })
  }

  function redis(): string[] {
    return ['--redis', cluster.address]
  }

  async function status(): Promise<unknown> {
    return commandJson(['status', job, ...redis()])
  }

  async function ran(name: string, exitCode: number, ...args: readonly string[]) {
    const ended = await command([name, job, ...redis(), ...args])
    expect(ended.exitCode, `${name}: ${ended.stdout}${ended.stderr}`).toBe(exitCode)
    return ended
  }
})

const QUICK = ['--delay', '0', '--email', 'test@localhost', '--parse-threads', '0']

function done({ exitCode, stdout, stderr }: { exitCode: number | null; stdout: string; stderr: string }) {
  expect(exitCode, `${stdout}${stderr}`).toBe(0)
}

async function commandDone(args: readonly string[]): Promise<void> {
  done(await command(args))
}
