import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findLiveCrawl } from '../../src/adapters/crawl-directory/control/remote-live-crawl.ts'
import { openCrawlDirectoryToRead } from '../../src/adapters/duckdb/open-crawl-directory-to-read.ts'
import { CommandProcess, runCommand } from '../crash/command-process.ts'
import { type SmallWeb, startSmallWeb } from '../crash/small-web.ts'

const OPTIONS = { command: 'test', memoryMb: 128, threads: 1 }

let folder: string
let seeds: string
let web: SmallWeb
let prepared: string
let dir: string
let crawls = 0
let owner: CommandProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-live-'))
  web = await startSmallWeb(5)
  seeds = join(folder, 'seeds')
  writeFileSync(seeds, web.seedLines.join('\n'))
  prepared = join(folder, 'prepared')
  await runCommand(['crawl', prepared, seeds, '--rounds', '1', '--delay', '0', '--index'])
})
afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A crawl with pages and an index, which runs for minutes. */
beforeEach(async () => {
  dir = join(folder, `crawl-${++crawls}`)
  cpSync(prepared, dir, { recursive: true })
  owner = new CommandProcess(['crawl', dir, seeds, '--delay', '4', '--index'])
  await owner.says('round 1')
})
afterEach(async () => {
  owner.kill('SIGKILL')
  await owner.ended
})

async function json(...args: string[]) {
  const { exitCode, stdout, stderr } = await runCommand([...args, '--json'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(NOTHING_BUT_STEPS) })
  return JSON.parse(stdout)
}

/** What the runner of these processes adds. */
const NOTHING_BUT_STEPS = /^\n\d+ steps\n$/

/** The value of `read` once it satisfies `isReached`. */
async function eventually<T>(read: () => Promise<T>, isReached: (value: T) => boolean): Promise<T> {
  for (let i = 0; i < 400; i++) {
    const value = await read()
    if (isReached(value)) return value
    await sleep(50)
  }
  throw new Error('it was not reached')
}

const seedUrl = () => readFileSync(seeds, 'utf8').split('\t')[0] ?? ''

