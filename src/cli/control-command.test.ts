import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson } from '../../testing/command-line.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { type OpenedRedisFrontier, openRedisFrontier } from '../adapters/redis/open-redis-frontier.ts'

let server: RedisServer
let crawl: string
let crawls = 0
let worker: OpenedRedisFrontier

beforeAll(async () => {
  server = await startRedis()
})
beforeEach(async () => {
  crawl = `books-${++crawls}`
  worker = await openRedisFrontier(server.address, crawl, { order: 'fifo' })
  await worker.frontier.add(
    ['http://a.test/', 'http://b.test/'].map((url) => ({ url, handler: 'parse', depth: 0 })),
  )
})
afterEach(async () => {
  delete process.env['ORBWEAVER_REDIS_URL']
  await worker.close()
})
afterAll(() => server?.stop())

const on = (name: string, ...flags: string[]) => command([name, crawl, '--redis', server.address, ...flags])
const lease = () => worker.frontier.lease({ requests: 1, perHost: 1, now: worker.clock.now() })

describe('pause, drain and resume', () => {
  it('pause a crawl until it is resumed, and status shows it', async () => {
    const { exitCode, stdout } = await on('pause')
    expect(exitCode).toBe(0)
    expect(stdout).toBe(
      `${crawl} is paused. Its workers (1) finish their current requests and wait. To resume: orbweaver resume ${crawl} --redis ${server.address}\n`,
    )
    expect(await lease()).toEqual([])
    expect((await on('status')).stdout).toContain(
      `  state   paused; to resume: orbweaver resume ${crawl} --redis ${server.address}\n`,
    )
    expect((await on('pause')).stdout).toMatch(/is paused already/)
    expect(await on('resume')).toMatchObject({
      exitCode: 0,
      stdout: `${crawl} was paused, and is resumed with 1 worker\n`,
    })
    expect((await on('resume')).stdout).toMatch(/neither paused nor draining: there is nothing to resume/)
    expect(await lease()).toHaveLength(1)
    expect((await on('status')).stdout).not.toContain('state')
  })

  it('drain a crawl in the same way', async () => {
    expect(await commandJson(['drain', crawl, '--redis', server.address])).toEqual({
      crawl,
      state: 'draining',
      before: null,
      workers: 1,
    })
    expect(await commandJson(['status', crawl, '--redis', server.address])).toMatchObject({
      state: 'draining',
    })
    expect(await lease()).toEqual([])
    expect(worker.frontier.state).toBe('draining')
    await worker.frontier.close()
    expect((await on('resume')).stdout).toBe(
      `${crawl} was draining, and is resumed; it has no worker: orbweaver run <file> --redis ${server.address}\n`,
    )
  })

  it('report the state that they replace', async () => {
    await on('drain')
    expect((await on('pause')).stdout).toContain(`${crawl} was draining, and is paused now. `)
    expect((await on('drain')).stdout).toContain(`${crawl} was paused, and is draining now. `)
    expect((await on('drain')).stdout).toContain('is draining already')
  })

  it('read the URL of Redis from the environment', async () => {
    process.env['ORBWEAVER_REDIS_URL'] = server.address
    expect(await command(['pause', crawl])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/To resume: orbweaver resume books-\d+\n$/),
    })
    expect(await command(['pause', crawl, '--redis'])).toMatchObject({ exitCode: 0 })
    expect(await lease()).toEqual([])
  })

  it('report a missing URL of Redis', async () => {
    const { exitCode, stderr } = await command(['pause', crawl])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^error: which Redis\? Name it with --redis .*ORBWEAVER_REDIS_URL.* redis\.url/)
    expect(stderr).toContain(`There is no crawl directory ${crawl}, either`)
  })

  it.each(['pause', 'resume', 'drain'])(
    '%s exits with 1 if there is no such crawl, and creates none',
    async (name) => {
      expect(await command([name, 'unknown', '--redis', server.address])).toMatchObject({
        exitCode: 1,
        stdout: expect.stringContaining('there is no crawl named unknown'),
      })
      expect(await server.command('keys', '*unknown*')).toBe('')
    },
  )
})

it('requeues failed requests in any order of the crawl', async () => {
  const [lent] = await lease()
  const id = lent?.requests[0]?.id ?? ''
  const end = { kind: 'failed', code: 'http-500', reason: 'no' } as const
  await worker.frontier.settle([{ id, end, requests: [], items: [], rejected: [] }])
  expect(await on('failed', '--retry')).toMatchObject({
    exitCode: 0,
    stdout: `1 request requeued; to continue: orbweaver run <file> --redis ${server.address}\n`,
  })
})
