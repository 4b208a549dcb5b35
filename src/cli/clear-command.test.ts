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
  worker = await openRedisFrontier(server.address, crawl)
  await worker.frontier.add(
    ['http://a.test/', 'http://b.test/'].map((url) => ({ url, handler: 'parse', depth: 0 })),
  )
})
afterEach(async () => {
  await worker.close()
})
afterAll(() => server?.stop())

const on = (name: string, ...flags: string[]) => command([name, crawl, '--redis', server.address, ...flags])
const lease = () => worker.frontier.lease({ requests: 1, perHost: 1, now: worker.clock.now() })

describe('clear', () => {
  const clear = (...flags: string[]) => on('clear', ...flags)

  beforeEach(async () => {
    await server.command('rpush', `${crawl}:items`, '{}', '{}')
    await server.command('rpush', `${crawl}:start_urls`, 'http://c.test/')
  })
  afterEach(() => server.command('flushall'))

  it('without --yes, only shows what would be deleted', async () => {
    await worker.frontier.close()
    expect(await clear()).toEqual({
      exitCode: 1,
      stdout:
        'nothing was deleted. --yes deletes 2 pending requests, 2 seen URLs, 0 failed requests; kept: 2 items (--items), 1 start message (--starts)\n',
      stderr: '',
    })
    expect((await on('status')).stdout).toContain('2 waiting')
  })

  it('deletes a crawl, and its items and start messages only with --items and --starts', async () => {
    await worker.frontier.close()
    expect(await clear('--yes')).toMatchObject({
      exitCode: 0,
      stdout: `${crawl} was deleted: 2 pending requests, 2 seen URLs, 0 failed requests; kept: 2 items (--items), 1 start message (--starts)\n`,
    })
    expect((await on('status')).stdout).toMatch(/0 waiting.*2 in Redis.*1 start message/s)
    expect(
      await commandJson(['clear', crawl, '--redis', server.address, '--yes', '--items', '--starts']),
    ).toEqual({
      crawl,
      cleared: true,
      removed: { requests: 0, seen: 0, failed: 0, items: 2, startMessages: 1 },
    })
    expect(await clear('--yes')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('there is no crawl'),
    })
    expect(await server.command('keys', '*')).toBe(`orbweaver:{${crawl}}:counts`)
  })

  it('is rejected while the crawl has workers, unless with --force', async () => {
    expect(await clear('--yes')).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringMatching(/has 1 worker; nothing was deleted. .*orbweaver drain .*--force/),
    })
    expect((await on('status')).stdout).toContain('2 waiting')
    expect(await clear('--yes', '--force')).toMatchObject({ exitCode: 0 })
    await expect(lease()).rejects.toThrow(/lost the crawl/)
  })
})
