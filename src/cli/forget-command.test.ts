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

/** How many of the URLs are new to the crawl; they are not afterwards. */
async function ask(urls: readonly string[], seen: SeenOptions = {}): Promise<number> {
  const { frontier, close } = await openRedisFrontier(server.address, crawl, { seen })
  const { added } = await frontier.add(urls.map((url) => ({ url, handler: 'parse', depth: 0 })))
  await close()
  return added
}
const forget = (urls: readonly string[], input = '') =>
  command(['forget', crawl, ...urls, '--redis', server.address], input)

describe('forget', () => {
  it('makes URLs new again, and says how many were known', async () => {
    await ask(['http://a.test/1', 'http://a.test/2'])
    expect(await forget(['HTTP://a.test/1#top', 'http://a.test/none'])).toEqual({
      exitCode: 0,
      stdout: '1 URL forgotten; 1 not known\n',
      stderr: '',
    })
    expect(await ask(['http://a.test/1', 'http://a.test/2'])).toBe(1)
  })

  it('reads lines from standard input, and tells those that are no URLs', async () => {
    await ask(['http://a.test/1'])
    const { exitCode, stdout } = await forget(['-'], 'http://a.test/1\nftp://a.test/\n')
    expect(exitCode).toBe(2)
    expect(stdout).toMatch(/^1 URL forgotten; 1 line no URL\n {2}stdin:2 {2}ftp:\/\/a\.test\/ /)
  })

  it("says when it is forgotten for Python's workers, too", async () => {
    await ask(['http://a.test/1'], { dupefilter: 'scrapy-b' })
    expect((await forget(['http://a.test/1'])).stdout).toBe(
      `1 URL forgotten in dupefilter scrapy-b in ${crawl}:dupefilter\n`,
    )
    expect(await server.command('scard', `${crawl}:dupefilter`)).toBe('0')
  })

  it('ends with 1 when it knew none of them', async () => {
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

  it('refuses a name that no crawl can have', async () => {
    expect(await command(['forget', 'no name', 'http://a.test/', '--redis', server.address])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('cannot be called'),
    })
  })
})
