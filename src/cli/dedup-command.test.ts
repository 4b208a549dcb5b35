import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls } from '../../testing/command-line.ts'

let crawls: DemoCrawls
let dir: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = await crawls.crawl('crawl')
})

afterAll(() => crawls.close())

describe('dedup', () => {
  it('refuses an order that it does not know', async () => {
    const { exitCode, stderr } = await command(['dedup', dir, '--compare-order', 'beauty'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('beauty')
  })

  it('marks all but one of each, and finds nothing more then', async () => {
    const order = ['--compare-order', 'httpsOverHttp,urlLength,score,fetchTime', '--group', 'host']
    const { exitCode, stdout } = await command(['dedup', dir, ...order])
    expect([exitCode, stdout]).toEqual([0, '1 duplicate of 1 page\n'])
    expect(await commandJson(['readdb', dir])).toMatchObject({ statuses: { db_duplicate: 1 } })
    expect(await command(['dedup', dir, ...order])).toMatchObject({ exitCode: 1, stdout: 'no duplicates\n' })
  })
})

describe('invertlinks and readlinkdb', () => {
  it('know no link before they are gathered', async () => {
    const { exitCode, stdout } = await command(['readlinkdb', dir, '--url', crawls.web.url('home', '/')])
    expect(exitCode).toBe(1)
    expect(stdout).toContain(`no inlinks; run orbweaver invertlinks ${dir}`)
  })

  it('gather who links to a page, with which words', async () => {
    const url = crawls.web.url('home', '/')
    expect((await command(['invertlinks', dir, '--internal'])).stdout).toMatch(/^\d+ links of \d+ pages\n$/)
    const { inlinks } = await commandJson<{ inlinks: { from: string }[] }>([
      ...['readlinkdb', dir, '--url', url],
    ])
    expect(inlinks.length).toBeGreaterThan(0)
    const { exitCode, stdout } = await command(['readlinkdb', dir, '--url', url])
    expect(exitCode).toBe(0)
    expect(stdout).toContain(inlinks[0]?.from)
  })

  it('refuse to leave out every link', async () => {
    expect((await command(['invertlinks', dir, '--ignore-external'])).exitCode).toBe(2)
  })
})
