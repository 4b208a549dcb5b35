import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { steadyClock } from '../../base/clock.ts'
import { InlineParser } from '../../domain/parse/parse-page.ts'
import type { PageToParse } from '../../domain/parse/parsed-page.ts'
import { buildRules } from '../config/build-rules.ts'
import { loadSettings } from '../config/load-settings.ts'
import { ParsedTables } from '../crawl-directory/segment-tables.ts'
import type { RulesSource } from './parse-pool.ts'
import { ParsePool } from './parse-pool.ts'

const OWN_RULES = `
export default {
  agent: { name: 'testbot' },
  scoring: { opic: {}, depth: { maxDepth: 5 } },
  parse: { filters: [{
    name: 'words',
    filter({ url, reading }) {
      if (url.endsWith('/dies')) process.exit(1)
      if (url.endsWith('/hangs')) for (;;) {}
      if (url.endsWith('/waits')) return new Promise(() => {})
      return { metadata: { words: String(reading.text.split(/\\s+/).length) } }
    },
  }] },
}`

let directory: string
let rules: RulesSource
let clock: FakeClock
let pool: ParsePool
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'parse-pool-'))
  const file = join(directory, 'orbweaver.config.mjs')
  writeFileSync(file, OWN_RULES)
  rules = { settings: { file, environment: {}, flags: {} } }
  clock = new FakeClock()
  pool = new ParsePool(clock, rules, { threads: 2, timeoutMs: 500 })
})
afterAll(async () => {
  await pool.close()
  rmSync(directory, { recursive: true })
})

function pageAt(path: string): PageToParse {
  const html = `<title>${path}</title><p>three small words <a href="/next">on</a> <a href="http://b.test/">b</a>`
  return {
    url: `http://a.test${path}`,
    headers: [['content-type', 'text/html']],
    // Small buffers share one memory pool of Node.
    bytes: Buffer.from(html),
    truncated: false,
    score: 1,
    metadata: { _depth_: '1' },
  }
}

it('returns the same result as parsing in the same thread and does not change the bytes', async () => {
  const inline = new InlineParser(buildRules(await loadSettings(rules.settings), { clock: steadyClock }))
  const page = pageAt('/page')
  const { rows, ...findings } = await inline.parse(page)
  expect(rows.parseData).toMatchObject({ title: '/page', metadata: { words: '5' } })
  expect(rows.links).toHaveLength(2)
  const packed = new ParsedTables().pack(rows)
  const parsed = await pool.parse(page)
  expect(parsed).toEqual({ ...findings, rows: { packed } })
  // The packed rows have a buffer of their own: no other memory was sent with them.
  expect('packed' in parsed.rows && parsed.rows.packed.buffer.byteLength).toBe(packed.length)
  expect(Buffer.from(page.bytes).toString()).toContain('three small words')
}, 60_000)

it('fails only the page that crashes its thread or exceeds the time limit', async () => {
  const hanging = pool.parse(pageAt('/hangs'))
  const paths = ['/1', '/2', '/dies', '/3', '/4']
  const parsed = await Promise.all(paths.map((path) => pool.parse(pageAt(path))))
  expect(parsed.map(({ status }) => status)).toEqual(['parsed', 'parsed', 'failed', 'parsed', 'parsed'])
  expect(parsed[2]).toMatchObject({
    contentType: 'text/html',
    reason: expect.stringMatching(/^the parser thread crashed on this page/),
    scoreGiven: 0,
    rows: { links: [] },
  })
  const waiting = pool.parse(pageAt('/waits'))
  // The thread of /hangs has used its CPU time in a second or so, that of /waits uses none.
  const isDone = Promise.all([hanging, waiting]).then(() => true)
  while (!(await Promise.race([isDone, setImmediate(false)]))) clock.advance(500)
  for (const parsing of [hanging, waiting])
    expect(await parsing).toMatchObject({
      status: 'failed',
      reason: 'not parsed within 500 ms of CPU time',
      dropped: { 'parse failed': 1 },
    })
  expect((await pool.parse(pageAt('/after'))).status).toBe('parsed')
}, 60_000)

it('sends the sitemaps of the site with its first page', async () => {
  const sitemaps = ['/maps.xml', 'http://a.test/more.xml']
  const page = { ...pageAt('/first'), sitemaps }
  const inline = new InlineParser(buildRules(await loadSettings(rules.settings), { clock: steadyClock }))
  const { rows } = await inline.parse(page)
  expect(rows.links.map(({ url }) => url)).toContain('http://a.test/maps.xml')
  const parsed = await pool.parse(page)
  expect(parsed.rows).toEqual({ packed: new ParsedTables().pack(rows) })
}, 60_000)

it('does not report pages as failed that are being parsed when it is closed', async () => {
  const closing = new ParsePool(clock, rules, { threads: 1, timeoutMs: 500 })
  await closing.parse(pageAt('/1'))
  const reported: unknown[] = []
  for (const path of ['/waits', '/2']) void closing.parse(pageAt(path)).then((page) => reported.push(page))
  await setImmediate()
  await closing.close()
  await setImmediate()
  expect(reported).toEqual([])
}, 60_000)
