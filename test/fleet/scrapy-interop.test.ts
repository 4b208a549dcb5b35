import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { scrapyFingerprint } from '../../src/adapters/scrapy/fingerprints.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { requireScrapy } from '../../testing/require-scrapy.ts'
import { type Run, runProgram } from '../run-orbweaver.ts'

const scrapy = requireScrapy()
const title = scrapy.ok ? `Scrapy ${scrapy.version}` : `Scrapy (skipped: ${scrapy.reason})`

/** Needs Python; skipped without it. */
describe.skipIf(!scrapy.ok)(title, () => {
  let redis: RedisServer
  let site: Site
  let folder: string

  beforeAll(async () => {
    redis = await startRedis()
    site = await Site.start()
  })
  afterAll(async () => {
    await redis?.stop()
    await site?.close()
  })
  beforeEach(async () => {
    await redis.command('flushall')
    site.requested.length = 0
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-scrapy-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  async function python<T>(command: string, args: object): Promise<T> {
    const program = join(import.meta.dirname, 'scrapy/python_side.py')
    const run = await runProgram(
      scrapy.ok ? scrapy.python : '',
      ['-B', program, String(redis.port), command, JSON.stringify(args)],
      folder,
    )
    if (run.exitCode !== 0) throw new Error(run.stderr)
    return JSON.parse(run.stdout) as T
  }

  function orbweaver(...args: string[]): Promise<Run> {
    const program = join(import.meta.dirname, '../../testing/orbweaver-process.ts')
    return runProgram(process.execPath, [program, ...args, '--redis', redis.address], folder)
  }

  /** A spider that stores an item per page, and follows links with `follow`. */
  function writeSpider(follow: boolean): string {
    const file = join(folder, 'web.ts')
    const source = pathToFileURL(join(import.meta.dirname, '../../src/wiring/define-spider.ts')).href
    writeFileSync(
      file,
      `import { spider } from '${source}'
function* parse(page) {
  yield page.item({ url: page.url, title: page.text('title'), by: 'Orbweaver' })
  ${follow ? "yield* page.followAll('a')" : ''}
}
export default spider({
  name: 'web',
  start: [],
  allow: '*',
  parse,
  handlers: { parse_page: parse },
  settings: {
    agent: { email: 'test@example.org' },
    politeness: { delaySeconds: 0.005 },
    http: { allowPrivateHosts: ['127.0.0.1'] },
  },
})
`,
    )
    return file
  }

  it('has the same fingerprints as Orbweaver in all three families', async () => {
    const requests = [
      ['http://www.example.com/query?id=111&cat=222&empty', 'GET', ''],
      ['http://www.example.com/p;v=1?b=%c3%a9&a=+x', 'POST', 'a=1&b=é'],
      ['https://EXAMPLE.com:443/a/../%7Euser/#part', 'GET', ''],
      ['http://bücher.example/straße?q=ä', 'HEAD', ''],
    ] as const
    const theirs = await python<Record<string, string>[]>('fingerprints', { requests })
    const ours = requests.map(([url, method, body]) => ({
      a: scrapyFingerprint({ url, method, body }, { family: 'legacy' }),
      b: scrapyFingerprint({ url, method, body }, { family: 'scrapy-redis' }),
      c: scrapyFingerprint({ url, method, body }, { family: 'scrapy' }),
    }))
    expect(ours).toEqual(theirs)
  })

  it.each(['list', 'list-left', 'set', 'zset'])(
    'pushes start URLs to a %s, and reads the items',
    async (kind) => {
      const urls = [1, 2, 3].map((n) => site.url(n))
      const messages = [...urls.slice(0, 2), JSON.stringify({ url: urls[2], meta: { job: 7 } })]
      await python('push_starts', { key: 'web:start_urls', kind, messages })
      const { exitCode, stderr } = await orbweaver('run', writeSpider(false))
      expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
      const items = await python<Item[]>('take_items', { key: 'web:items', count: 3 })
      expect(items.toSorted(byUrl)).toEqual(
        urls.map((url) => ({ url, title: titleOf(url), by: 'Orbweaver' })),
      )
      expect(await redis.command('llen', 'web:items')).toBe('0')
    },
  )

  it.each([
    ['a', 'zset'],
    ['b', 'zset'],
    ['c', 'list'],
  ])('crawls some pages (family %s, %s), and we crawl the others', async (family, kind) => {
    const start = site.url(0)
    await python('crawl', { name: 'web', start, pages: 7, family, kind })
    const byScrapy = [...site.requested]
    expect(byScrapy.length).toBeGreaterThanOrEqual(7)
    expect(byScrapy.length).toBeLessThan(PAGES)
    const waiting = Number(await redis.command(kind === 'zset' ? 'zcard' : 'llen', 'web:requests'))
    expect(waiting).toBeGreaterThan(0)

    const imported = await orbweaver('import-scrapy-redis', 'web', '--json')
    expect(JSON.parse(imported.stdout)).toMatchObject({
      imported: waiting,
      unreadable: 0,
      handlers: { parse_page: waiting },
      dupefilter: { key: 'web:dupefilter', kind: `scrapy-${family}` },
    })
    // The detected settings are the configured ones.
    const config = join(folder, 'config.json')
    writeFileSync(config, JSON.stringify({ redis: { dupefilter: `scrapy-${family}` } }))
    const { exitCode, stderr } = await orbweaver('run', writeSpider(true), '--config', config)
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
    // Each page once, by Scrapy or Orbweaver.
    expect(site.requested.toSorted()).toEqual(site.paths)
    // Imported requests have their headers and cookies.
    expect(site.headersOf(site.requested[byScrapy.length] ?? '')).toMatchObject({
      'x-from': 'Scrapy',
      cookie: Buffer.from('session=é1').toString('latin1'),
    })

    // Scrapy skips the pages that Orbweaver fetched.
    await python('crawl', { name: 'web', start, pages: 7, family, kind })
    expect(site.requested).toHaveLength(PAGES)
    const items = await python<Item[]>('take_items', { key: 'web:items', count: PAGES })
    expect(items.map(({ url }) => new URL(url).pathname).toSorted()).toEqual(site.paths)
    expect(items.filter(({ by }) => by === 'Scrapy')).toHaveLength(byScrapy.length)
    expect(items.every(({ url, title: found }) => found === titleOf(url))).toBe(true)
  })

  it('queues requests of CrawlSpider rules as JSON, which Orbweaver crawls', async () => {
    await python('queue_json_of_rules', { key: 'web:requests', url: site.url(0) })
    const refused = await orbweaver('import-scrapy-redis', 'web')
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('rule 0: 1, rule 1: 1') })
    const imported = await orbweaver('import-scrapy-redis', 'web', '--rules', 'parse_page,-', '--json')
    expect(JSON.parse(imported.stdout)).toMatchObject({ imported: 2, handlers: { parse_page: 1, $rules: 1 } })
    const { exitCode, stderr } = await orbweaver('run', writeSpider(false))
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(site.requested.toSorted()).toEqual(['/1', '/2'])
    expect(site.headersOf('/1')).toMatchObject({ 'x-from': 'Scrapy' })
  })

  it('queues requests that contain objects, which stay in the queue', async () => {
    await python('queue_something_else', { key: 'web:requests' })
    const { exitCode, stderr } = await orbweaver('import-scrapy-redis', 'web')
    expect(exitCode).toBe(3)
    expect(stderr).toContain('is not data')
    expect(await redis.command('zcard', 'web:requests')).toBe('1')
  })
})

const PAGES = 20

interface Item {
  readonly url: string
  readonly title: string
  readonly by: string
}

function byUrl(a: Item, b: Item): number {
  return a.url < b.url ? -1 : 1
}

function titleOf(url: string): string {
  return `Page ${new URL(url).pathname.slice(1)} é`
}

/** Pages that link to one another. */
class Site {
  readonly requested: string[] = []
  readonly #headers = new Map<string, object>()
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    server.on('request', ({ url = '', headers }, response) => {
      const n = Number(url.slice(1))
      if (!this.paths.includes(url)) return response.writeHead(404).end()
      this.requested.push(url)
      this.#headers.set(url, headers)
      const links = [n * 2 + 1, n * 2 + 2, 0].filter((to) => to < PAGES)
      const html = links.map((to) => `<a href="/${to}">${to}</a>`).join('')
      return response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(`<title>Page ${n} é</title>${html}`)
    })
  }

  static async start(): Promise<Site> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Site(server)
  }

  get paths(): string[] {
    return Array.from({ length: PAGES }, (_, n) => `/${n}`).sort()
  }

  url(n: number): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${n}`
  }

  headersOf(path: string): object | undefined {
    return this.#headers.get(path)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
