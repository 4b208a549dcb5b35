import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'
import type { SegmentInfo } from '../domain/segment/segment-store.ts'

let crawls: DemoCrawls
let dir: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = await crawls.crawl('crawl')
})

afterAll(() => crawls.close())

async function segments(): Promise<readonly SegmentInfo[]> {
  return (await commandJson<{ segments: SegmentInfo[] }>(['readseg', dir, '--list'])).segments
}

describe('readseg', () => {
  it('lists the segments as a table and as JSON', async () => {
    const infos = await segments()
    expect(infos).toHaveLength(2)
    expect(infos[0]).toMatchObject({ generated: 2, fetched: 2, parsed: 2, complete: true })
    const { stdout } = await command(['readseg', dir])
    expect(stdout.split('\n')[0]).toMatch(/^segment +listed +fetched +parsed/)
    expect(stdout).toContain(`${infos[0]?.name}  2`)
  })

  it('gets all about one URL', async () => {
    const url = crawls.web.url('home', '/')
    const { stdout } = await command(['readseg', dir, '--get', url])
    expect(stdout).toMatch(/^segment \d{14}\n {2}fetch_success, SUCCESS, .*\n {2}HTTP 200 from 127/)
    const [page] = await commandJson<{ url: string; parseText: { text: string } }[]>([
      ...['readseg', dir, '--get', url],
    ])
    expect(page).toMatchObject({ url })
    const other = (await segments())[1]?.name ?? ''
    expect(await command(['readseg', dir, other, '--get', url])).toMatchObject({
      exitCode: 1,
      stdout: `${url} is not in any segment\n`,
    })
  })

  it('dumps pages as JSON lines', async () => {
    const file = crawls.path('pages.jsonl')
    const { name = '' } = (await segments())[0] ?? {}
    expect(await command(['readseg', dir, name, '--dump', file])).toMatchObject({
      exitCode: 0,
      stdout: `2 pages written to ${file}\n`,
    })
    const rows = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(rows.map((row) => (JSON.parse(row) as { url: string }).url).sort()).toEqual(
      [crawls.web.url('bakery', '/'), crawls.web.url('home', '/')].sort(),
    )
  })

  it('wants one of its flags, and a file that can be written', async () => {
    expect(await command(['readseg', dir, '--list', '--dump', 'x'])).toMatchObject({
      exitCode: 2,
      stderr: 'error: use only one of --list, --get and --dump\n',
    })
    const { exitCode, stderr } = await command(['readseg', dir, '--dump', dir])
    expect([exitCode, stderr]).toEqual([3, `error: ${dir}: is a directory\n`])
  })
})

/** Last: it leaves one segment. */
describe('mergesegs', () => {
  it('makes one segment of all, which is not merged into the CrawlDb again', async () => {
    const before = await segments()
    const { exitCode, stdout } = await command(['mergesegs', dir, '--delete'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^segment \d{14}: \d+ pages\n2 old segments deleted\n$/)
    const after = await segments()
    expect(after).toHaveLength(1)
    expect(after[0]?.fetched).toBe(before.reduce((sum, { fetched }) => sum + fetched, 0))
    expect((await command(['updatedb', dir])).exitCode).toBe(1)
    expect(await command(['mergesegs', dir, '--delete'])).toMatchObject({
      exitCode: 1,
      stdout: `${stdout.split('\n')[0]}, merged before\n`,
    })
    expect(await segments()).toEqual(after)
  })

  it('deletes nothing that a new CrawlDb does not have, though it was merged before', async () => {
    const moved = crawls.path('moved')
    cpSync(dir, moved, { recursive: true })
    rmSync(join(moved, 'crawldb.duckdb'))
    await command(['inject', moved, crawls.web.url('home', '/')])
    const { stdout } = await command(['mergesegs', moved, '--delete'])
    expect(stdout).toMatch(/merged before\nnot deleted, because their results are not merged yet: /)
    expect((await command(['updatedb', moved])).exitCode).toBe(0)
  })

  it('deletes no segment whose results are not in the CrawlDb yet', async () => {
    await command(['inject', dir, crawls.web.url('manual', '/')])
    const { segments: made } = await commandJson<{ segments: string[] }>(['generate', dir, '--top-n', '1'])
    const [name = ''] = made
    await command(['fetch', dir, name, ...QUICK])
    const { stdout } = await command(['mergesegs', dir, name, '--delete'])
    expect(stdout).toContain(
      `not deleted, because their results are not merged yet: orbweaver updatedb ${dir} ${name}\n`,
    )
    expect((await segments()).map((info) => info.name)).toContain(name)
  })

  it('has nothing to do without a segment', async () => {
    const empty = crawls.path('empty')
    await command(['inject', empty, 'http://a.test/'])
    expect(await command(['mergesegs', empty])).toMatchObject({ exitCode: 1 })
    expect(await command(['readseg', empty])).toMatchObject({
      exitCode: 1,
      stdout: 'the crawl has no segments\n',
    })
  })
})
