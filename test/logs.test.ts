import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GatedSite, serveGatedSite } from '../testing/gated-site.ts'
import { runOrbweaver } from './run-orbweaver.ts'
import { StartedOrbweaver } from './started-orbweaver.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-logs-'))
const servers: Server[] = []
/** A site with a page that does not exist, and one whose robots.txt fails. */
let site: string
let withoutRobots: string
let log: string
let dir: string
let tests = 0

const QUICK = ['--delay', '0', '--email', 'test@example.org']

interface LoggedEvent {
  readonly time: string
  readonly level: string
  readonly topic: string
  readonly code: string
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

beforeAll(async () => {
  site = await serve('127.0.0.1', (url) => {
    if (url === '/')
      return [200, '<title>Start</title><a href="/a">a</a><a href="/gone">gone</a><a href="/pdf">PDF</a>']
    if (url === '/pdf') return [200, '%PDF-1.4 broken', 'application/pdf']
    return url === '/a' ? [200, '<title>A</title>'] : [404, '']
  })
  withoutRobots = await serve('127.0.0.2', () => [503, ''])
})

afterAll(() => {
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true })
})

beforeEach(() => {
  dir = join(folder, `crawl-${++tests}`)
  log = join(folder, `log-${tests}`)
})

async function serve(
  address: string,
  respond: (url: string) => [status: number, body: string, type?: string],
): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const [status, body, type = 'text/html'] = respond(url)
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  servers.push(server)
  return `http://${address}:${(server.address() as AddressInfo).port}/`
}

/** A spider whose items are stored, rejected by the schema and dropped by the pipeline. */
function spider(): string {
  const file = join(folder, `spider-${tests}.mjs`)
  const starts = [site, `${site}a`, `${site}gone`, withoutRobots]
  writeFileSync(
    file,
    `const titled = { '~standard': { version: 1, vendor: 'test', validate: (value) =>
       value.title === undefined ? { issues: [{ message: 'the title is missing' }] } : { value } } }
     const { spider, drop } = await import(${JSON.stringify(join(import.meta.dirname, '../dist/spider.js'))})
     export default spider({
       name: 'logged', start: ${JSON.stringify(starts)}, item: titled,
       pipelines: [{ process: (item) => item.title === 'A' ? drop('title A') : item }],
       parse: (page) => [page.item({ title: page.text('title') }), page.item({})],
       retry: { retries: { robots: 0 } },
     })`,
  )
  return file
}

/** The events of a text of JSON lines, each of which is checked. */
function events(text: string): LoggedEvent[] {
  expect(text).toMatch(/\n$/)
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const event = JSON.parse(line)
      expect(Object.keys(event).slice(0, 5)).toEqual(['time', 'level', 'topic', 'code', 'message'])
      expect(new Date(event.time).toISOString()).toBe(event.time)
      return event
    })
}

function codes(all: readonly LoggedEvent[]): string[] {
  return all.map(({ code }) => code)
}

const JSON_LOG = ['--log-format', 'json', '--log-level', 'debug']

