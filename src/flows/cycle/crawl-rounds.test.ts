import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { defaultRules } from '../../../testing/rule-sets.ts'
import { type Script, ScriptedFetcher } from '../../../testing/scripted-fetcher.ts'
import { fetchedPage } from '../../../testing/segments.ts'
import { testRules } from '../../../testing/test-rules.ts'
import { ParquetSegments } from '../../adapters/duckdb/segments/parquet-segments.ts'
import { Interrupted } from '../../base/interrupted.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'
import { InlineParser } from '../../domain/parse/parse-page.ts'
import type { HostOptions } from '../../domain/politeness/host-options.ts'
import { RobotsCache } from '../../domain/robots/robots-cache.ts'
import { type CrawlResult, crawlInRounds, type RoundReport } from './crawl-rounds.ts'
import { FetchLoop } from './fetch-loop.ts'

const SENT = ['http://a.test/1', 'http://a.test/2']
const TARGET = 'http://a.test/target'

let test: TestCrawl
let segments: ParquetSegments
let web: ScriptedFetcher
let scripts: Record<string, Script | string>

beforeEach(async () => {
  test = await TestCrawl.create()
  segments = await ParquetSegments.open(test.path, { clock: test.clock, threads: 1 })
  scripts = {
    ...Object.fromEntries(SENT.map((url) => [url, { status: 301, to: TARGET }])),
    [TARGET]: 'target',
  }
  web = new ScriptedFetcher(test.clock, scripts)
})

afterEach(async () => {
  segments.close()
  await test.remove()
})

it('does not follow a redirect to a URL that a killed run has recorded but not merged', async () => {
  await test.inject(SENT)
  const [segment] = (await test.generate()).segments
  const appender = await segments.append(segment?.name ?? '')
  const [from = ''] = SENT
  const { fetch, content } = fetchedPage(TARGET, 'target', test.clock.now())
  const moved = { url: from, status: 'fetch_redir_perm', protocolStatus: 'MOVED' } as const
  await Promise.all([
    appender.add({ fetch: { ...moved, fetchedAt: test.clock.now(), redirectTo: TARGET } }),
    appender.add({ fetch: { ...fetch, redirectedFrom: from }, ...withoutUndefined({ content }) }),
    appender.close(),
  ])
  expect(await runCrawl()).toMatchObject({ ended: 'nothing due', statuses: { fetch_redir_perm: 1 } })
  expect(web.requests.map(({ url }) => url)).toEqual(['http://a.test/robots.txt', SENT[1]])
  expect((await test.db.stats()).statuses).toEqual({ db_redir_perm: 2, db_fetched: 1 })
})

it('merges the results of a killed run that had fetched all its URLs', async () => {
  await test.inject([TARGET])
  const [segment] = (await test.generate()).segments
  const appender = await segments.append(segment?.name ?? '')
  const { fetch, content } = fetchedPage(TARGET, 'target', test.clock.now())
  await Promise.all([appender.add({ fetch, ...withoutUndefined({ content }) }), appender.close()])
  expect(await runCrawl()).toMatchObject({ ended: 'nothing due', segments: [], hasMerged: true })
  expect(await runCrawl()).toMatchObject({ ended: 'nothing due', segments: [], hasMerged: false })
})

describe('a stop', () => {
  const result = { fetched: 0, links: 0, added: 0, changed: 0, purged: 0, parts: 0, hostsPutOff: 0 }

  it('ends an update that takes long, and the next run repeats it', async () => {
    await test.inject([TARGET])
    const stop = new AbortController()
    let isFetched = false
    let waitedMs = 0
    const onRound = ({ kind }: RoundReport) => {
      isFetched ||= kind === 'fetched'
    }
    const update: CrawlDb['update'] = (request) => {
      const { signal } = request
      if (!isFetched) return test.db.update(request)
      const startedAt = test.clock.now()
      stop.abort()
      return new Promise((resolve) => {
        const end = () => {
          waitedMs = Math.max(waitedMs, test.clock.now() - startedAt)
          resolve({ ...result, pending: {}, dropped: {}, partsLeft: 1 })
        }
        if (signal?.aborted === true) end()
        else signal?.addEventListener('abort', end)
      })
    }
    const interrupted = await runCrawl({ signal: stop.signal, update, onRound })
    expect(interrupted).toMatchObject({ ended: 'interrupted', pages: 1 })
    expect(waitedMs).toBeGreaterThan(0)
    expect(waitedMs).toBeLessThan(10_000)
    expect(await runCrawl()).toMatchObject({ ended: 'nothing due', pages: 0, hasMerged: true })
    expect((await test.db.stats()).statuses).toEqual({ db_fetched: 1 })
  })

  it('ends the selection of URLs', async () => {
    await test.inject([TARGET])
    const stop = new AbortController()
    const generate: CrawlDb['generate'] = (request) => {
      setImmediate(() => stop.abort())
      return new Promise((_, reject) => {
        request.signal?.addEventListener('abort', () => reject(new Interrupted()))
      })
    }
    expect(await runCrawl({ signal: stop.signal, select: generate })).toMatchObject({
      ...{ ended: 'interrupted', rounds: 0 },
    })
  })
})

