import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson } from '../../testing/command-line.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'

let server: RedisServer
let folder: string
let spider: string
let spiders = 0

beforeAll(async () => {
  server = await startRedis()
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-push-'))
})
beforeEach(() => {
  spider = `books-${++spiders}`
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true })
})

const push = (urls: readonly string[], flags: readonly string[] = [], input = '') =>
  command(['push', spider, ...urls, '--redis', server.address, ...flags], input)
const inList = async (key = `${spider}:start_urls`) =>
  (await server.command('lrange', key, '0', '-1')).split('\n')

describe('push', () => {
  it('adds URLs behind those that wait, bare as Python reads them', async () => {
    expect(await push(['http://a.test/1#x', 'http://a.test/2'])).toEqual({
      exitCode: 0,
      stdout: `2 start URLs pushed to ${spider}:start_urls\n`,
      stderr: '',
    })
    await push(['-'], [], 'http://a.test/3\n')
    expect(await inList()).toEqual(['http://a.test/1#x', 'http://a.test/2', 'http://a.test/3'])
  })

  it('writes JSON when more is said, by flags or by a line', async () => {
    const lines = [
      'http://a.test/1',
      'http://a.test/2\tscore=2\tcolour=red',
      '{"url":"http://a.test/3","method":"POST","body":"x"}',
    ]
    await push(['-'], ['--priority', '7', '--handler', 'book'], lines.join('\n'))
    expect((await inList()).map((line) => JSON.parse(line) as unknown)).toEqual([
      { url: 'http://a.test/1', priority: 7, handler: 'book' },
      { url: 'http://a.test/2', priority: 2, handler: 'book', meta: { colour: 'red' } },
      { url: 'http://a.test/3', method: 'POST', body: 'x' },
    ])
  })

  it('reads a file with BOM, CRLF and comments, and lists the rejected lines', async () => {
    const file = join(folder, 'urls.txt')
    writeFileSync(
      file,
      '\uFEFFhttp://a.test/1\r\n# a comment\r\n\r\nftp://a.test/\r\nhttp://a.test/2\tscore=high\r\n{"url":\r\n',
    )
    const { exitCode, stdout } = await push([file])
    expect(exitCode).toBe(2)
    expect(stdout).toContain(
      `2 start URLs pushed to ${spider}:start_urls; 2 rejected; 1 invalid key=value pair ignored\n`,
    )
    expect(stdout).toContain(
      `${file}:4  ftp://a.test/  neither JSON nor a URL: ftp: is not http: or https:\n`,
    )
    expect(stdout).toContain(`${file}:6  {"url":  broken JSON`)
    expect(await inList()).toEqual(['http://a.test/1', 'http://a.test/2'])
  })

  it('fills a set or a sorted set when told, and what is there as it is', async () => {
    await push(['http://a.test/1'], ['--as', 'set'])
    const { stdout } = await push(['http://a.test/1', 'http://a.test/2'])
    expect(stdout).toBe(`1 start URL pushed to ${spider}:start_urls; 1 already there\n`)
    expect(await server.command('scard', `${spider}:start_urls`)).toBe('2')
    const key = `${spider}:sorted`
    await push(
      ['-'],
      ['--key', key, '--as', 'zset'],
      'http://a.test/low\n{"url":"http://a.test/","priority":5}\n',
    )
    await push(['http://a.test/high'], ['--key', key, '--priority', '9'])
    expect(await server.command('zrange', key, '0', '-1', 'withscores')).toBe(
      'http://a.test/low\n0\n{"url":"http://a.test/","priority":5}\n5\n{"url":"http://a.test/high","priority":9}\n9',
    )
  })

  it('refuses to make a list of a set', async () => {
    await push(['http://a.test/1'], ['--as', 'set'])
    expect(await push(['http://a.test/2'], ['--as', 'list'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${spider}:start_urls must hold a list of start messages; it is a set\n`,
    })
  })

  it('prints one document with --json', async () => {
    const args = ['push', spider, 'http://a.test/', '-', '--redis', server.address]
    expect(await commandJson(args, 'nonsense\n')).toEqual({
      key: `${spider}:start_urls`,
      ...{ lines: 2, pushed: 1, known: 0, rejected: 1, badItems: 0 },
      examples: [
        { at: 'stdin:1', url: 'nonsense', reason: expect.stringContaining('neither JSON nor a URL') },
      ],
    })
  })

  it('takes a hundred thousand lines', async () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `http://h${i % 500}.test/${i}`)
    const { stdout } = await push(['-'], [], lines.join('\n'))
    expect(stdout).toBe(`100,000 start URLs pushed to ${spider}:start_urls\n`)
    expect(await server.command('llen', `${spider}:start_urls`)).toBe('100000')
  })

  it('exits with 1 if no URL was given', async () => {
    expect(await push(['-'], [], '# nothing\n')).toMatchObject({ exitCode: 1, stdout: 'no URLs given\n' })
  })

  it('says what was pushed before it came to a file that is not there', async () => {
    const { exitCode, stderr } = await push(['http://a.test/', 'example.org'])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^note: 1 URL pushed before the error\nerror: there is no example\.org: /)
  })

  it('tells what to look at when there is no Redis, or it wants a password', async () => {
    const { exitCode, stderr } = await command([
      'push',
      spider,
      'http://a.test/',
      '--redis',
      'redis://127.0.0.1:1',
    ])
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(
      /^error: cannot connect to Redis at redis:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.*redis-cli ping.*\n$/,
    )
    const closed = await startRedis({ password: 'secret' })
    const address = closed.address.replace(':secret@', '')
    const refused = await command(['push', spider, 'http://a.test/', '--redis', address])
    await closed.stop()
    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toMatch(/^error: .*NOAUTH.*\n$/)
  })

  it.each([
    [['--redis', 'localhost'], /is not a Redis address: it must look like redis:/],
    [[], /which Redis\? Name it with --redis redis:.* ORBWEAVER_REDIS_URL/],
    [['--redis', 'redis://127.0.0.1', '--as', 'hash'], /Allowed choices are list, set, zset/],
  ])('ends with 2 for %j', async (flags, message) => {
    const { exitCode, stderr } = await command(['push', spider, 'http://a.test/', ...flags])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(message)
  })
})
