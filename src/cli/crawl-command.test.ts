import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import type { CrawlResult } from '../flows/cycle/crawl-rounds.ts'
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
    expect(stdout).toMatch(/^6 pages in \d rounds, .* finished: no URL is due\n6 fetched, 1 redirected\n/)
    expect(stderr).toContain('round 1: 1 URL in segment')
    const origin = new URL(seed).origin
    const requested = crawls.web.hits.map(({ url }) => url).filter((url) => url.startsWith(origin))
    const expected = crawls.web.expected.map(({ url }) => url).filter((url) => url.startsWith(origin))
    expect(new Set(requested)).toEqual(new Set([...expected, `${origin}/robots.txt`]))
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

  it('stops when interrupted, prints how to resume, and resumes', async () => {
    await command(['inject', dir, seed])
    const terminal = new RecordingTerminal()
    terminal.interrupt()
    expect(await run(['crawl', dir, ...QUICK], terminal)).toBe(3)
    expect(terminal.stdout).toContain(`Resume with: orbweaver crawl ${dir}\n`)
    expect(await commandJson(['crawl', dir, ...QUICK])).toMatchObject({ ended: 'nothing due', pages: 6 })
  })

  it('refuses a crawl that another process works on, with its pid', async () => {
    await command(['inject', dir, seed])
    const ended = Promise.withResolvers<void>()
    const { withCrawl } = await import('../wiring/crawl-session.ts')
    const other = withCrawl({ dir, command: 'fetch' }, async () => {
      const { exitCode, stderr } = await command(['crawl', dir, ...QUICK])
      expect(exitCode).toBe(3)
      expect(stderr).toMatch(new RegExp(`^error: .*pid ${process.pid} on .*running "fetch".*--force.*\n$`))
      ended.resolve()
    })
    await Promise.all([other, ended.promise])
  })
})

describe('a site on this machine', () => {
  let site: Server
  let home: string

  beforeAll(async () => {
    site = createServer(({ url, headers }, response) => {
      if (url === '/robots.txt') response.writeHead(403).end()
      else if (headers.host?.startsWith('127.0.0.1'))
        response.writeHead(302, { location: home.replace('127.0.0.1', '127.0.0.2') }).end()
      else response.setHeader('content-type', 'text/html').end('<title>there</title>')
    })
    await new Promise<void>((resolve) => site.listen(0, '0.0.0.0', resolve))
    home = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  })

  afterAll(() => site.close())

  it('is crawled without a flag; another address it leads to is refused, with the flag that permits it', async () => {
    const { stdout, stderr } = await command(['crawl', dir, home, '--scope', 'any', ...QUICK])
    expect(stderr).toContain(
      'warning: 127.0.0.2 is not a public address; --allow-host 127.0.0.2 permits it\n',
    )
    expect(stdout).toContain('robots.txt of 1 site returned 401 or 403')
    expect(JSON.parse(await readFile(join(dir, 'private-hosts.json'), 'utf8'))).toEqual({ hosts: [] })
  })

  it('may lead to an address that --allow-host permits', async () => {
    const flags = ['--scope', 'any', '--allow-host', '127.0.0.2', ...QUICK]
    expect(await commandJson(['crawl', dir, home, ...flags])).toMatchObject({ pages: 1, robotsForbidden: 2 })
  })
})
