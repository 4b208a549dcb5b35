import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'
import { indexFile, nodeSqlite } from '../adapters/sqlite-index/index-file.ts'
import type { SearchResult } from '../adapters/sqlite-index/search-index.ts'
import type { TargetResult } from '../flows/cycle/index-pages.ts'

let crawls: DemoCrawls
let dir: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = await crawls.crawl('crawl')
})

afterAll(() => crawls.close())

const total = async (query: string) => (await commandJson<SearchResult>(['search', dir, query])).total

describe('index', () => {
  it('creates the embedded index, then writes only changes', async () => {
    const { exitCode, stdout } = await command(['index', dir])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^sqlite: \d+ pages indexed(?!.*updated)/)
    expect(await total('bread')).toBeGreaterThan(0)
    expect(await command(['index', dir])).toMatchObject({ exitCode: 1, stdout: 'sqlite: up to date\n' })
  })

  it('removes duplicates', async () => {
    const before = await total('site:127')
    const all = await total('type:html')
    await command(['dedup', dir])
    expect(await commandJson(['index', dir])).toMatchObject([
      { target: 'sqlite', ended: 'done', put: 0, deleted: 1, unindexed: { duplicate: 1 } },
    ])
    expect([before, await total('type:html')]).toEqual([0, all - 1])
  })

  it('indexes the anchor text of links within a host, without invertlinks', async () => {
    const file = crawls.path('anchors.jsonl')
    await command(['index', dir, '--to', `jsonl:${file}`, '--all'])
    const pages = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(pages.some((page) => 'anchor' in page)).toBe(true)
    const { links } = await commandJson<{ links: number }>(['invertlinks', dir, '--internal'])
    expect(links).toBeGreaterThan(0)
  })

  it('adds the outlinks of pages if the configuration says so', async () => {
    const config = crawls.path('links.json')
    writeFileSync(config, JSON.stringify({ index: { links: ['outlinks'], maxLinks: 2 } }))
    const file = crawls.path('links.jsonl')
    await command(['index', dir, '--to', `jsonl:${file}`, '--config', config])
    const pages = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly meta_outlinks?: readonly string[] })
    const most = Math.max(...pages.map(({ meta_outlinks = [] }) => meta_outlinks.length))
    expect(most).toBe(2)
    expect(pages.flatMap(({ meta_outlinks = [] }) => meta_outlinks).every((url) => URL.canParse(url))).toBe(
      true,
    )
    expect(pages.some((page) => 'meta_inlinks' in page)).toBe(false)
  })

  it('makes an index of an earlier version again', async () => {
    const db = new (nodeSqlite().DatabaseSync)(indexFile(dir))
    db.exec(`UPDATE meta SET value = '1' WHERE key = 'version'`)
    db.close()
    expect(await command(['search', dir, 'bread'])).toMatchObject({
      stderr: expect.stringContaining(
        'it has version 1, this program makes version 2): orbweaver index makes it again',
      ),
    })
    const { exitCode, stderr } = await command(['index', dir])
    expect(exitCode).toBe(0)
    expect(stderr).toContain('made by an earlier version')
    expect(await total('bread')).toBeGreaterThan(0)
  })

  it('creates a deleted index again, and indexes every page with --all', async () => {
    const [{ put, updated } = { put: 0 }] = await commandJson<TargetResult[]>(['index', dir, '--all'])
    expect(updated).toBe(put)
    rmSync(join(dir, 'index'), { recursive: true })
    expect(await commandJson(['index', dir])).toMatchObject([{ ended: 'done', put }])
  })

  it('updates several indexes; one that fails does not stop the others', async () => {
    const file = crawls.path('pages.jsonl')
    const targets = ['--to', `jsonl:${file}`, '--to', 'jsonl:/nowhere/pages.jsonl']
    const { exitCode, stdout } = await command(['index', dir, ...targets])
    expect(exitCode).toBe(3)
    expect(stdout).toContain(`jsonl:${file}: `)
    expect(stdout).toContain('jsonl:/nowhere/pages.jsonl: no page indexed; failed\n')
    expect(readFileSync(file, 'utf8').split('\n').length).toBeGreaterThan(5)
  })

  it('indexes only pages of the named segments', async () => {
    const file = crawls.path('first.jsonl')
    const [first = ''] = readdirSync(join(dir, 'segments')).sort()
    const results = await commandJson<TargetResult[]>([
      ...['index', dir, '--to', `jsonl:${file}`, '--segments', first],
    ])
    expect(results[0]?.put).toBe(2)
  })

  it('deletes gone pages from the index, or lists them with --out', async () => {
    const named = (await command(['clean', dir, '--out', '-'])).stdout.trimEnd().split('\n')
    const { exitCode, stdout } = await command(['clean', dir])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(new RegExp(`^${named.length} URLs deleted from sqlite: `))
    expect(await commandJson(['clean', dir, '--to', 'sqlite', '--status', 'duplicate'])).toEqual({
      ...{ to: ['sqlite'], urls: 1, statuses: { db_duplicate: 1 } },
    })
    expect((await command(['clean', dir, '--to', 'sqlite', '--out', '-'])).exitCode).toBe(2)
  })

  it('rejects an unknown index before it starts', async () => {
    const { exitCode, stderr } = await command(['index', dir, '--to', 'sqlite', '--to', 'lucene:x'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('lucene')
  })

  it('rejects an exchange to an index that does not exist', async () => {
    const config = crawls.path('exchange.json')
    const targets = { news: `jsonl:${crawls.path('news.jsonl')}` }
    writeFileSync(config, JSON.stringify({ index: { targets, exchanges: [{ to: ['sqlite', 'nwes'] }] } }))
    const { exitCode, stderr } = await command(['index', dir, '--config', config])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(
      'index.exchanges: there is no index "nwes"; give one of news, sqlite, or an index',
    )
  })

  it('exits with 1 if there is nothing to index', async () => {
    const empty = crawls.path('empty')
    await command(['inject', empty, 'http://a.test/'])
    const { exitCode, stderr } = await command(['index', empty])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('has no pages yet')
    expect((await command(['index', crawls.path('none')])).stderr).toContain('there is no crawl')
  })

  it('indexes during a crawl, and reports it', async () => {
    const other = crawls.path('other')
    const args = ['crawl', other, crawls.web.url('home', '/'), '--index', ...QUICK]
    const result = await commandJson<{ pages: number; index: TargetResult[] }>(args)
    expect(result.index).toMatchObject([{ target: 'sqlite', ended: 'done' }])
    expect(result.index[0]?.put).toBeGreaterThan(2)
    const search = await commandJson<SearchResult>(['search', other, 'Ada'])
    expect(search.total).toBeGreaterThan(2)
  })
})