it('generates the URLs of a deleted segment again', async () => {
  await test.inject(SENT)
  const [segment] = (await test.generate()).segments
  await segments.remove(segment?.name ?? '')
  expect(await runCrawl()).toMatchObject({
    ended: 'nothing due',
    statuses: { fetch_redir_perm: 2, fetch_success: 1 },
  })
})

describe('a fetch list of a killed run that is longer than maxPages', () => {
  const PAGES = [1, 2, 3, 4, 5, 6, 7].map((n) => `http://a.test/${n}`)
  let reports: RoundReport[]

  beforeEach(async () => {
    reports = []
    for (const page of PAGES) scripts[page] = 'page'
    await test.inject(PAGES)
    await test.generate()
  })

  const run = (maxPages: number) => runCrawl({ maxPages, onRound: (report) => reports.push(report) })

  it('is fetched in runs of maxPages', async () => {
    expect(await run(3)).toMatchObject({ ended: 'pages', pages: 3, rounds: 0 })
    expect(await run(3)).toMatchObject({ ended: 'pages', pages: 3, rounds: 0 })
    expect(await run(3)).toMatchObject({ ended: 'nothing due', pages: 1, rounds: 0 })
    expect(reports.filter(({ kind }) => kind === 'resumed')).toMatchObject([
      { urls: 3, left: 7 },
      { urls: 3, left: 4 },
      { urls: 1, left: 1 },
    ])
    expect((await test.db.segments()).map(({ state }) => state)).toEqual(['updated'])
    const requested = web.requests.map(({ url }) => url).filter((url) => PAGES.includes(url))
    expect(requested.sort()).toEqual(PAGES)
  })

  it('is continued in the same run if URLs of it failed', async () => {
    for (const page of PAGES.slice(0, 3)) scripts[page] = { status: 404 }
    expect(await run(3)).toMatchObject({ ended: 'pages', pages: 3, rounds: 0 })
    expect(web.requests.length).toBeLessThanOrEqual(PAGES.length + 1)
    expect(await test.db.segments()).toHaveLength(1)
  })

  it('is fetched before new URLs, which get the rest of maxPages', async () => {
    await test.inject(['http://b.test/1', 'http://b.test/2'])
    for (const n of [1, 2]) scripts[`http://b.test/${n}`] = 'page'
    expect(await run(8)).toMatchObject({ ended: 'pages', pages: 8, rounds: 1, due: 1 })
  })
})

describe('a host that must wait', () => {
  const PAGES = [1, 2, 3, 4, 5, 6, 7].map((n) => `http://a.test/${n}`)
  const HOUR = 3_600_000

  it('stops the crawl if the wait is long, and is not listed before its next allowed time', async () => {
    await test.inject([{ url: 'http://a.test/1', score: 9, metadata: {} }, ...PAGES])
    scripts['http://a.test/1'] = { status: 429, retryAfterMs: HOUR }
    for (const page of PAGES.slice(1)) scripts[page] = 'page'
    const first = await runCrawl({ politeness: { delayMs: 100 } })
    expect(first).toMatchObject({ ended: 'hosts waiting', rounds: 1, waiting: { hosts: 1 } })
    expect(first.waiting.first[0]).toMatchObject({ host: 'a.test', urls: first.waiting.urls })
    const again = await runCrawl()
    expect(again).toMatchObject({ ended: 'hosts waiting', rounds: 0, segments: [] })
    test.clock.advance((first.waiting.nextAt ?? 0) - test.clock.now())
    const later = await runCrawl()
    expect(later.pages).toBe(first.waiting.urls)
    expect(later.ended).toBe('nothing due')
    expect(web.judge.violations({ minGapMs: 100, robotsFirst: false, maxRepeats: 5 })).toEqual([])
  })

  it('stops the crawl if it has failed too often', async () => {
    await test.inject(PAGES)
    for (const page of PAGES) scripts[page] = { status: 503 }
    const { ended, rounds, waiting } = await runCrawl({ politeness: { delayMs: 0, backoffMs: 10 } })
    expect({ ended, rounds, waiting }).toMatchObject({
      ended: 'hosts waiting',
      rounds: 1,
      waiting: { urls: 2, hosts: 1, first: [{ reason: 'too-many-failures' }] },
    })
    expect((await test.db.stats()).statuses).toEqual({ db_unfetched: 7 })
  })

  it('stays unfetched if its Crawl-delay is longer than the maximum', async () => {
    await test.inject(['http://a.test/1'])
    scripts['http://a.test/robots.txt'] = 'User-agent: *\nCrawl-delay: 400'
    const { ended, waiting } = await runCrawl()
    expect(ended).toBe('hosts waiting')
    expect(waiting.first[0]?.reason).toContain('Crawl-delay of 400 s')
    expect((await test.db.find('http://a.test/1'))?.status).toBe('db_unfetched')
  })

  it('is waited for if the wait is short', async () => {
    await test.inject(PAGES)
    for (const page of PAGES) scripts[page] = { status: 503 }
    const reports: string[] = []
    const politeness = { delayMs: 0, backoffMs: 10, parkMs: HOUR }
    const result = await runCrawl({ politeness, maxWaitMs: HOUR, onRound: ({ kind }) => reports.push(kind) })
    expect(result).toMatchObject({ ended: 'nothing due', statuses: { fetch_retry: 7 } })
    expect(reports).toContain('waiting')
  })

  it('does not delay the end of an interrupted crawl', async () => {
    await test.inject(PAGES)
    for (const page of PAGES) scripts[page] = { status: 503 }
    const stop = new AbortController()
    const politeness = { delayMs: 0, backoffMs: 10, parkMs: HOUR }
    const onRound = ({ kind }: RoundReport) => {
      if (kind === 'waiting') setImmediate(() => stop.abort())
    }
    expect((await runCrawl({ politeness, maxWaitMs: HOUR, onRound, signal: stop.signal })).ended).toBe(
      'interrupted',
    )
  })

  it('does not fill a short fetch list', async () => {
    await test.inject([...PAGES.map((url) => ({ url, score: 9, metadata: {} })), 'http://b.test/1'])
    scripts['http://b.test/1'] = 'page'
    for (const page of PAGES) scripts[page] = { status: 429, retryAfterMs: HOUR }
    const result = await runCrawl({ generate: { topN: 1 } })
    expect(result).toMatchObject({ ended: 'hosts waiting', pages: 1 })
    // Lists that were made before the wait of the host was known may have had some of its URLs.
    expect(result.rounds).toBeLessThan(5)
  })
})

