import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson } from '../../testing/command-line.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'

let server: RedisServer
let spider: string
let spiders = 0

beforeAll(async () => {
  server = await startRedis()
})
beforeEach(() => {
  spider = `books-${++spiders}`
})
afterAll(() => server?.stop())

const bring = (...flags: string[]) =>
  command(['import-scrapy-redis', spider, '--redis', server.address, ...flags])

/** A pickle of protocol 0, which is text: `{'url': …, 'callback': …}`. */
async function push(url: string, callback = 'N'): Promise<void> {
  const pickle = `(dp0\nVurl\np1\nV${url}\np2\nsVcallback\np3\n${callback === 'N' ? 'N' : `V${callback}\np4\n`}s.`
  await server.command('zadd', `${spider}:requests`, '0', pickle)
}

describe('import-scrapy-redis', () => {
  it('moves the requests, and says what the spider must have', async () => {
    await push('http://a.test/1')
    await push('http://a.test/2', 'parse_book')
    expect(await bring()).toEqual({
      exitCode: 0,
      stdout:
        `2 requests imported from ${spider}:requests to the crawl ${spider}\n` +
        'handlers   1 parse, 1 parse_book\n' +
        'seen       nothing: the crawl has a seen set of its own\n',
      stderr: '',
    })
    const status = await commandJson(['status', spider, '--redis', server.address])
    expect(status).toMatchObject({ counts: { waiting: 2, seen: 2 }, workers: [] })
    expect((await bring()).exitCode).toBe(1)
  })

  it('shows with --dry-run what would happen', async () => {
    await push('http://a.test/1')
    expect((await bring('--dry-run')).stdout).toMatch(/^1 request would be imported from/)
    expect(await server.command('zcard', `${spider}:requests`)).toBe('1')
    expect(await commandJson(['status', spider, '--redis', server.address])).toBeNull()
  })

  it('warns of what it cannot read, and moves nothing when that is all', async () => {
    await server.command('zadd', `${spider}:requests`, '0', "cos\nsystem\n(S'echo hi'\ntR.")
    const first = await bring()
    expect(first).toMatchObject({ exitCode: 3, stdout: '' })
    expect(first.stderr).toMatch(
      new RegExp(
        `^nothing was moved: no request in ${spider}:requests can be read \\(1 request\\)\n {2}GLOBAL`,
      ),
    )
    expect(await server.command('zcard', `${spider}:requests`)).toBe('1')
    await push('http://a.test/1')
    expect(await bring()).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(
        `warning: 1 request could not be read; kept in ${spider}:requests:unreadable`,
      ),
    })
    expect(await server.command('llen', `${spider}:requests:unreadable`)).toBe('1')
  })

  it('takes the callbacks of the rules of a CrawlSpider', async () => {
    const made = (rule: number) =>
      JSON.stringify({ url: `http://a.test/${rule}`, callback: '_callback', meta: { rule } })
    await server.command('zadd', `${spider}:requests`, '0', made(0), '0', made(1))
    expect(await bring()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Nothing was moved') })
    expect(await bring('--rules', 'parse-item')).toMatchObject({ exitCode: 2 })
    expect(await bring('--rules', 'parse_item:follow,-')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('handlers   1 parse_item, 1 $rules'),
    })
  })

  it('says what to do when it cannot tell whose fingerprints there are', async () => {
    await push('http://a.test/1')
    await server.command('sadd', `${spider}:dupefilter`, 'x')
    expect(await bring()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Give --family a') })
    expect(await bring('--family', 'b')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(
        `1 in ${spider}:dupefilter, with fingerprints scrapy-b; the crawl goes by them`,
      ),
    })
  })

  it('gives programs one document', async () => {
    await push('http://a.test/1')
    expect(
      await commandJson(['import-scrapy-redis', spider, '--redis', server.address, '--crawl', `${spider}-2`]),
    ).toEqual({
      crawl: `${spider}-2`,
      requestsKey: `${spider}:requests`,
      waiting: 1,
      imported: 1,
      known: 0,
      unreadable: 0,
      unreadableKey: `${spider}:requests:unreadable`,
      isChanged: true,
      problems: [],
      handlers: { parse: 1 },
      unknownRules: {},
      dropped: {},
    })
  })
})
