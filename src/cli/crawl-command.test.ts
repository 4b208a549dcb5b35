import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import type { CrawlResult } from '../cycle/crawl.ts'
import { run } from './main.ts'

let crawls: DemoCrawls
let seed: string
let dir: string
let runs = 0

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  seed = crawls.web.url('home', '/')
})

beforeEach(() => {
  dir = crawls.path(`crawl-${++runs}`)
})

afterAll(() => crawls.close())

async function hosts(): Promise<string[]> {
  const sql = 'select distinct host from crawldb order by host'
  const rows = await commandJson<{ host: string }[]>(['readdb', dir, '--sql', sql])
  return rows.map(({ host }) => host)
}

describe('crawl', () => {
  it('finds all that a polite crawler can, stays on the host of its seed, and has nothing to do a second time', async () => {
    const { exitCode, stdout, stderr } = await command(['crawl', dir, seed, ...QUICK])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^6 pages in \d rounds, .* nothing more is due\n6 fetch_success, 1 fetch_redir_perm\n/,
    )
    expect(stderr).toContain('round 1: 1 URL in segment')
    const origin = new URL(seed).origin
    const asked = crawls.web.hits.map(({ url }) => url).filter((url) => url.startsWith(origin))
    const expected = crawls.web.expected.map(({ url }) => url).filter((url) => url.startsWith(origin))
    expect(new Set(asked)).toEqual(new Set([...expected, `${origin}/robots.txt`]))
    expect(await hosts()).toEqual([new URL(seed).hostname])
    expect(await command(['crawl', dir, ...QUICK])).toMatchObject({
      exitCode: 1,
      stdout: `nothing is due; see: orbweaver readdb ${dir} --stats\n`,
    })
  })

  it.each([
    [['--rounds', '1'], { ended: 'rounds', pages: 1 }],
    [['--max-pages', '3'], { ended: 'pages', pages: 3 }],
    [['--depth', '0'], { ended: 'nothing due', pages: 1 }],
    [['--max-time', '0.0001', '--delay', '2'], { ended: 'time limit' }],
  ])('ends at %j', async (flags, expected) => {
    const result = await commandJson<CrawlResult>(['crawl', dir, seed, ...QUICK, ...flags])
    expect(result).toMatchObject(expected)
  })

  it('goes beyond the hosts of its seeds with --scope any', async () => {
    await command(['crawl', dir, seed, '--scope', 'any', '--rounds', '1', ...QUICK])
    expect((await hosts()).length).toBeGreaterThan(1)
  })

  it('ends cleanly when interrupted, says how to go on, and goes on', async () => {
    const terminal = new RecordingTerminal()
    terminal.interrupt()
    expect(await run(['crawl', dir, seed, ...QUICK], terminal)).toBe(3)
    expect(terminal.stdout).toContain(`to go on: orbweaver crawl ${dir}\n`)
    expect(await commandJson(['crawl', dir, ...QUICK])).toMatchObject({ ended: 'nothing due', pages: 6 })
  })

  it('refuses a crawl that another process works on, with its pid', async () => {
    await command(['inject', dir, seed])
    const ended = Promise.withResolvers<void>()
    const { withCrawl } = await import('./crawl-session.ts')
    const request = { dir, flags: { json: false, force: false }, config: {}, command: 'fetch' }
    const other = withCrawl(request, async () => {
      const { exitCode, stderr } = await command(['crawl', dir, ...QUICK])
      expect(exitCode).toBe(3)
      expect(stderr).toMatch(new RegExp(`^error: .*pid ${process.pid} on .*running "fetch".*--force.*\n$`))
      ended.resolve()
    })
    await Promise.all([other, ended.promise])
  })
})
