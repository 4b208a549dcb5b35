import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'
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
    expect(stdout).toMatch(/^sqlite: \d+ pages indexed/)
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

  it('creates a deleted index again, and indexes every page with --all', async () => {
    const [{ put } = { put: 0 }] = await commandJson<TargetResult[]>(['index', dir, '--all'])
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
