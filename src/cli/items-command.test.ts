import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson } from '../../testing/command-line.ts'
import { QUOTE_PAGES, QUOTES_ON_PAGE, QuoteSite } from '../../testing/quote-site.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { openRedisFrontier } from '../adapters/redis/open-redis-frontier.ts'
import { run } from './main.ts'

const QUOTES = QUOTE_PAGES * QUOTES_ON_PAGE
/** The schema rejects one item per page. */
const PICKY = 'item: z.object({ text: z.string().regex(/-[^1]$/), author: z.string() }),'
const GOOD = QUOTES - QUOTE_PAGES

let site: QuoteSite
let dir: string

beforeAll(async () => {
  site = await QuoteSite.start()
  dir = site.path('crawl')
  await command(['run', site.quotes('picky', PICKY), '--dir', dir])
  site.web.judge.reset()
})

afterAll(() => site.close())

function itemsIn(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

describe('items', () => {
  it('writes all items to each target, without any request', async () => {
    const files = ['a.jsonl', 'a.json', 'a.csv', 'a.parquet'].map((file) => site.path(file))
    const { exitCode, stdout } = await command(['items', dir, ...files.flatMap((file) => ['--out', file])])
    expect(exitCode).toBe(0)
    expect(stdout).toBe(files.map((file) => `${GOOD} items written to ${file}\n`).join(''))
    const [jsonl = '', json = '', csv = '', parquet = ''] = files
    const items = itemsIn(readFileSync(jsonl, 'utf8'))
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(GOOD)
    expect(JSON.parse(readFileSync(json, 'utf8'))).toEqual(items)
    expect(readFileSync(csv, 'utf8').trimEnd().split('\n')).toHaveLength(GOOD + 1)
    expect(readFileSync(parquet).subarray(0, 4).toString()).toBe('PAR1')
    expect(site.web.judge.hits).toEqual([])
  })

  it('writes items to standard output, and the report to standard error', async () => {
    const { exitCode, stdout, stderr } = await command(['items', dir, '--out', '-'])
    expect(exitCode).toBe(0)
    expect(itemsIn(stdout)).toHaveLength(GOOD)
    expect(stderr).toBe(`${GOOD} items written to the standard output\n`)
  })

  it('writes rejected items with the reason', async () => {
    const { stdout } = await command(['items', dir, '--rejected', '--out', '-'])
    const rejected = itemsIn(stdout)
    expect(rejected).toHaveLength(QUOTE_PAGES)
    expect(rejected[0]).toMatchObject({
      reason: expect.stringContaining('text'),
      url: `${site.origin}/`,
      item: { text: 'Quote 1-1' },
    })
  })

  it('replaces a file only with --overwrite', async () => {
    const file = site.path('mine.jsonl')
    writeFileSync(file, 'mine\n')
    const refused = await command(['items', dir, '--out', file])
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
    expect(refused.stderr).toContain(`${file} is there`)
    expect(readFileSync(file, 'utf8')).toBe('mine\n')
    expect(await commandJson(['items', dir, '--out', file, '--overwrite'])).toEqual({
      items: GOOD,
      feeds: [{ target: file, error: null }],
    })
    expect(itemsIn(readFileSync(file, 'utf8'))).toHaveLength(GOOD)
  })

  it('changes no file if there are no items', async () => {
    const empty = site.path('empty')
    const file = site.path('empty.jsonl')
    await command(['run', site.quotes('none', 'parse() {},'), '--dir', empty])
    expect(await command(['items', empty, '--out', file])).toMatchObject({
      exitCode: 1,
      stdout: 'there is no item in this crawl\n',
    })
    expect(await command(['items', empty, '--rejected', '--out', file])).toMatchObject({
      exitCode: 1,
      stdout: 'there is no rejected item in this crawl\n',
    })
    expect(existsSync(file)).toBe(false)
  })

  it('reports an incomplete export when interrupted', async () => {
    const terminal = new RecordingTerminal()
    terminal.interrupt()
    expect(await run(['items', dir, '--out', site.path('cut.jsonl')], terminal)).toBe(3)
    expect(terminal.stderr).toBe('error: interrupted: the output is incomplete\n')
  })

  it.each([
    ['no target', [], /--out/],
    ['a target of no known format', ['--out', 'a.xlsx'], /a\.xlsx: the format cannot be told/],
    ['a JSON document in addition to the items', ['--out', '-', '--json'], /cannot both use standard output/],
  ])('rejects %s', async (_, flags, message) => {
    const { exitCode, stderr } = await command(['items', dir, ...flags])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(message)
  })

  it('reports a missing crawl', async () => {
    expect(await command(['items', site.path('nowhere'), '--out', '-'])).toMatchObject({ exitCode: 2 })
  })
})

describe('items of a crawl in Redis', () => {
  let server: RedisServer
  let spider: string
  let spiders = 0

  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server?.stop())
  beforeEach(() => {
    spider = `shop-${++spiders}`
  })

  const push = (...items: readonly string[]) => server.command('rpush', `${spider}:items`, ...items)
  const items = (...flags: readonly string[]) =>
    command(['items', spider, '--redis', server.address, ...flags])

  it('are copied, or removed with --take', async () => {
    await push('{"n":1,"t":"a"}', '{"n":2,"t":"b"}')
    const [copy, mine] = [site.path(`${spider}.parquet`), site.path(`${spider}.csv`)]
    expect(await items('--out', copy)).toMatchObject({ exitCode: 0, stdout: `2 items written to ${copy}\n` })
    expect(await items('--take', '--fields', 't,n', '--out', mine)).toEqual({
      ...{ exitCode: 0, stdout: `2 items taken to ${mine}\n`, stderr: '' },
    })
    expect(readFileSync(mine, 'utf8')).toBe('t,n\r\na,1\r\nb,2\r\n')
    expect(await server.command('exists', `${spider}:items`)).toBe('0')
    expect(await items('--take', '--fields', 't,n', '--out', mine)).toMatchObject({
      ...{ exitCode: 1, stdout: 'no items to take\n' },
    })
  })

  it('are appended to the file of the last run, and invalid items are reported', async () => {
    const file = site.path(`${spider}.json`)
    await push('{"n":1}')
    await items('--take', '--out', file)
    await push('{"n":2}', 'nonsense')
    const { exitCode, stdout } = await items('--take', '--out', file)
    expect([exitCode, stdout]).toEqual([
      0,
      `1 item taken to ${file}\n1 item could not be read: LRANGE ${spider}:items:malformed 0 -1\n`,
    ])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('are taken by the consumer with the given name', async () => {
    const file = site.path(`${spider}.jsonl`)
    await push('{"n":1}')
    const args = ['items', spider, '--redis', server.address, '--take', '--consumer', 'me', '--out', file]
    expect(await commandJson(args)).toEqual({
      ...{ items: 1, malformed: 0, malformedKey: `${spider}:items:malformed`, targets: [file] },
    })
    expect(await server.command('exists', `orbweaver:{${spider}}:consumer:me`)).toBe('1')
    expect(await items('--take', '--out', file)).toMatchObject({ exitCode: 2 })
  })

  it.each([['--take'], []])('are followed until the crawl is finished (%s)', async (...flags) => {
    const worker = await openRedisFrontier(server.address, spider)
    const { frontier, clock } = worker
    const urls = ['http://a.test/1', 'http://a.test/2']
    await frontier.add(
      urls.map((url) => ({ url, handler: 'parse', depth: 0 })),
      'complete',
    )
    const following = items(...flags, '--follow', '--out', '-')
    for (const url of urls) {
      const [lease] = await frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
      const id = lease?.requests[0]?.id ?? ''
      await frontier.settle([{ id, end: { kind: 'done' }, requests: [], items: [{ url }], rejected: [] }])
    }
    await worker.close()
    const { exitCode, stdout } = await following
    expect([exitCode, stdout]).toEqual([0, urls.map((url) => `{"url":"${url}"}\n`).join('')])
  })

  it('are taken until Ctrl-C', async () => {
    const file = site.path(`${spider}.json`)
    await push('{"n":1}')
    const terminal = new RecordingTerminal()
    const args = ['items', spider, '--redis', server.address, '--take', '--follow', '--out', file]
    const following = run(args, terminal)
    while ((await server.command('exists', `${spider}:items`)) === '1') await null
    terminal.interrupt()
    expect([await following, terminal.stderr]).toEqual([0, ''])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([{ n: 1 }])
  })

  it.each([
    [['--take', '--out', 'a.parquet'], /nothing can be appended to a Parquet file/],
    [['--take', '--out', 'a.csv'], /the columns must be known before items are taken/],
    [['--take', '--rejected', '--out', '-'], /rejected items stay in Redis/],
    [['--consumer', 'me', '--out', '-'], /give --take, too/],
    [['--fields', 'a,,b', '--out', '-'], /Give names of fields, like title,price/],
  ])('are rejected with %j', async (flags, message) => {
    await push('{"n":1}')
    const { exitCode, stderr } = await items(...flags)
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(message)
    expect(await server.command('llen', `${spider}:items`)).toBe('1')
  })

  it.each(['--take', '--follow'])('need a Redis for %s', async (flag) => {
    const { exitCode, stderr } = await command(['items', dir, flag, '--out', '-'])
    expect([exitCode, stderr]).toEqual([
      2,
      `error: ${flag} is for a crawl in Redis: name it with --redis; a directory keeps its items\n`,
    ])
  })
})
