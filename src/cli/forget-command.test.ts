import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson } from '../../testing/command-line.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { openRedisFrontier } from '../adapters/redis/open-redis-frontier.ts'
import type { SeenOptions } from '../adapters/redis/seen-options.ts'

let server: RedisServer
let crawl: string
let crawls = 0

beforeAll(async () => {
  server = await startRedis()
})
beforeEach(() => {
  crawl = `books-${++crawls}`
})
afterAll(() => server?.stop())

/** Adds the URLs to the queue and returns the number of those that were new. */
async function addRequests(urls: readonly string[], seen: SeenOptions = {}): Promise<number> {
  const { frontier, close } = await openRedisFrontier(server.address, crawl, { seen })
  const { added } = await frontier.add(urls.map((url) => ({ url, handler: 'parse', depth: 0 })))
  await close()
  return added
}
const forget = (urls: readonly string[], input = '') =>
  command(['forget', crawl, ...urls, '--redis', server.address], input)

describe('forget', () => {
  it('removes URLs from the seen set, and reports how many were known', async () => {
    await addRequests(['http://a.test/1', 'http://a.test/2'])
    expect(await forget(['HTTP://a.test/1#top', 'http://a.test/none'])).toEqual({
      exitCode: 0,
      stdout: '1 URL forgotten; 1 not known\n',
      stderr: '',
    })
    expect(await addRequests(['http://a.test/1', 'http://a.test/2'])).toBe(1)
  })

  it('reads lines from standard input, and lists invalid URLs', async () => {
    await addRequests(['http://a.test/1'])
    const { exitCode, stdout } = await forget(['-'], 'http://a.test/1\nftp://a.test/\n')
    expect(exitCode).toBe(2)
    expect(stdout).toMatch(/^1 URL forgotten; 1 invalid URL\n {2}stdin:2 {2}ftp:\/\/a\.test\/ /)
  })

  it('reports that the URL is forgotten for Python workers, too', async () => {
    await addRequests(['http://a.test/1'], { dupefilter: 'scrapy-b' })
    expect((await forget(['http://a.test/1'])).stdout).toBe(
      `1 URL forgotten in dupefilter scrapy-b in ${crawl}:dupefilter\n`,
    )
    expect(await server.command('scard', `${crawl}:dupefilter`)).toBe('0')
  })

  it('exits with 1 if no URL was known', async () => {
    expect(await forget(['http://a.test/'])).toMatchObject({
      exitCode: 1,
      stdout: '0 URLs forgotten; 1 not known\n',
      stderr: expect.stringContaining(`note: there is no crawl named ${crawl} in this Redis`),
    })
    expect(await commandJson(['forget', crawl, 'http://a.test/', '--redis', server.address])).toMatchObject({
      urls: 1,
      known: 0,
      rejected: 0,
    })
  })

  it('rejects an invalid name of a crawl', async () => {
    expect(await command(['forget', 'no name', 'http://a.test/', '--redis', server.address])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('cannot be called'),
    })
  })
})
