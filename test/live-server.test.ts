import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../src/cli/main.ts'
import { runSpider } from '../src/wiring/run-spider.ts'
import { command, QUICK } from '../testing/command-line.ts'
import { LiveClient } from '../testing/live-client.ts'
import { RecordingTerminal } from '../testing/recording-terminal.ts'
import { startRedis } from '../testing/redis-server.ts'
import { ServedDirectory } from '../testing/served-directory.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../testing/synthetic-web.ts'
import { webSpider } from './spider/web-spider.ts'

/** The server of running crawls, with real crawls. */

let folder: string
let web: SyntheticWeb
/** Pages that may be sent now; the others wait. */
let allowed: number
let waiting: Array<() => void>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-live-'))
  web = await startSyntheticWeb({ hosts: 3, pages: 40 })
  allowed = 0
  waiting = []
  web.hold = (url) => {
    if (url.endsWith('/robots.txt')) return undefined
    if (allowed > 0) {
      allowed--
      return undefined
    }
    return new Promise((resolve) => waiting.push(resolve))
  }
})
afterEach(async () => {
  allow(Number.POSITIVE_INFINITY)
  await web.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Lets the web send so many more pages. */
function allow(pages: number): void {
  allowed += pages
  while (allowed > 0 && waiting.length > 0) {
    allowed--
    waiting.shift()?.()
  }
}

/** A terminal that tells the URL of the dashboard. */
class DashboardTerminal extends RecordingTerminal {
  readonly url = Promise.withResolvers<string>()

  override err(text: string): void {
    super.err(text)
    const [, url] = /Dashboard: (\S+)live\n/.exec(this.stderr) ?? []
    if (url !== undefined) this.url.resolve(url)
  }
}

describe('serve', () => {
  it('shows two directories, and a crawl of another process while it runs, before it starts and after it', async () => {
    const [idle, busy] = [join(folder, 'one', 'crawl'), join(folder, 'two', 'crawl')]
    for (const dir of [idle, busy]) await command(['inject', dir, web.seeds[0] ?? ''])
    const served = await ServedDirectory.start(idle, busy)
    const client = new LiveClient(served.url)
    try {
      expect((await client.crawls()).crawls).toMatchObject([
        { id: 'crawl', name: idle, state: 'idle', capabilities: ['search', 'reports', 'live'] },
        { id: 'crawl-2', name: busy, state: 'idle' },
      ])
      const messages = client.messages('crawl-2')
      expect((await messages.next()).value).toEqual({ state: 'idle' })
      // One stream sees the whole life of the crawl.
      const crawl = spawnOrbweaver(['crawl', busy, ...web.seeds, ...QUICK])
      const pages = async (wanted: number) => {
        for (;;) {
          const { value } = await messages.next()
          if (value?.state === 'running' && value.report.totals.pages >= wanted) return value.report
        }
      }
      expect(await pages(0)).toMatchObject({ kind: 'cycle', command: 'crawl', pid: crawl.pid })
      allow(5)
      const { totals, at } = await pages(1)
      allow(20)
      const later = await pages(totals.pages + 1)
      expect(later.at).toBeGreaterThan(at)
      expect((await client.crawls()).crawls.map(({ state }) => state)).toEqual(['idle', 'running'])
      const { hosts } = await client.get<{ hosts: unknown[] }>('live/hosts?crawl=crawl-2&sort=host')
      expect(hosts.length).toBeGreaterThan(0)
      expect(await client.act({ action: 'stop' }, 'crawl-2')).toMatchObject({ ok: true })
      allow(Number.POSITIVE_INFINITY)
      expect(await crawl.ended).toBe(3)
      for (;;) {
        const { value } = await messages.next()
        if (value?.state !== 'idle') continue
        expect(value.last?.totals.pages).toBeGreaterThan(totals.pages)
        break
      }
      await messages.return(undefined)
    } finally {
      expect(await served.stop()).toBe(0)
    }
  })

  it('has no actions with --read-only, and wants a long token', async () => {
    const dir = join(folder, 'crawl')
    await command(['inject', dir, web.seeds[0] ?? ''])
    const served = await ServedDirectory.start(dir, '--read-only')
    const client = new LiveClient(served.url)
    expect((await client.crawls()).access).toEqual({ readOnly: true, mayAct: false, acceptsToken: false })
    expect(await client.act({ action: 'stop' })).toMatchObject({ error: { code: 'method' } })
    await served.stop()
    expect(await command(['serve', dir, '--port', '0', '--token', 'short'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'error: the token must have at least 16 characters, without spaces; openssl rand -hex 16 generates one\n',
    })
  })
})

describe('crawl --serve', () => {
  it('shows the crawl of its own process, which a client pauses, resumes and stops', async () => {
    const dir = join(folder, 'crawl')
    const terminal = new DashboardTerminal()
    const ended = run(['crawl', dir, '--serve=0', ...web.seeds, ...QUICK], terminal)
    const url = await terminal.url.promise
    const client = new LiveClient(url)
    allow(3)
    const report = await client.reportWhen(({ totals }) => totals.pages > 0)
    expect(report).toMatchObject({ kind: 'cycle', name: dir, state: 'running', pid: process.pid })
    const { crawls } = await client.crawls()
    expect(crawls).toMatchObject([{ id: 'crawl', name: dir, capabilities: ['search', 'reports', 'live'] }])
    expect(await client.get('overview')).toMatchObject({ directory: dir, db: { hosts: 3 } })

    expect(await client.act({ action: 'pause' })).toMatchObject({ ok: true })
    allow(Number.POSITIVE_INFINITY)
    const paused = await client.reportWhen(({ state, inFlight }) => state === 'paused' && inFlight === 0)
    const requested = web.requested.length
    await client.reportWhen(({ at }) => at > paused.at + 2_000)
    expect(web.requested.length).toBe(requested)

    allowed = 5
    expect(await client.act({ action: 'resume' })).toMatchObject({ ok: true })
    await client.reportWhen(({ totals }) => totals.pages > paused.totals.pages)
    expect(await client.act({ action: 'stop' })).toMatchObject({ ok: true })
    allow(Number.POSITIVE_INFINITY)
    expect(await ended).toBe(3)
    expect(terminal.stderr).toContain(`The crawl has ended; its dashboard was at ${url}live\n`)
    await expect(fetch(url)).rejects.toThrow()
  })

  it('exits with 2 before the crawl starts if the port is in use or invalid', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const dir = join(folder, 'crawl')
    expect(await command(['crawl', dir, '--serve', String(port), ...web.seeds])).toMatchObject({
      exitCode: 2,
      stderr: `error: port ${port} of 127.0.0.1 is in use: choose another with --serve, or --serve 0 for any free port\n`,
    })
    other.close()
    expect(await command(['crawl', dir, '--serve=70000', ...web.seeds])).toMatchObject({
      exitCode: 2,
      stderr:
        'error: --serve is "70000"; give a port from 0 to 65535, or an address and a port, such as 127.0.0.1:8090\n',
    })
    expect([existsSync(dir), web.requested]).toEqual([false, []])
  })
})

describe('run --serve', () => {
  it('shows only the running spider if there is no directory', async () => {
    const file = join(folder, 'web.ts')
    const source = join(import.meta.dirname, 'spider/web-spider.ts')
    writeFileSync(
      file,
      `import { webSpider } from '${source}'\nexport default webSpider(${JSON.stringify(web.seeds)})\n`,
    )
    const terminal = new DashboardTerminal()
    const ended = run(['run', '--serve', '0', file], terminal)
    const client = new LiveClient(await terminal.url.promise)
    allow(3)
    const report = await client.reportWhen(({ totals }) => totals.items > 0)
    expect(report).toMatchObject({ kind: 'spider', name: 'web' })
    expect(report.items?.latest[0]?.item).toMatchObject({ title: expect.any(String) })
    expect((await client.crawls()).crawls).toMatchObject([
      { id: 'web', name: 'web', state: 'running', capabilities: ['live'] },
    ])
    expect(await client.get('overview')).toMatchObject({
      error: { message: 'web has no crawl directory: only /api/live is available.' },
    })
    await client.act({ action: 'stop' })
    allow(Number.POSITIVE_INFINITY)
    expect(await ended).toBe(3)
  })
})

describe('serve --redis', () => {
  it('shows the two workers of a fleet, and pauses, resumes and stops both', async () => {
    const redis = await startRedis()
    // A worker hears of a new state within a sixth of a lease.
    const settings = {
      redis: { leaseSeconds: 6 },
      politeness: { threads: 1, maxFailures: false },
    } as const
    const start = () => runSpider(webSpider(web.seeds), { redis: redis.address, settings })
    const served = await ServedDirectory.start('web', 'nothing', '--redis', redis.address)
    const client = new LiveClient(served.url)
    try {
      expect((await client.crawls()).crawls).toMatchObject([
        { id: 'web', state: 'idle', capabilities: ['live'] },
        { id: 'nothing', state: 'idle' },
      ])
      const workers = [start(), start()]
      allow(8)
      const report = await client.reportWhen(
        ({ fleet, totals }) =>
          totals.pages > 2 &&
          fleet?.workers.length === 2 &&
          fleet.workers.every(({ pages }) => pages !== undefined),
      )
      expect(report).toMatchObject({ kind: 'fleet', name: 'web', state: 'running', activity: '2 workers' })
      expect(report.fleet?.queue.seen).toBeGreaterThan(0)
      const { hosts } = await client.get<{ hosts: Array<{ host: string; worker?: string }> }>('live/hosts')
      expect(hosts.some(({ worker }) => worker !== undefined)).toBe(true)

      expect(await client.act({ action: 'pause' })).toMatchObject({ ok: true })
      allow(Number.POSITIVE_INFINITY)
      const paused = await client.reportWhen(({ state, inFlight }) => state === 'paused' && inFlight === 0)
      const requested = web.requested.length
      await client.reportWhen(({ at }) => at > paused.at + 2_500)
      expect(web.requested.length).toBe(requested)

      expect(await client.act({ action: 'resume' })).toMatchObject({ ok: true })
      await client.reportWhen(({ totals }) => totals.pages > paused.totals.pages)
      expect(await client.act({ action: 'stop' })).toMatchObject({ ok: true })
      const ends = (await Promise.all(workers)).map(({ ended }) => ended)
      expect(ends.every((end) => end === 'drained' || end === 'finished')).toBe(true)
    } finally {
      await served.stop()
      await redis.stop()
    }
  })

  it('exits with 3 if Redis cannot be reached', async () => {
    const { exitCode, stderr } = await command([
      'serve',
      'web',
      '--redis',
      'redis://127.0.0.1:1',
      '--port',
      '0',
    ])
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/^error: .*127\.0\.0\.1:1/)
  })
})

interface OrbweaverProcess {
  readonly pid: number | undefined
  /** The exit code. */
  readonly ended: Promise<number | null>
}

function spawnOrbweaver(args: readonly string[]): OrbweaverProcess {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../testing/orbweaver-process.ts'), ...args],
    { stdio: 'ignore' },
  )
  return { pid: child.pid, ended: new Promise((resolve) => child.once('close', resolve)) }
}