interface RunOptions {
  readonly politeness?: HostOptions
  readonly generate?: { readonly topN?: number }
  readonly maxWaitMs?: number
  readonly maxPages?: number
  readonly onRound?: (report: RoundReport) => void
  readonly signal?: AbortSignal
  /** In place of the method of the CrawlDb. */
  readonly update?: CrawlDb['update']
  /** In place of `generate`. */
  readonly select?: CrawlDb['generate']
}

function runCrawl({
  politeness = {},
  generate = {},
  maxWaitMs = 300_000,
  maxPages,
  onRound,
  signal,
  update,
  select,
}: RunOptions = {}): Promise<CrawlResult> {
  const { clock } = test
  const db = withMethods(holdingTime(test.db), withoutUndefined({ update, generate: select }))
  const rules = testRules(clock)
  const robots = new RobotsCache(clock, 'testbot')
  const shouldFollow = async (url: string) => ((await db.find(url))?.fetchTime ?? 0) <= clock.now()
  const parser = new InlineParser(rules)
  const loop = new FetchLoop({ clock, fetcher: web, robots, rules, parser, shouldFollow }, { politeness })
  const hostStateStore = { load: async () => undefined, save: async () => {} }
  const parts = { db, segments: holdingTime(segments), loop, hostStateStore, rules: defaultRules, clock }
  const crawling = crawlInRounds(
    parts,
    { delayMs: 0, generate, maxWaitMs, ...withoutUndefined({ onRound, maxPages }) },
    signal ?? new AbortController().signal,
  )
  return untilDone(crawling)
}

let callsUnderWay = 0
/** Called when one of them has ended. */
let onCallEnd = () => {}

/** Lets the clock stand still while the database works, however long that takes on a busy machine. */
function holdingTime<T extends object>(store: T): T {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const result: unknown = member.apply(target, args)
        if (!(result instanceof Promise)) return result
        callsUnderWay++
        return result.finally(() => {
          callsUnderWay--
          onCallEnd()
        })
      }
    },
  })
}

function withMethods(db: CrawlDb, methods: Partial<CrawlDb>): CrawlDb {
  return new Proxy(db, {
    get: (target, name) => Reflect.get(Object.hasOwn(methods, name) ? methods : target, name),
  })
}

async function untilDone<T>(work: Promise<T>): Promise<T> {
  let done = false
  const settled = work.finally(() => {
    done = true
  })
  settled.catch(() => {})
  for (await nextTurn(); !done; await nextTurn())
    if (callsUnderWay > 0)
      await new Promise<void>((resolve) => {
        onCallEnd = resolve
      })
    // Other work, such as writing a part, may be under way: a long wait passes in many steps.
    else test.clock.advance(Math.max(10, test.clock.untilNextMs / 20))
  return settled
}