describe('a crawl that runs', () => {
  it('is read by every command, through its process', async () => {
    const url = seedUrl()
    expect((await json('readdb', dir, '--stats')).total).toBeGreaterThan(100)
    expect(await json('readdb', dir, '--url', url)).toMatchObject({ url, status: 'db_fetched' })
    const [{ n }] = await json('readdb', dir, '--sql', 'SELECT count(*) AS n FROM crawldb')
    expect(n).toBeGreaterThan(100)
    for (const format of ['csv', 'jsonl', 'parquet']) {
      const file = join(folder, `dump.${format}`)
      const { records } = await json('readdb', dir, '--dump', file, '--format', format)
      expect(records).toBeGreaterThanOrEqual(n)
      if (format === 'jsonl') expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(records)
    }
    expect(await json('explain', dir, url)).toMatchObject({ record: { url }, seed: true })
    expect((await json('readseg', dir)).segments.length).toBeGreaterThanOrEqual(1)
    expect(await json('readseg', dir, '--get', url)).toMatchObject([{ url }])
    expect((await runCommand(['readlinkdb', dir, '--url', url])).exitCode).toBeLessThan(2)
    expect((await json('search', dir, 'page')).total).toBeGreaterThan(0)
    expect(await runCommand(['items', dir, '--out', '-'])).toMatchObject({ exitCode: 1 })
    expect(await runCommand(['failed', dir])).toMatchObject({
      exitCode: 1,
      stdout: 'no request has failed\n',
    })
    const { pages } = await json('export', dir, '--out', join(folder, 'pages.jsonl'))
    expect(pages).toBeGreaterThan(10)
    expect(await json('status', dir)).toMatchObject({
      running: { kind: 'cycle', pid: owner.pid, state: 'running' },
    })
    expect((await runCommand(['status', dir])).stdout).toMatch(/state {4}running.*\n.*pid \d+/)
  })

  it('is paused, resumed and stopped, and status tells each state', async () => {
    expect(await json('pause', dir)).toMatchObject({ ok: true })
    expect((await json('status', dir)).running.state).toBe('paused')
    const before = (await json('status', dir)).running.totals.requests
    expect((await runCommand(['status', dir])).stdout).toContain(`to resume: orbweaver resume ${dir}`)
    expect((await json('status', dir)).running.totals.requests).toBe(before)
    expect(await json('resume', dir)).toMatchObject({ ok: true })
    await eventually(
      () => json('status', dir),
      ({ running }) => running.totals.requests > before,
    )
    expect(await json('stop', dir)).toMatchObject({ ok: true })
    expect((await owner.ended).stdout).toContain('interrupted')
    expect(await runCommand(['stop', dir])).toMatchObject({
      exitCode: 1,
      stdout: `${dir}: no crawl is running\n`,
    })
    expect(await json('status', dir)).toMatchObject({ running: null, stored: { urls: expect.any(Number) } })
    expect(readdirSync(dir)).not.toContain('.control')
  })

  it('serves 50 readers at once, and continues to fetch', async () => {
    const requests = async () => (await (await findLiveCrawl(dir))?.report())?.totals.requests ?? 0
    const before = await requests()
    const results = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const directory = await openCrawlDirectoryToRead(dir, OPTIONS)
        try {
          const { total } = await directory.db.stats()
          const { rows } = await directory.reader.sql('SELECT * FROM crawldb')
          return rows.length >= total
        } finally {
          await directory.close()
        }
      }),
    )
    expect(new Set(results)).toEqual(new Set([true]))
    await eventually(requests, (now) => now > before)
  })

  it('interrupts the query of a reader that is killed', async () => {
    const query = 'SELECT count(*) FROM range(100000000000) a WHERE hash(a.range) = 1'
    const reader = new CommandProcess(['readdb', dir, '--sql', query])
    // It has the only place for scans once another one waits for it.
    const directory = await openCrawlDirectoryToRead(dir, OPTIONS)
    const isRunning = () =>
      Promise.race([directory.reader.sql('SELECT 1').then(() => false), sleep(1_000).then(() => true)])
    await eventually(isRunning, (value) => value)
    // Lookups do not wait for it, nor does the crawl.
    expect((await directory.db.stats()).total).toBeGreaterThan(0)
    expect((await (await findLiveCrawl(dir))?.report())?.state).toBe('running')
    reader.kill('SIGKILL')
    expect((await directory.reader.sql('SELECT 2 AS n')).rows).toEqual([[2]])
    await directory.close()
  })

  it('is read from its files after its process was killed', async () => {
    const directory = await openCrawlDirectoryToRead(dir, OPTIONS)
    const { total } = await directory.db.stats()
    owner.kill('SIGKILL')
    await owner.ended
    expect((await directory.db.stats()).total).toBeGreaterThanOrEqual(total)
    await directory.close()
    expect(readdirSync(dir)).toContain('.control')
    expect((await json('readdb', dir)).total).toBeGreaterThanOrEqual(total)
    expect(await json('status', dir)).toMatchObject({ running: null })
  })

  it('is still read when another process overrode its lock', async () => {
    const forced = await runCommand(['updatedb', dir, '--force'])
    expect(forced).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('in use by') })
    expect((await json('readdb', dir)).total).toBeGreaterThan(100)
    expect(await json('status', dir)).toMatchObject({ running: { pid: owner.pid } })
  })
})

describe('a process that wants to write', () => {
  it('waits for one that reads the files', async () => {
    owner.kill('SIGKILL')
    await owner.ended
    const directory = await openCrawlDirectoryToRead(dir, OPTIONS)
    const writer = new CommandProcess(['updatedb', dir])
    await writer.says(`waiting for PID ${process.pid}, which is reading`)
    await directory.close()
    const { exitCode } = await writer.ended
    expect(exitCode).toBeLessThan(2)
  })
})
