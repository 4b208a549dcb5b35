import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { linksTo } from '../../testing/spider-lab.ts'
import { CrawlDirectoryLocked } from '../adapters/crawl-directory/crawl-directory-error.ts'
import { openCrawlDirectory } from '../adapters/duckdb/open-crawl-directory.ts'
import { TooManyHandlerErrors } from '../flows/spider/handler-errors.ts'
import { type Spider, spider } from './define-spider.ts'
import { loadSpiderFile } from './load-spider-file.ts'
import { runSpider } from './run-spider.ts'
import type { RunSpiderOptions } from './run-spider-options.ts'

/** /1 leads to /2, and so on to /6; /0 is an error that has something to say. */
let server: Server
let home: string
let requested: string[]
let folder: string

beforeAll(async () => {
  server = createServer(({ url = '/' }, response) => {
    if (url !== '/robots.txt') requested.push(url)
    const n = Number(url.slice(1))
    response.writeHead(n >= 1 ? 200 : 404, { 'content-type': 'text/html' })
    response.end(
      n >= 1 && n < 6 ? `<h1>${n}</h1>${linksTo(`/${n + 1}`)}` : `<h1>${n === 0 ? 'zero' : n}</h1>`,
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  requested = []
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-crawl-spider-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const settings = { politeness: { delaySeconds: 0 }, agent: { email: 'test@localhost' } }
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const inFolder = (name: string) => join(folder, name)

function numbers(more: Partial<Spider<{ n: number }>> = {}) {
  return spider({
    name: 'numbers',
    start: `${home}/1`,
    item: z.object({ n: z.number().max(4) }),
    *parse(page) {
      yield page.item({ n: Number(page.text('h1')) })
      yield* page.followAll('a')
    },
    ...more,
  })
}

function run(made: ReturnType<typeof numbers>, options: RunSpiderOptions = {}) {
  return runSpider(made, { settings, ...options })
}

describe('runSpider', () => {
  it('runs a spider, writes its items to every target, and returns the statistics', async () => {
    const result = await run(numbers({ out: inFolder('own.json') }), {
      dir: inFolder('crawl'),
      out: [inFolder('items.jsonl'), inFolder('items.csv'), inFolder('items.parquet')],
    })
    expect(result).toMatchObject({
      ended: 'finished',
      stats: { pages: 6, items: 4, rejected: 2, failed: {}, hosts: 1 },
      pending: { ready: 0, delayed: 0, leased: 0, startsComplete: true },
    })
    expect(result.feeds.every(({ error }) => error === undefined)).toBe(true)
    const items = [1, 2, 3, 4].map((n) => ({ n }))
    expect(
      read('items.jsonl')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(items)
    expect(JSON.parse(read('own.json'))).toEqual(items)
    expect(read('items.csv').trim().split(/\r?\n/)).toEqual(['n', '1', '2', '3', '4'])
    expect(read('items.parquet').slice(0, 4)).toBe('PAR1')
    const rejected = read('crawl/items.rejected.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rejected.map(({ item }) => item)).toEqual([{ n: 5 }, { n: 6 }])
    expect(rejected[0].reason).toMatch(/^n: /)
  })

  it('collects the items of the run', async () => {
    const { items, stats } = await run(numbers(), { maxPages: 3 })
    expect(items).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(stats.pages).toBe(3)
  })

  it.each<[string, Partial<Spider<{ n: number }>>, RunSpiderOptions, number]>([
    ['an export', {}, { out: '-', output: async () => {} }, 0],
    ['an export of the spider', { out: { name: 'none', write: async () => {} } }, {}, 0],
    ['onItem', { onItem: () => {} }, {}, 0],
    ['collect: false', {}, { collect: false }, 0],
    ['collect: true and an export', {}, { collect: true, out: '-', output: async () => {} }, 4],
  ])('collects items depending on %s', async (_, more, options, collected) => {
    const { items, stats } = await run(numbers(more), options)
    expect(items).toHaveLength(collected)
    expect(stats.items).toBe(4)
  })

  it('streams items while it runs, and does not collect the items that are read', async () => {
    const started = run(numbers())
    const seen: number[] = []
    for await (const { n } of started.items) seen.push(n)
    expect(seen).toEqual([1, 2, 3, 4])
    expect(await started).toMatchObject({ ended: 'finished', items: [] })
  })

  it('stops when the loop over its items ends', async () => {
    const dir = inFolder('crawl')
    const endless = numbers({
      // One page per second: each item is stored before the next page is fetched.
      settings: { politeness: { delaySeconds: 1.5 } },
    })
    const started = runSpider(endless, { dir, settings: { agent: { email: 'test@localhost' } } })
    for await (const { n } of started.items) if (n === 2) break
    expect(await started).toMatchObject({ ended: 'interrupted' })
    expect(requested.length).toBeLessThan(5)
  })

  it('throws the failure of the run to the reader of its items', async () => {
    const broken = numbers({
      parse: () => Promise.reject(new Error('broken')),
      limits: { maxHandlerErrorsInRow: 1 },
    })
    await expect(async () => {
      for await (const _ of run(broken).items) expect.unreachable()
    }).rejects.toThrow(TooManyHandlerErrors)
  })

  it('rejects a limit that is not a number', async () => {
    await expect(run(numbers(), { maxPages: Number.NaN })).rejects.toThrow('maxPages is null; give a number')
  })

  it('runs several spiders at once in one process, each with its own items', async () => {
    const runs = [2, 3, 4].map((maxPages) => run(numbers({ name: `numbers-${maxPages}` }), { maxPages }))
    const results = await Promise.all(runs)
    expect(results.map(({ items }) => items.length)).toEqual([2, 3, 4])
    expect(results.map(({ stats }) => stats.pages)).toEqual([2, 3, 4])
  })

  it('leaves nothing behind without a directory', async () => {
    const before = readdirSync(tmpdir()).filter((name) => /^orbweaver-[^-]+$/.test(name))
    const lines: string[] = []
    await run(numbers(), { out: '-', output: async (text) => void lines.push(text) })
    expect(lines.join('').trim().split('\n')).toHaveLength(4)
    const left = readdirSync(tmpdir()).filter(
      (name) => /^orbweaver-[^-]+$/.test(name) && !before.includes(name),
    )
    // Others may crawl at the same time; none of theirs has our page.
    expect(left.filter((name) => existsSync(join(tmpdir(), name, 'items.rejected.jsonl')))).toEqual([])
  })

  it('resumes in its directory; limits of the caller override its own', async () => {
    const dir = inFolder('crawl')
    const out = inFolder('items.jsonl')
    const made = numbers({ limits: { maxPages: 1 } })
    expect((await run(made, { dir, out, maxPages: 3 })).ended).toBe('pages')
    expect(requested).toEqual(['/1', '/2', '/3'])
    expect((await run(made, { dir, out, maxPages: 100 })).ended).toBe('finished')
    expect(requested).toHaveLength(6)
    expect(read('items.jsonl').trim().split('\n')).toHaveLength(4)
    const again = await run(made, { dir, out })
    expect(again.stats).toMatchObject({ requests: 0, pages: 0 })
    expect(requested).toHaveLength(6)
    expect(read('items.jsonl').trim().split('\n')).toHaveLength(4)
  })

  it('keeps the limit per host across runs', async () => {
    const dir = inFolder('crawl')
    const limits = { maxPagesPerHost: 4 }
    await run(numbers(), { dir, ...limits, maxPages: 3 })
    const { ended } = await run(numbers(), { dir, ...limits })
    expect(ended).toBe('finished')
    expect(requested).toHaveLength(4)
  })

  it('opens and closes pipelines, also around a failure, and calls onClose', async () => {
    const seen: string[] = []
    const pipelines = [
      {
        open: async () => void seen.push('open'),
        process: (item: { n: number }) => item,
        close() {
          seen.push('close')
          throw new Error('stuck')
        },
      },
    ]
    const messages: string[] = []
    const onMessage = (message: string) => void messages.push(message)
    await run(numbers({ pipelines, onClose: ({ pages }) => void seen.push(`closed after ${pages}`) }), {
      onMessage,
    })
    expect(seen).toEqual(['open', 'closed after 6', 'close'])
    expect(messages.join()).toContain('a pipeline could not be closed: Error: stuck')
    seen.length = 0
    const broken = numbers({
      pipelines,
      parse: () => Promise.reject(new Error('broken')),
      limits: { maxHandlerErrorsInRow: 1 },
    })
    await expect(run(broken, { onMessage })).rejects.toThrow(TooManyHandlerErrors)
    expect(seen).toEqual(['open', 'close'])
    expect(messages.join()).toContain('parse, for http')
  })

  it('completes the exports although onClose fails, and reports the failure', async () => {
    const messages: string[] = []
    const onClose = () => Promise.reject(new Error('no goodbye'))
    const result = await run(numbers({ onClose }), {
      out: inFolder('items.json'),
      onMessage: (message) => messages.push(message),
    })
    expect(result.ended).toBe('finished')
    expect(JSON.parse(read('items.json'))).toHaveLength(4)
    expect(messages.join()).toContain('no goodbye')
  })

  it('passes the page of an error to onError and to handlers of its status', async () => {
    const texts: string[] = []
    const start = `${home}/0`
    await run(numbers({ start, onError: ({ page }) => void texts.push(page.text('h1')) }))
    await run(numbers({ start, handleStatuses: [404], parse: (page) => void texts.push(page.text('h1')) }))
    expect(texts).toEqual(['zero', 'zero'])
  })

  it('rejects a locked directory, unless forced', async () => {
    const dir = inFolder('crawl')
    const held = await openCrawlDirectory(dir, { command: 'test' })
    await expect(run(numbers(), { dir })).rejects.toThrow(CrawlDirectoryLocked)
    await held.close()
    expect((await run(numbers(), { dir })).ended).toBe('finished')
  })

  it('stops by signal, and resumes later', async () => {
    const dir = inFolder('crawl')
    const controller = new AbortController()
    const interrupting = numbers({
      *parse(page) {
        if (page.url.endsWith('/3')) controller.abort()
        yield* page.followAll('a')
      },
    })
    const first = await run(interrupting, { dir, signal: controller.signal })
    expect(first).toMatchObject({
      ended: 'interrupted',
      stats: { pages: 3 },
      pending: { ready: 1, leased: 0 },
    })
    expect((await run(interrupting, { dir })).stats.pages).toBe(3)
    expect(requested).toHaveLength(6)
  })

  it('rejects an invalid start', async () => {
    await expect(run(numbers({ start: ['nonsense'] }))).rejects.toThrow('start: "nonsense" cannot be crawled')
  })

  describe('isolated', () => {
    const file = (parse: string) => {
      const path = inFolder('spider.mjs')
      writeFileSync(
        path,
        `export default ({ start }) => ({
           name: 'numbers',
           start,
           limits: { maxHandlerErrorsInRow: 3, handlerSeconds: 20 },
           async *parse(page) { ${parse} },
         })`,
      )
      return path
    }
    const runFile = async (module: string, options: RunSpiderOptions = {}) => {
      const args = { start: `${home}/1` }
      return runSpider(await loadSpiderFile(module, args), {
        settings,
        isolated: true,
        module,
        args,
        ...options,
      })
    }

    it('runs the handlers in a thread, and resumes', async () => {
      const parse = 'yield page.item({ n: Number(page.text("h1")) }); yield* page.followAll("a")'
      const dir = inFolder('crawl')
      const out = inFolder('items.jsonl')
      const module = file(parse)
      expect(await runFile(module, { dir, out, maxPages: 4 })).toMatchObject({ ended: 'pages' })
      expect(await runFile(module, { dir, out })).toMatchObject({ ended: 'finished', stats: { pages: 2 } })
      const items = [1, 2, 3, 4, 5, 6].map((n) => `{"n":${n}}\n`)
      expect(read('items.jsonl')).toBe(items.join(''))
    }, 60_000)

    it('runs the handlers in several threads, each page once', async () => {
      const parse = 'yield page.item({ n: Number(page.text("h1")) }); yield* page.followAll("a")'
      const { items, stats, ended } = await runFile(file(parse), { handlerThreads: 2 })
      expect({ ended, pages: stats.pages }).toEqual({ ended: 'finished', pages: 6 })
      expect(items).toHaveLength(6)
      expect(items).toEqual(expect.arrayContaining([1, 2, 3, 4, 5, 6].map((n) => ({ n }))))
      await expect(runFile(file(parse), { handlerThreads: 0 })).rejects.toThrow('at least 1')
    }, 60_000)

    it('stops after too many consecutive handlers that end their thread', async () => {
      const parse =
        'yield* ["/1", "/2", "/3", "/4"].map((n) => page.follow(n)); if (page.depth > 0) process.exit(3)'
      const messages: string[] = []
      const onMessage = (message: string) => messages.push(message)
      await expect(runFile(file(parse), { onMessage })).rejects.toThrow(
        /3 handlers in a row failed.*process\.exit\(3\) was called/,
      )
      expect(messages.join()).toContain('parse, for http')
    }, 60_000)

    it('is rejected without the file to load in the thread', async () => {
      const problem = /put it into a file of its own.*module: new URL/
      await expect(run(numbers({ isolated: true }))).rejects.toThrow(problem)
      await expect(run(numbers(), { isolated: true })).rejects.toThrow(problem)
    })

    it('is rejected for a file that itself starts a crawl', async () => {
      const module = file('')
      const made = await loadSpiderFile(module, { start: `${home}/1` })
      const start = `await runSpider({ name: 'x', start: '${home}/1', parse() {} })`
      appendFileSync(module, `\nconst { runSpider } = await import('orbweaver')\n${start}`)
      const args = { start: `${home}/1` }
      await expect(runSpider(made, { settings, isolated: true, module, args })).rejects.toThrow(
        'call runSpider() in another one',
      )
    }, 60_000)
  })
})
