import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ConfigurationError,
  type Crawl,
  CrawlDirectoryLocked,
  CrawlUnusable,
  openCrawl,
  runSpider,
  spider,
} from '../src/index.ts'
import { page } from '../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../testing/misbehaving-web.ts'

const HOST = '127.0.0.1'
const SETTINGS = { agent: { email: 'me@example.org' }, politeness: { delaySeconds: 0 } } as const

let web: MisbehavingWeb
let site: string
let folder: string
let crawls = 0

beforeAll(async () => {
  web = await startMisbehavingWeb()
  web.serve(HOST, {
    '/': page('<title>Home</title><p>Spider silk is strong.</p><a href="/a">a</a> <a href="/b">b</a>'),
    '/a': page('<title>Page A</title><p>Orb webs.</p><a href="/">home</a>'),
    '/b': page('<title>Page B</title><p>Funnel webs.</p><a href="/c">c</a>'),
    '/c': page('<title>Page C</title><p>More silk.</p>'),
  })
  site = web.origin(HOST)
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-library-'))
})

afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

function newDirectory(): string {
  return join(folder, `crawl-${++crawls}`)
}

async function titles(crawl: Crawl): Promise<string[]> {
  const found: string[] = []
  for await (const { title } of crawl.pages()) found.push(title)
  return found.sort()
}

it('runs the cycle and a spider from one program', async () => {
  const quotes = spider({
    name: 'titles',
    start: `${site}/`,
    settings: SETTINGS,
    *parse(response) {
      yield response.item({ title: response.css('title').text() })
    },
  })
  const rates: number[] = []
  await using crawl = await openCrawl(newDirectory(), SETTINGS)
  await crawl.inject([`${site}/`])
  const result = await crawl.run({
    maxPages: 500,
    index: true,
    onProgress: (p) => rates.push(p.pagesPerSecond),
  })
  expect(result).toMatchObject({
    ended: 'nothing due',
    pages: 4,
    index: [{ target: 'sqlite', ended: 'done' }],
  })
  expect(rates.every((rate) => rate >= 0)).toBe(true)
  const lengths: Record<string, number> = {}
  for await (const { url, text } of crawl.pages({ host: HOST })) lengths[new URL(url).pathname] = text.length
  expect(Object.keys(lengths).sort()).toEqual(['/', '/a', '/b', '/c'])
  expect(lengths['/']).toBeGreaterThan(10)
  const hits = await crawl.search('spider silk')
  expect(hits.map(({ title }) => title)).toEqual(['Home'])
  const { items, stats } = await runSpider(quotes, { maxPages: 50 })
  expect({ items, pages: stats.pages }).toEqual({ items: [{ title: 'Home' }], pages: 1 })
})

it('runs the cycle step by step', async () => {
  await using crawl = await openCrawl(newDirectory(), SETTINGS)
  expect(await crawl.inject(`${site}/`)).toMatchObject({ injected: 1 })
  expect(await crawl.generate({ topN: 10 })).toMatchObject({ selected: 1 })
  expect(await crawl.fetch({ parse: false })).toMatchObject({ complete: true })
  expect(await crawl.parse({ parseThreads: 0 })).toMatchObject({ parsed: 1 })
  expect(await crawl.update()).toMatchObject({ fetched: 1, added: 2 })
  expect(await crawl.invertLinks({ internal: true })).toMatchObject({ links: 2 })
  expect(await crawl.dedup()).toMatchObject({ duplicates: 0 })
  expect(await crawl.index()).toMatchObject([{ target: 'sqlite', put: 1 }])
  expect(await crawl.fetch()).toBeUndefined()
  expect(await crawl.stats()).toMatchObject({ total: 3, statuses: { db_fetched: 1, db_unfetched: 2 } })
  const due: string[] = []
  for await (const { url } of crawl.records({ status: ['db_unfetched'] })) due.push(new URL(url).pathname)
  expect(due.sort()).toEqual(['/a', '/b'])
  expect(await crawl.explain(`${site}/`)).toMatchObject({ seed: true, record: { status: 'db_fetched' } })
  expect(await crawl.export({ out: join(folder, 'pages.jsonl') })).toBe(1)
})

it('runs two crawls at once in one process', async () => {
  const one = await openCrawl(newDirectory(), SETTINGS)
  const two = await openCrawl(newDirectory(), SETTINGS)
  await Promise.all([one.inject(`${site}/a`), two.inject(`${site}/c`)])
  const [first, second] = await Promise.all([one.run(), two.run()])
  expect([first.pages, second.pages]).toEqual([4, 1])
  expect(await titles(two)).toEqual(['Page C'])
  await Promise.all([one.close(), two.close()])
})

describe('a crawl directory that is open', () => {
  it('is locked for a second openCrawl, and free after close', async () => {
    const dir = newDirectory()
    const crawl = await openCrawl(dir, SETTINGS)
    await expect(openCrawl(dir)).rejects.toBeInstanceOf(CrawlDirectoryLocked)
    await crawl.close()
    await (await openCrawl(dir)).close()
  })

  it('can be opened readOnly after close, and then rejects changes', async () => {
    const dir = newDirectory()
    await (await openCrawl(dir, SETTINGS)).close()
    await using crawl = await openCrawl(dir, { readOnly: true })
    expect(await crawl.stats()).toMatchObject({ total: 0 })
    await expect(crawl.inject(`${site}/`)).rejects.toMatchObject({ code: 'CRAWL_READ_ONLY' })
  })
})

it('stops by signal and resumes', async () => {
  await using crawl = await openCrawl(newDirectory(), SETTINGS)
  await crawl.inject(`${site}/`)
  const stopped = await crawl.run({ signal: AbortSignal.abort() })
  expect(stopped).toMatchObject({ ended: 'interrupted', pages: 0 })
  expect(await crawl.run()).toMatchObject({ ended: 'nothing due', pages: 4 })
})

it('waits for the running step in close, and rejects every later call', async () => {
  const crawl = await openCrawl(newDirectory(), SETTINGS)
  await crawl.inject(`${site}/`)
  const running = crawl.run()
  await expect(crawl.generate()).rejects.toMatchObject({ code: 'CRAWL_BUSY', retryable: true })
  await crawl.close()
  expect(await running).toMatchObject({ ended: 'nothing due', pages: 4 })
  await expect(crawl.run()).rejects.toMatchObject({ code: 'CRAWL_CLOSED' })
  await expect(crawl.stats()).rejects.toBeInstanceOf(CrawlUnusable)
  await expect(titles(crawl)).rejects.toBeInstanceOf(CrawlUnusable)
})

it.each<[string, (crawl: Crawl) => Promise<unknown>]>([
  ['an unknown option', (crawl) => crawl.run({ maxPage: 5 } as object)],
  ['a number out of range', (crawl) => crawl.run({ maxPages: 0 })],
  ['a value of the wrong type', (crawl) => crawl.generate({ topN: '5' } as object)],
  ['a segment that does not exist', (crawl) => crawl.update({ segments: ['20260101000000'] })],
])('refuses %s', async (_, call) => {
  await using crawl = await openCrawl(newDirectory(), SETTINGS)
  const error = await call(crawl).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConfigurationError)
  expect((error as ConfigurationError).code).toMatch(/^(OPTION_INVALID|SEGMENT_UNUSABLE)$/)
})

it('rejects unknown settings with a code', async () => {
  const opening = openCrawl(newDirectory(), { politness: {} } as object)
  await expect(opening).rejects.toMatchObject({ name: 'ConfigurationError', code: 'SETTING_INVALID' })
})
