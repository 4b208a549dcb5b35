import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson } from '../../testing/command-line.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import type { CrawlSnapshot } from '../adapters/redis/inspect-crawl.ts'
import { type OpenedRedisFrontier, openRedisFrontier } from '../adapters/redis/open-redis-frontier.ts'
import type { CrawlRequest } from '../domain/frontier/crawl-request.ts'
import { run } from './main.ts'

let server: RedisServer
let spider: string
let spiders = 0
let worker: OpenedRedisFrontier

beforeAll(async () => {
  server = await startRedis()
})
beforeEach(async () => {
  spider = `books-${++spiders}`
  worker = await openRedisFrontier(server.address, spider, {
    name: 'first\x1b[31m',
    status: () => ({ pages: 1234, pagesPerSecond: 5.25 }),
  })
})
afterEach(() => worker.close())
afterAll(() => server?.stop())

describe('status', () => {
  const args = () => ['status', spider, '--redis', server.address]

  it('shows the queue, the hosts and the workers', async () => {
    await begin()
    const { exitCode, stdout } = await command(args())
    expect(exitCode).toBe(0)
    expect(stdout.replace(/ +[\d.]+ m?s ago/, '  just now').replace(/next at [^)]*/, 'next at …')).toBe(
      [
        spider,
        '  queue   1 waiting, 1 in flight, 1 delayed (1 scheduled by the spider; next at …)',
        '  done    1; 0 retried, 0 failed',
        '  seen    4 URLs; 1 duplicate dropped',
        '  items   2, 1 in Redis',
        '  hosts   1 held by workers, 1 waiting, 0 delayed',
        '  starts  3 start messages waiting',
        '',
        '1 worker',
        '              hosts  in flight  pages  pages/s  last report',
        '  first [31m      1          1  1,234      5.3  just now',
        '',
      ].join('\n'),
    )
  })

  it('prints one document with --json, and is not listed as a worker', async () => {
    await begin()
    const view = await commandJson<CrawlSnapshot>(args())
    expect(view).toMatchObject({
      startMessages: 3,
      counts: { waiting: 1, leased: 1, delayed: 1, done: 1, seen: 4, items: 2, itemsLeft: 1, heldHosts: 1 },
      workers: [{ fence: 1, hosts: 1, leased: 1, status: { pages: 1234 } }],
    })
    expect(view.workers).toHaveLength(1)
    expect(view.workers[0]?.heardAt).toBeLessThanOrEqual(view.now)
    expect(await worker.frontier.workers()).toHaveLength(1)
  })

  it('updates the report with --watch until Ctrl-C', async () => {
    await begin()
    const terminal = new TwoFrames()
    expect(await run([...args(), '--watch', '0.05'], terminal)).toBe(0)
    const [first, second] = terminal.stdout.trim().split(`\n\n${spider}\n`)
    expect(first).toContain('  done    1; 0 retried')
    expect(second).toContain('  done    1, 0.0/s; 0 retried')
    expect(terminal.stderr).toBe('')
  })

  it('shows errors by kind, and why requests and hosts are delayed', async () => {
    const { frontier, clock } = worker
    await frontier.add(['a', 'b', 'c'].map((host) => request(`http://${host}.test/`)))
    const leases = await frontier.lease({ requests: 3, perHost: 1, now: clock.now() })
    const ends = [
      { kind: 'failed', code: 'http-404', reason: 'no' },
      { kind: 'retry', at: clock.now() + 60_000, reason: 'network' },
      { kind: 'done' },
    ] as const
    const settlements = leases.map(({ requests: [lent] }, i) => ({
      ...{ id: lent?.id ?? '', end: ends[i] ?? { kind: 'done' }, items: [], rejected: [] },
      requests: i === 2 ? [request('http://c.test/2')] : [],
    }))
    const throttle = { readyAt: clock.now() + 60_000, failures: 2, crawlDelayMs: 0, latencyMs: 1 }
    await frontier.settle(settlements, [{ key: 'c.test', ...throttle }])
    const { stdout } = await command(args())
    expect(stdout).toContain('1 delayed (1 retry; next at ')
    expect(stdout).toContain(
      `  done    1; 1 retried (1 network), 1 failed (1 http-404): orbweaver failed ${spider} --redis ${server.address}\n`,
    )
    expect(stdout).toContain('  hosts   0 held by workers, 0 waiting, 1 delayed (1 in back-off)\n')
    expect(stdout).not.toContain('warning')
  })

  it('warns when nothing was finished for four leases while requests wait', async () => {
    await begin()
    const ago = (ms: number) =>
      server.command('hset', `orbweaver:{${spider}}:counts`, 'activeAt', String(worker.clock.now() - ms))
    await ago(119_000)
    expect((await command(args())).stdout).not.toContain('warning')
    await ago(125_000)
    expect((await command(args())).stdout).toMatch(
      /\nwarning: no request was finished for 2 min \d+ s, although 2 are waiting or in flight\. Check/,
    )
    await command(['pause', spider, '--redis', server.address])
    expect((await command(args())).stdout).not.toContain('warning')
  })

  it('reports a finished crawl, with the command that starts it again', async () => {
    await worker.frontier.add([request('http://a.test/')])
    const [lease] = await worker.frontier.lease({ requests: 1, perHost: 1, now: worker.clock.now() })
    const id = lease?.requests[0]?.id ?? ''
    await worker.frontier.settle([{ id, end: { kind: 'done' }, requests: [], items: [], rejected: [] }])
    await worker.frontier.close()
    expect((await command(args())).stdout).toContain(
      `\nfinished: the queue is empty. To crawl again: orbweaver clear ${spider} --redis ${server.address}, then`,
    )
  })

  it('shows a worker that is lost', async () => {
    await begin()
    const name = (await server.command('zrange', `orbweaver:{${spider}}:workers`, '0', '0')).trim()
    await server.command('zadd', `orbweaver:{${spider}}:workers`, '1', name)
    expect((await command(args())).stdout).toMatch(/ ago, lost\n/)
  })

  it('shows the key of malformed start messages', async () => {
    await begin()
    await server.command('rpush', `${spider}:start_urls:malformed`, '{}')
    expect((await command(args())).stdout).toContain(
      `  starts  3 start messages waiting\n          1 start message could not be parsed: redis-cli LRANGE ${spider}:start_urls:malformed 0 -1\n`,
    )
  })

  it('shows a crawl that has only start messages', async () => {
    await command(['push', spider, 'http://a.test/', '--redis', server.address])
    const { exitCode, stdout } = await command(args())
    expect(exitCode).toBe(0)
    expect(stdout).toContain(
      `  starts  1 start message waiting\n\nno worker is running; to start one: orbweaver run <file> --redis ${server.address}\n`,
    )
  })

  it('exits with 1 if there is no such crawl', async () => {
    expect(await command(args())).toEqual({
      exitCode: 1,
      stdout: `there is no crawl named ${spider} in this Redis: its spider has not run with --redis, and no URL was pushed\n`,
      stderr: '',
    })
    expect(await command([...args(), '--json'])).toMatchObject({ exitCode: 1, stdout: 'null\n' })
    expect(await server.command('keys', `*${spider}*`)).toBe('')
  })

  it('exits with 3 if Redis cannot be reached, and suggests what to check', async () => {
    const { exitCode, stderr } = await command(['status', spider, '--redis', 'redis://127.0.0.1:1'])
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(
      /^error: cannot connect to Redis at redis:\/\/127\.0\.0\.1:1: .*redis-cli ping.*\n$/,
    )
  })

  it('rejects --watch with --json', async () => {
    const { exitCode, stderr } = await command([...args(), '--watch', '--json'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain("option '--watch [seconds]' cannot be used with option '--json'")
  })
})

/** Interrupts the command after two reports. */
class TwoFrames extends RecordingTerminal {
  #frames = 0

  override out(text: string): void {
    super.out(text)
    if (++this.#frames === 2) this.interrupt()
  }
}

/** One request of each kind. */
async function begin(): Promise<void> {
  const { frontier, clock } = worker
  const urls = ['http://a.test/1', 'http://a.test/2', 'http://a.test/1']
  await frontier.add(urls.map((url) => request(url)))
  await frontier.add([{ ...request('http://c.test/'), notBefore: clock.now() + 3_600_000 }])
  const [lease] = await frontier.lease({ requests: 2, perHost: 2, now: clock.now() })
  await frontier.add([request('http://b.test/')])
  const id = lease?.requests[0]?.id ?? ''
  await frontier.settle([
    { id, end: { kind: 'done' }, requests: [], items: [{ n: 1 }, { n: 2 }], rejected: [] },
  ])
  await server.command('lpop', `${spider}:items`)
  await server.command('rpush', `${spider}:start_urls`, 'http://d.test/', 'http://e.test/', 'nonsense')
  await frontier.renew()
}

function request(url: string): CrawlRequest {
  return { url, handler: 'parse', depth: 0 }
}
