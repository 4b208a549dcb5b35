import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { steadyClock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { InlineParser } from '../../domain/parse/inline-parser.ts'
import type { PageToParse } from '../../domain/parse/parsed-page.ts'
import { buildRules } from '../config/build-rules.ts'
import { loadSettings } from '../config/load-settings.ts'
import { ByteBuffer } from '../crawl-directory/parquet/byte-buffer.ts'
import { ParsedTables } from '../crawl-directory/parsed-tables.ts'
import { ParsePool } from './parse-pool.ts'
import type { RulesSource } from './rules-source.ts'

const OWN_RULES = `
export default {
  agent: { name: 'testbot' },
  scoring: { opic: {}, depth: { maxDepth: 5 } },
  parse: { filters: [{
    name: 'words',
    filter({ url, reading }) {
      if (url.endsWith('/dies')) process.exit(1)
      if (url.endsWith('/hangs')) for (;;) {}
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
  pool = new ParsePool(clock, rules, { threads: 2 })
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
    // Small buffers lie in one memory that Node shares out.
    bytes: Buffer.from(html),
    truncated: false,
    score: 1,
    metadata: { _depth_: '1' },
  }
}

it('gives what parsing in the same thread gives, and leaves the bytes alone', async () => {
  const inline = new InlineParser(buildRules(await loadSettings(rules.settings), { clock: steadyClock }))
  const page = pageAt('/page')
  const { parseText, parseData, links, ...findings } = await inline.parse(page)
  expect(parseData).toMatchObject({ title: '/page', metadata: { words: '5' } })
  expect(links).toHaveLength(2)
  const tables = new ParsedTables()
  tables.add({ parseData, links, ...withoutUndefined({ parseText }) })
  const packed = new ByteBuffer()
  tables.pack(packed)
  const { status, contentType } = parseData
  const parsed = await pool.parse(page)
  expect(parsed).toEqual({
    ...findings,
    parseData: { status, contentType },
    packed: Uint8Array.from(packed.view()),
  })
  // Nothing else came along.
  expect('packed' in parsed && parsed.packed.buffer.byteLength).toBe(packed.length)
  expect(Buffer.from(page.bytes).toString()).toContain('three small words')
}, 60_000)

it('fails the page that kills its thread, or never ends, and no other', async () => {
  const hanging = pool.parse(pageAt('/hangs'))
  const paths = ['/1', '/2', '/dies', '/3', '/4']
  const parsed = await Promise.all(paths.map((path) => pool.parse(pageAt(path))))
  expect(parsed.map(({ parseData }) => parseData.status)).toEqual([
    'parsed',
    'parsed',
    'failed',
    'parsed',
    'parsed',
  ])
  expect(parsed[2]).toMatchObject({
    parseData: { contentType: 'text/html', reason: expect.stringMatching(/^the parser died of this page/) },
    links: [],
    scoreGiven: 0,
  })
  clock.advance(30_000)
  expect((await hanging).parseData).toMatchObject({
    status: 'failed',
    reason: 'not parsed within 30000 ms',
  })
  expect((await pool.parse(pageAt('/after'))).parseData.status).toBe('parsed')
}, 60_000)
