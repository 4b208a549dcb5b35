import { afterEach, beforeEach, expect, it } from 'vitest'
import { defaultRules, TestCrawl } from '../../testing/crawl-directory.ts'
import { runClock } from '../../testing/run-clock.ts'
import { ScriptedFetcher } from '../../testing/scripted-fetcher.ts'
import { fetchedPage } from '../../testing/segments.ts'
import { testRules } from '../../testing/test-rules.ts'
import { ParquetSegments } from '../duckdb/segments/parquet-segments.ts'
import { InlineParser } from '../parse/inline-parser.ts'
import { RobotsCache } from '../robots/robots-cache.ts'
import { type CrawlResult, crawl } from './crawl.ts'
import { FetchLoop } from './fetch-loop.ts'

const SENT = ['http://a.test/1', 'http://a.test/2']
const TARGET = 'http://a.test/target'

let test: TestCrawl
let segments: ParquetSegments
let web: ScriptedFetcher

beforeEach(async () => {
  test = await TestCrawl.create()
  segments = await ParquetSegments.open(test.path, { clock: test.clock, threads: 1 })
  web = new ScriptedFetcher(test.clock, {
    ...Object.fromEntries(SENT.map((url) => [url, { status: 301, to: TARGET }])),
    [TARGET]: 'target',
  })
})

afterEach(async () => {
  segments.close()
  await test.remove()
})

it('does not follow a redirect to what a killed run has recorded and not folded in', async () => {
  await test.inject(SENT)
  const [segment] = (await test.generate()).segments
  const appender = await segments.append(segment?.name ?? '')
  const [from = ''] = SENT
  const { fetch, content } = fetchedPage(TARGET, 'target', test.clock.now())
  const moved = { url: from, status: 'fetch_redir_perm', protocolStatus: 'MOVED' } as const
  await Promise.all([
    appender.add({ fetch: { ...moved, fetchedAt: test.clock.now(), redirectTo: TARGET } }),
    appender.add({ fetch: { ...fetch, redirectedFrom: from }, ...(content !== undefined && { content }) }),
    appender.close(),
  ])
  expect(await runCrawl()).toMatchObject({ ended: 'nothing due', statuses: { fetch_redir_perm: 1 } })
  expect(web.requests.map(({ url }) => url)).toEqual(['http://a.test/robots.txt', SENT[1]])
  expect((await test.db.stats()).statuses).toEqual({ db_redir_perm: 2, db_fetched: 1 })
})

it('begins anew with what was on a fetch list that somebody deleted', async () => {
  await test.inject(SENT)
  const [segment] = (await test.generate()).segments
  await segments.remove(segment?.name ?? '')
  expect(await runCrawl()).toMatchObject({
    ended: 'nothing due',
    statuses: { fetch_redir_perm: 2, fetch_success: 1 },
  })
})

function runCrawl(): Promise<CrawlResult> {
  const { clock, db } = test
  const rules = testRules(clock)
  const robots = new RobotsCache(clock, 'testbot')
  const shouldFollow = async (url: string) => ((await db.find(url))?.fetchTime ?? 0) <= clock.now()
  const parser = new InlineParser(rules)
  const loop = new FetchLoop({ clock, fetcher: web, robots, rules, parser, shouldFollow })
  const hostMemory = { load: async () => undefined, save: async () => {} }
  const parts = { db, segments, loop, hostMemory, rules: defaultRules, clock }
  const crawling = crawl(parts, { delayMs: 0, generate: {} }, new AbortController().signal)
  return runClock(clock, crawling, 1e9)
}
