import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MemoryIndex } from '../../testing/memory-index.ts'
import { defaultRules } from '../../testing/rule-sets.ts'
import { openCrawlDirectory } from '../adapters/duckdb/open-crawl-directory.ts'
import { ParquetSegments } from '../adapters/duckdb/segments/parquet-segments.ts'
import type { RecordedPage } from '../domain/segment/segment-store.ts'
import { indexPages } from '../flows/cycle/index-pages.ts'
import { drop } from '../flows/spider/hooks.ts'
import { type Spider, spider } from './define-spider.ts'
import { runSpider } from './run-spider.ts'

/** /1 leads to /2, and so on to /5, which is /4 once more. A form is at /form. */
let server: Server
let home: string
let dir: string

beforeAll(async () => {
  server = createServer(({ url = '/' }, response) => {
    const n = url === '/form' ? 9 : Math.min(4, Number(url.slice(1)))
    response.writeHead(n >= 1 ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
    response.end(`<title>Page ${n}</title><p>Text ${n}</p><a href="/${n + 1}">next</a>`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-spider-pages-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const settings = { politeness: { delaySeconds: 0 }, agent: { email: 'test@localhost' } }

function run(more: Partial<Spider> = {}, options: Parameters<typeof runSpider>[1] = {}) {
  const made = spider({
    name: 'pages',
    start: `${home}/1`,
    *parse(page) {
      yield* page.followAll('a')
    },
    ...more,
  })
  return runSpider(made, { settings, dir, keepPages: true, ...options })
}

async function keptPages(): Promise<RecordedPage[]> {
  const segments = await ParquetSegments.open(dir, { threads: 1 })
  try {
    const pages: RecordedPage[] = []
    for await (const batch of segments.pages(await segments.list())) pages.push(...batch)
    return pages
  } finally {
    segments.close()
  }
}

describe('keepPages', () => {
  it('keeps fetched pages, one segment per run with pages', async () => {
    await run({}, { maxPages: 2 })
    await run()
    await run()
    expect(readdirSync(join(dir, 'segments'))).toHaveLength(2)
    const pages = await keptPages()
    expect(pages.map(({ fetch, parseData }) => [fetch.url, parseData?.title])).toEqual(
      [1, 2, 3, 4, 5].map((n) => [`${home}/${n}`, `Page ${Math.min(4, n)}`]),
    )
    expect(pages[0]).toMatchObject({
      fetch: { status: 'fetch_success', contentType: 'text/html', metadata: { handler: 'parse' } },
      content: { httpStatus: 200 },
      parseText: { text: expect.stringContaining('Text 1') },
      parseData: { outlinks: [`${home}/2`], anchors: ['next'] },
    })
  })

  it('writes a page to disk before its request counts as done, and does not request it again', async () => {
    const kept: number[] = []
    await run({
      limits: { maxPages: 1 },
      *parse(page) {
        yield page.item({ url: page.url })
      },
      // Told when the page is settled.
      onItem: async () => void kept.push((await keptPages()).length),
    })
    expect(kept).toEqual([1])
  })

  it('keeps no pages without keepPages, which needs a directory', async () => {
    await run({}, { keepPages: false })
    expect(readdirSync(join(dir, 'segments'))).toEqual([])
    await expect(
      runSpider(spider({ name: 'x', start: home, parse() {} }), { keepPages: true }),
    ).rejects.toThrow(/--dir/)
  })

  it('leaves out errors, responses to forms and dropped pages, but not pages whose handler failed', async () => {
    await run({
      start: [`${home}/1`, `${home}/2`, `${home}/3`, `${home}/gone`],
      hooks: [{ response: (page) => (page.url.endsWith('/2') ? drop('no') : undefined) }],
      *parse(page) {
        if (page.url.endsWith('/3')) throw new Error('oops')
        if (page.url.endsWith('/1')) yield page.follow('/form', { body: 'a=1' })
      },
    })
    expect((await keptPages()).map(({ fetch }) => fetch.url)).toEqual([`${home}/1`, `${home}/3`])
  })

  it('creates a directory that can be indexed without duplicates, and that needs no updatedb', async () => {
    await run()
    const directory = await openCrawlDirectory(dir, { command: 'test', memoryMb: 128 })
    try {
      const segments = readdirSync(join(dir, 'segments'))
      const { parts } = await directory.db.update({ segments, rules: defaultRules, now: Date.now() })
      expect(parts).toBe(0)
      await directory.db.markDuplicates()
      await directory.links.invert({ segments })
      const index = new MemoryIndex()
      const document = { scoring: defaultRules.scoring, canonical: false, maxTitleLength: 100, metadata: [] }
      const [result] = await indexPages(
        directory.indexLedger,
        [{ key: 'memory', open: async () => index.writer() }],
        { document, deleteGone: true, all: false, content: true, maxAnchors: 10, rules: '' },
        new AbortController().signal,
      )
      expect(result).toMatchObject({ ended: 'done', put: 4 })
    } finally {
      await directory.close()
    }
  })
})