describe('a log file in JSON', () => {
  it('has the events of a crawl, and standard output has one document', async () => {
    const { exitCode, stdout } = await runOrbweaver([
      ...['crawl', dir, site, withoutRobots, ...QUICK, '--log-file', log, ...JSON_LOG, '--json'],
    ])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ pages: 3 })
    const all = events(readFileSync(log, 'utf8'))
    expect(codes(all)).toEqual(
      expect.arrayContaining([
        'ROUND_STARTED',
        'PAGE_FETCHED',
        'REQUEST_FAILED',
        'PAGE_FAILED',
        'PARSE_FAILED',
        'CRAWLDB_UPDATED',
      ]),
    )
    expect(codes(all)[0]).toBe('CRAWL_STARTED')
    expect(codes(all).at(-1)).toBe('CRAWL_FINISHED')
    const robots = all.find(({ code }) => code === 'ROBOTS_UNREACHABLE')
    expect(robots).toMatchObject({ level: 'warning', url: `${withoutRobots}robots.txt` })
    expect(robots?.data?.['retryAt']).toBeGreaterThan(Date.parse(robots?.time ?? ''))
  })

  it('has the events of a spider, and standard output has one document', async () => {
    const { exitCode, stdout, stderr } = await runOrbweaver([
      ...['run', spider(), ...QUICK, '--log-file', log, ...JSON_LOG, '--json'],
    ])
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(stdout)).toMatchObject({ stats: { pages: 2, items: 1, rejected: 2 } })
    const all = events(readFileSync(log, 'utf8'))
    expect(codes(all)).toEqual(
      expect.arrayContaining(['PAGE_FETCHED', 'REQUEST_FAILED', 'DEAD_LETTER', 'ROBOTS_UNREACHABLE']),
    )
    expect(codes(all)[0]).toBe('CRAWL_STARTED')
    expect(codes(all).at(-1)).toBe('CRAWL_FINISHED')
    expect(all.find(({ code }) => code === 'ITEM_REJECTED')?.data).toEqual({ reason: 'the title is missing' })
    expect(all.find(({ code }) => code === 'ITEM_DROPPED')).toMatchObject({
      ...{ url: `${site}a`, data: { reason: 'title A' } },
    })
  })

  it('has the levels of the topics', async () => {
    const levels = ['--log-level', 'warning,fetch=debug,crawldb=info']
    await runOrbweaver(['crawl', dir, site, withoutRobots, ...QUICK, '--log-file', log, ...levels])
    const all = events(readFileSync(log, 'utf8'))
    expect([...new Set(codes(all))].sort()).toEqual([
      ...['CRAWLDB_UPDATED', 'PAGE_FAILED', 'PAGE_FETCHED', 'REQUEST_FAILED', 'ROBOTS_UNREACHABLE'],
    ])
  })

  it('is a warning if it cannot be written, and the crawl succeeds', async () => {
    mkdirSync(log)
    const { exitCode, stdout, stderr } = await runOrbweaver(['crawl', dir, site, ...QUICK, '--log-file', log])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^3 pages in 2 rounds/)
    expect(stderr).toMatch(/^warning: the log file .* cannot be written: EISDIR.*; the crawl continues/m)
  })
})

describe('a log on standard error', () => {
  it('has nothing but JSON lines with --log-format json, the error included', async () => {
    const { exitCode, stderr } = await runOrbweaver([...['crawl', dir, withoutRobots, ...QUICK, ...JSON_LOG]])
    expect(exitCode).toBe(3)
    expect(events(stderr).at(-1)).toMatchObject({
      ...{ level: 'error', topic: 'crawl', code: 'NOTHING_FETCHED' },
      message: expect.stringMatching(/^0 pages: robots\.txt of /),
    })
  })

  it('is empty with --quiet: only the result is printed', async () => {
    const { stdout, stderr } = await runOrbweaver(['crawl', dir, site, withoutRobots, ...QUICK, '--quiet'])
    expect(stdout).toMatch(/^3 pages in 2 rounds/)
    expect(stderr).toBe('')
  })

  it('has only errors with --quiet', async () => {
    const { exitCode, stderr } = await runOrbweaver(['crawl', dir, withoutRobots, ...QUICK, '--quiet'])
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/^error: 0 pages: [^\n]*\n$/)
  })
})

describe('logrotate', () => {
  let gated: GatedSite

  beforeEach(async () => {
    gated = await serveGatedSite(3)
  })

  it('gets a new file after SIGHUP', async () => {
    const run = new StartedOrbweaver(['crawl', dir, gated.url, ...QUICK, '--log-file', log])
    try {
      await expect.poll(() => fileText(log), { timeout: 30_000 }).toMatch(/ROUND_STARTED/)
      renameSync(log, `${log}.1`)
      run.kill('SIGHUP')
      await expect.poll(() => fileText(log), { timeout: 30_000 }).toBe('')
      gated.allow(3)
      expect((await run.ended).exitCode).toBe(0)
    } finally {
      run.kill('SIGKILL')
      await run.ended
      await gated.close()
    }
    expect(codes(events(readFileSync(`${log}.1`, 'utf8')))[0]).toBe('CRAWL_STARTED')
    expect(codes(events(readFileSync(log, 'utf8'))).at(-1)).toBe('CRAWL_FINISHED')
  })
})

function fileText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
