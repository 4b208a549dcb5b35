import { existsSync, globSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { command, commandJson, DemoCrawls } from '../../testing/command-line.ts'
import { requireS3Server } from '../../testing/require-s3-server.ts'
import { startS3Server } from '../../testing/s3-server.ts'

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

  it('writes one Markdown file for all pages when its name ends in .md', async () => {
    const out = crawls.path('all.md')
    await command(['export', dir, '--format', 'markdown', '--out', out])
    expect(readFileSync(out, 'utf8').match(/^url: /gm)).toHaveLength(pages)
  })

  it('writes chunks of a size', async () => {
    const out = crawls.path('chunks.jsonl')
    await command(['export', dir, '--format', 'chunks', '--chunk-size', '300', '--out', out])
    const chunks = readFileSync(out, 'utf8').trimEnd().split('\n')
    const parsed = chunks.map(
      (line) => JSON.parse(line) as { id: string; text: string; breadcrumbs: string[] },
    )
    expect(parsed.every(({ text }) => text.length > 0 && text.length <= 300)).toBe(true)
    expect(new Set(parsed.map(({ id }) => id)).size).toBe(parsed.length)
    expect(parsed.some(({ breadcrumbs }) => breadcrumbs.length > 0)).toBe(true)
  })

  it.each([
    ['--chunk-size', '20'],
    ['--chunk-overlap', '1500'],
  ])('rejects %s %s', async (flag, value) => {
    const out = crawls.path('rejected.jsonl')
    const result = await command(['export', dir, '--format', 'chunks', flag, value, '--out', out])
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('at least 100 characters') })
    expect(existsSync(out)).toBe(false)
  })

  it('writes main content and structured data with --clean', async () => {
    const out = crawls.path('clean.jsonl')
    await command(['export', dir, '--clean', '--out', out])
    expect(readFileSync(out, 'utf8').trimEnd().split('\n')).toHaveLength(pages)
  })

  it.runIf(requireS3Server())('puts each format into an object store', async () => {
    await using server = await startS3Server()
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value)
    try {
      const out = 's3://crawls/exports/pages.jsonl'
      expect(await command(['export', dir, '--out', out])).toMatchObject({
        exitCode: 0,
        stdout: `${pages} pages in ${out}\n`,
      })
      const local = crawls.path('same.jsonl')
      await command(['export', dir, '--out', local])
      expect(readFileSync(`${server.folder}/exports/pages.jsonl`)).toEqual(readFileSync(local))
      await command(['export', dir, '--format', 'warc', '--out', 's3://crawls/pages.warc.gz'])
      const warc = gunzipSync(readFileSync(`${server.folder}/pages.warc.gz`)).toString('latin1')
      expect(warc.match(/^WARC-Type: response\r$/gm)).toHaveLength(pages)
      expect(warc).toContain('WARC-Filename: pages.warc.gz\r\n')
      await command(['export', dir, '--format', 'markdown', '--out', 's3://crawls/md/'])
      expect(globSync(`${server.folder}/md/**/*.md`)).toHaveLength(pages)
      expect(await command(['export', dir, '--out', 's3://no-such-bucket/pages.jsonl'])).toMatchObject({
        exitCode: 3,
        stderr: expect.stringMatching(/^error: s3:\/\/no-such-bucket.*: there is no such bucket at .*\n$/),
      })
      expect(await command(['export', dir, '--out', 's3://crawls'])).toMatchObject({ exitCode: 2 })
    } finally {
      vi.unstubAllEnvs()
    }
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
