import { existsSync, globSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls } from '../../testing/command-line.ts'

let crawls: DemoCrawls
let dir: string
let pages: number

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = await crawls.crawl('crawl')
  const sql = "select url from crawldb where status = 'db_fetched'"
  pages = (await commandJson<unknown[]>(['readdb', dir, '--sql', sql])).length
})

afterAll(() => crawls.close())

describe('export', () => {
  it('writes JSON lines', async () => {
    const out = crawls.path('pages.jsonl')
    expect(await command(['export', dir, '--out', out])).toMatchObject({
      exitCode: 0,
      stdout: `${pages} pages in ${out}\n`,
    })
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(pages)
    expect(lines.map((line) => (JSON.parse(line) as { url: string }).url)).toContain(
      crawls.web.url('home', '/'),
    )
  })

  it('writes Parquet', async () => {
    const out = crawls.path('pages.parquet')
    expect(await commandJson(['export', dir, '--format', 'parquet', '--out', out])).toEqual({
      format: 'parquet',
      out,
      pages,
    })
    expect(readFileSync(out).subarray(0, 4).toString()).toBe('PAR1')
  })

  it('writes WARC with request and response', async () => {
    const out = crawls.path('pages.warc.gz')
    await command(['export', dir, '--format', 'warc', '--out', out])
    const warc = gunzipSync(readFileSync(out)).toString('latin1')
    expect(warc.startsWith('WARC/1.1\r\n')).toBe(true)
    expect(warc.match(/^WARC-Type: response\r$/gm)).toHaveLength(pages)
    expect(warc.match(/^WARC-Type: request\r$/gm)).toHaveLength(pages)
  })

  it('writes a Markdown file for each page', async () => {
    const out = crawls.path('pages')
    await command(['export', dir, '--format', 'markdown', '--out', out])
    expect(globSync(`${out}/**/*.md`)).toHaveLength(pages)
  })

  it('writes one segment alone', async () => {
    const { segments } = await commandJson<{ segments: { name: string }[] }>(['readseg', dir])
    const flags = ['--out', crawls.path('some.jsonl'), '--segment', segments[0]?.name ?? '']
    expect(await commandJson(['export', dir, ...flags])).toMatchObject({ pages: 2 })
  })

  it('writes nothing when there is no page', async () => {
    const empty = crawls.path('empty')
    await command(['inject', empty, 'http://a.test/'])
    const out = crawls.path('none.jsonl')
    expect(await command(['export', empty, '--out', out])).toMatchObject({
      exitCode: 1,
      stdout: 'no page to export\n',
    })
    expect(existsSync(out)).toBe(false)
  })

  it.each(['jsonl', 'parquet', 'warc', 'markdown'])(
    'tells in one line that %s cannot be written there',
    async (format) => {
      const file = crawls.path('in-the-way.jsonl')
      await command(['export', dir, '--out', file])
      const { exitCode, stderr } = await command(['export', dir, '--format', format, '--out', `${file}/x`])
      expect(exitCode).toBe(3)
      expect(stderr).toMatch(/^error: .*in-the-way.*\n$/)
    },
  )

  it('wants to know where to', async () => {
    expect(await command(['export', dir])).toMatchObject({
      exitCode: 2,
      stderr: "error: required option '--out <file>' not specified\n",
    })
  })
})
