import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { MemorySegments } from '../../../testing/memory-segments.ts'
import { runClock } from '../../../testing/run-clock.ts'
import { type Script, ScriptedFetcher } from '../../../testing/scripted-fetcher.ts'
import { testRules } from '../../../testing/test-rules.ts'
import { InlineParser } from '../../domain/parse/parse-page.ts'
import { RobotsCache } from '../../domain/robots/robots-cache.ts'
import type { FetchListEntry, FetchRow, PageRecord } from '../../domain/segment/segment-rows.ts'
import { FetchLoop, type FetchParts } from './fetch-loop.ts'
import type { FetchOptions } from './fetch-options.ts'
import type { FetchProgress } from './fetch-progress.ts'
import type { FetchResult } from './fetch-result.ts'

let clock: FakeClock
let segments: MemorySegments
let web: ScriptedFetcher
let loop: FetchLoop
/** Where the crawl keeps to; `undefined`: anywhere. */
let seeds: string[] | undefined
beforeEach(() => {
  clock = new FakeClock()
  segments = new MemorySegments()
  seeds = undefined
})

async function build(
  scripts: Readonly<Record<string, Script | string>>,
  options: FetchOptions = {},
  parts: Partial<FetchParts> = {},
): Promise<void> {
  web = new ScriptedFetcher(clock, scripts)
  const rules = testRules(clock, {}, seeds)
  const parser = new InlineParser(rules)
  const robots = new RobotsCache(clock, 'testbot')
  loop = new FetchLoop({ clock, fetcher: web, robots, rules, parser, ...parts }, options)
}

async function join(name: string): Promise<FetchResult> {
  const appender = await segments.append(name)
  try {
    return await loop.join({ name, entries: segments.remaining(name), appender })
  } finally {
    await appender.close()
  }
}

async function fetchAll(list: ReadonlyArray<string | FetchListEntry>): Promise<FetchResult> {
  segments.generate('s', list)
  return runClock(clock, join('s'))
}

function pageOf(url: string): PageRecord {
  const found = segments.onDisk('s').filter((page) => page.fetch.url === url)
  expect(found, `rows of ${url}`).toHaveLength(1)
  return found[0] as PageRecord
}
const rowOf = (url: string): FetchRow => pageOf(url).fetch
const requested = () => web.requests.map(({ url }) => url)

describe('a page', () => {
  it('is requested after its robots.txt and recorded with content, text and links', async () => {
    await build({
      'http://a.test/robots.txt': 'User-agent: *\nDisallow: /no',
      'http://a.test/': {
        body: '<title>home</title>some words <a href="/x">x</a> <a href="http://b.test/">b</a>',
        headers: [
          ['content-type', 'text/html'],
          ['etag', '"1"'],
        ],
      },
    })
    const result = await fetchAll(['http://a.test/'])
    expect(requested()).toEqual(['http://a.test/robots.txt', 'http://a.test/'])
    const { fetch, content, parseText, parseData, links } = pageOf('http://a.test/')
    expect(fetch).toMatchObject({
      status: 'fetch_success',
      protocolStatus: 'SUCCESS',
      httpStatus: 200,
      contentType: 'text/html',
      validators: { etag: '"1"' },
      signature: parseData?.signature,
      scoreGiven: 1,
    })
    expect(fetch.reason).toBeUndefined()
    expect(Buffer.from(content?.body ?? []).toString()).toContain('home')
    expect(parseText?.text).toContain('some words')
    expect(links?.map(({ url, score }) => [url, score])).toEqual([
      ['http://a.test/x', 0.5],
      ['http://b.test/', 0.5],
    ])
    expect(result).toMatchObject({
      complete: true,
      statuses: { fetch_success: 1 },
      protocolStatuses: { SUCCESS: 1 },
    })
  })

  it('is requested with the validators of its entry', async () => {
    await build({ 'http://a.test/': { status: 304 } })
    const validators = { etag: '"1"' }
    await fetchAll([{ url: 'http://a.test/', sortValue: 1, score: 1, metadata: {}, validators }])
    expect(web.requests.at(-1)).toMatchObject({ validators })
    expect(rowOf('http://a.test/')).toMatchObject({
      status: 'fetch_notmodified',
      protocolStatus: 'NOTMODIFIED',
    })
  })

  it('is stored but not parsed without a parser', async () => {
    web = new ScriptedFetcher(clock, { 'http://a.test/': '<title>x</title>' })
    const rules = testRules(clock, {}, seeds)
    loop = new FetchLoop({ clock, fetcher: web, robots: new RobotsCache(clock, 'testbot'), rules })
    await fetchAll(['http://a.test/'])
    const page = pageOf('http://a.test/')
    expect(page.content).toBeDefined()
    expect(page.parseData).toBeUndefined()
    expect(page.fetch).toMatchObject({ contentType: 'text/html' })
    expect(page.fetch.signature).toBeUndefined()
  })

  it('that cannot be parsed is marked with markFailed, also if a parse filter throws', async () => {
    const boom = {
      name: 'boom',
      filter: () => {
        throw new Error('no')
      },
    }
    const rules = testRules(clock, { parse: { markFailed: true, filters: [boom] } })
    await build({ 'http://a.test/': 'text' }, {}, { rules, parser: new InlineParser(rules) })
    expect((await fetchAll(['http://a.test/'])).statuses).toEqual({ parse_failed: 1 })
    expect(rowOf('http://a.test/').reason).toContain('boom')
    expect(pageOf('http://a.test/').content).toBeDefined()
    expect(loop.progress().pages).toBe(1)
  })

  it.each<[string, Script, Partial<FetchRow>]>([
    ['gone', { status: 410 }, { status: 'fetch_gone', protocolStatus: 'GONE', reason: 'HTTP 410' }],
    ['missing', { status: 404 }, { status: 'fetch_gone', protocolStatus: 'NOTFOUND', reason: 'HTTP 404' }],
    ['closed', { status: 401 }, { status: 'fetch_gone', protocolStatus: 'ACCESS_DENIED' }],
    ['broken', { status: 500 }, { status: 'fetch_retry', protocolStatus: 'EXCEPTION', reason: 'HTTP 500' }],
    [
      'unreachable',
      { status: 'reset' },
      { status: 'fetch_retry', protocolStatus: 'EXCEPTION', reason: 'reset: the connection broke' },
    ],
    ['not HTTP', { status: 999_999 }, { status: 'fetch_retry', protocolStatus: 'FAILED' }],
  ])('that is %s has a row with the reason', async (_, script, row) => {
    await build({ 'http://a.test/': script })
    await fetchAll(['http://a.test/'])
    expect(rowOf('http://a.test/')).toMatchObject(row)
    expect(rowOf('http://a.test/').reason).toBeTruthy()
  })

  it('with Retry-After has that time in its row', async () => {
    await build({ 'http://a.test/': { status: 429, retryAfterMs: 90_000 } })
    await fetchAll(['http://a.test/'])
    const { status, protocolStatus, retryAt = 0, fetchedAt } = rowOf('http://a.test/')
    expect([status, protocolStatus]).toEqual(['fetch_retry', 'RETRY'])
    expect(retryAt - fetchedAt).toBeGreaterThanOrEqual(90_000)
  })
})

describe('robots.txt', () => {
  it('denies a page with the line of the rule, and the page is not requested', async () => {
    await build({ 'http://a.test/robots.txt': 'User-agent: *\nDisallow: /no' })
    await fetchAll(['http://a.test/no/1', 'http://a.test/no/2', 'http://a.test/yes'])
    expect(rowOf('http://a.test/no/1')).toMatchObject({
      status: 'fetch_gone',
      protocolStatus: 'ROBOTS_DENIED',
      reason: 'robots.txt: line 2: Disallow: /no',
    })
    expect(requested()).toEqual(['http://a.test/robots.txt', 'http://a.test/yes'])
  })

  it('that is unreachable postpones the pages', async () => {
    await build({ 'http://a.test/robots.txt': { status: 503 }, 'http://a.test/': 'x' })
    await fetchAll(['http://a.test/', 'http://a.test/2'])
    const { retryAt = 0, ...row } = rowOf('http://a.test/2')
    expect(row).toMatchObject({ status: 'fetch_retry', protocolStatus: 'RETRY' })
    expect(row.reason).toContain('robots.txt returned 503')
    expect(retryAt).toBeGreaterThan(clock.now())
    expect(requested()).toEqual(['http://a.test/robots.txt'])
  })

  it.each(['dns-not-found', 'connect-refused'] as const)(
    'of a host that cannot be reached (%s) leaves the failure to the pages',
    async (cause) => {
      await build({ 'http://a.test/robots.txt': { status: cause }, 'http://a.test/': 'x' }, { retries: 1 })
      await fetchAll(['http://a.test/', 'http://a.test/2'])
      expect(rowOf('http://a.test/2')).toMatchObject({
        status: 'fetch_retry',
        protocolStatus: 'EXCEPTION',
        reason: `${cause}: the connection broke`,
      })
      expect(rowOf('http://a.test/2').retryAt).toBeUndefined()
      // At most once for each of two tries of two pages.
      expect(new Set(requested())).toEqual(new Set(['http://a.test/robots.txt']))
      expect(web.judge.violations({ minGapMs: 1_000, maxRepeats: 3 })).toEqual([])
    },
  )

  it('sets the delay of a host by its Crawl-delay', async () => {
    await build({ 'http://a.test/robots.txt': 'User-agent: *\nCrawl-delay: 7' })
    await fetchAll(['http://a.test/1', 'http://a.test/2', 'http://a.test/3'])
    expect(web.judge.violations({ minGapMs: 7_000 })).toEqual([])
  })

  it('leaves a host whose Crawl-delay is longer than the limit for a later fetch', async () => {
    const politeness = { overrides: (key: string) => (key === 'b.test' ? { maxDelayMs: 40_000 } : undefined) }
    const robots = 'User-agent: *\nCrawl-delay: 31'
    await build(
      { 'http://a.test/robots.txt': robots, 'http://b.test/robots.txt': robots, 'http://b.test/1': 'b' },
      { politeness: { ...politeness, maxDelayMs: 30_000 } },
    )
    await fetchAll(['http://a.test/1', 'http://b.test/1'])
    const { retryAt = 0, fetchedAt, ...row } = rowOf('http://a.test/1')
    expect(row).toMatchObject({
      status: 'not_reached',
      protocolStatus: 'ROBOTS_DENIED',
      reason: 'robots.txt: Crawl-delay of 31 s; politeness.maxCrawlDelaySeconds is 30 s',
    })
    expect(retryAt - fetchedAt).toBe(86_400_000)
    expect(rowOf('http://b.test/1').status).toBe('fetch_success')
  })

  it('of two hosts may redirect to each other', async () => {
    await build({
      'http://a.test/robots.txt': { status: 302, to: 'http://b.test/robots.txt?a' },
      'http://b.test/robots.txt': { status: 302, to: 'http://a.test/robots.txt?b' },
      'http://a.test/robots.txt?b': 'User-agent: *\nDisallow: /no',
      'http://b.test/robots.txt?a': '',
      'http://a.test/': 'a',
      'http://b.test/': 'b',
    })
    await fetchAll(['http://a.test/', 'http://b.test/', 'http://b.test/no'])
    expect(rowOf('http://a.test/').status).toBe('fetch_success')
    expect(rowOf('http://b.test/').status).toBe('fetch_success')
    expect(rowOf('http://b.test/no').protocolStatus).toBe('ROBOTS_DENIED')
    expect(web.judge.violations({ minGapMs: 1_000 })).toEqual([])
  })

  it('that redirects to a parked host is requested once', async () => {
    await build(
      {
        'http://a.test/robots.txt': { status: 302, to: 'http://b.test/robots.txt' },
        'http://b.test/1': { status: 'reset' },
      },
      { politeness: { maxFailures: 1 } },
    )
    await fetchAll(['http://b.test/1', 'http://b.test/2'])
    segments.generate('t', ['http://a.test/', 'http://a.test/2', 'http://a.test/3'])
    await runClock(clock, join('t'))
    expect(segments.onDisk('t')[2]?.fetch).toMatchObject({ status: 'fetch_retry', protocolStatus: 'RETRY' })
    expect(requested().filter((url) => url === 'http://a.test/robots.txt')).toHaveLength(1)
  })
})

describe('a redirect', () => {
  it('is followed through the queue and the robots.txt of its target', async () => {
    await build({
      'http://a.test/1': { status: 301, to: 'http://b.test/2#part' },
      'http://b.test/robots.txt': 'User-agent: *\nDisallow: /no',
      'http://b.test/2': { status: 302, to: '/3' },
      'http://b.test/3': '<title>end</title>',
    })
    const entry = { url: 'http://a.test/1', sortValue: 1, score: 0.25, metadata: { k: 'v' } }
    const result = await fetchAll([entry])
    expect(rowOf('http://a.test/1')).toMatchObject({
      status: 'fetch_redir_perm',
      protocolStatus: 'MOVED',
      redirectTo: 'http://b.test/2',
    })
    expect(pageOf('http://a.test/1').links).toEqual([
      {
        fromUrl: 'http://a.test/1',
        url: 'http://b.test/2',
        kind: 'redirect',
        score: 0.25,
        metadata: { k: 'v' },
      },
    ])
    expect(rowOf('http://b.test/2')).toMatchObject({
      status: 'fetch_redir_temp',
      redirectedFrom: 'http://a.test/1',
    })
    expect(rowOf('http://b.test/3')).toMatchObject({
      status: 'fetch_success',
      redirectedFrom: 'http://b.test/2',
    })
    expect(web.judge.violations({ minGapMs: 1_000 })).toEqual([])
    expect(result.statuses).toEqual({ fetch_redir_perm: 1, fetch_redir_temp: 1, fetch_success: 1 })
    expect(result.redirectTargets).toBe(2)
  })

  it('is followed up to redirectMax; its target becomes a link', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 9 }, (_, i) => [`http://a.test/${i}`, { status: 302, to: `/${i + 1}` }]),
    )
    await build(chain, { redirectMax: 2 })
    await fetchAll(['http://a.test/0'])
    expect(segments.onDisk('s')).toHaveLength(3)
    const last = pageOf('http://a.test/2')
    expect(last.fetch).toMatchObject({ status: 'fetch_redir_temp', redirectTo: 'http://a.test/3' })
    expect(last.fetch.reason).toContain('more than 2 redirects in a row')
    expect(last.links).toMatchObject([{ url: 'http://a.test/3', kind: 'redirect' }])
  })

  it('in a loop is not followed', async () => {
    await build({
      'http://a.test/self': { status: 302, to: '/self' },
      'http://a.test/a': { status: 302, to: '/b' },
      'http://a.test/b': { status: 302, to: '/a' },
    })
    await fetchAll(['http://a.test/self', 'http://a.test/a'])
    expect(rowOf('http://a.test/self')).toMatchObject({
      status: 'fetch_retry',
      protocolStatus: 'REDIR_EXCEEDED',
      reason: 'redirects to itself',
    })
    expect(rowOf('http://a.test/b')).toMatchObject({ protocolStatus: 'REDIR_EXCEEDED' })
    expect(pageOf('http://a.test/b').links).toBeUndefined()
  })

  it('to a URL that the filters reject is not followed, and the row names the rule', async () => {
    seeds = ['http://a.test/']
    await build({
      'http://a.test/1': { status: 302, to: 'http://b.test/' },
      'http://a.test/2': { status: 302, to: 'file:///etc/passwd' },
    })
    await fetchAll(['http://a.test/1', 'http://a.test/2'])
    expect(rowOf('http://a.test/1').reason).toBe(
      'redirects to http://b.test/: scope: b.test is not a seed host',
    )
    expect(rowOf('http://a.test/2').reason).toContain('file: is not http: or https:')
    expect(pageOf('http://a.test/1').links).toBeUndefined()
    expect(requested().filter((url) => url.includes('b.test'))).toEqual([])
  })

  it('to a listed URL does not fetch it twice, whichever comes first', async () => {
    await build({
      'http://a.test/1': { status: 302, to: 'http://b.test/' },
      'http://a.test/2': { status: 302, to: 'http://b.test/' },
      'http://b.test/': 'b',
    })
    await fetchAll(['http://a.test/1', 'http://a.test/2', 'http://b.test/'])
    expect(requested().filter((url) => url === 'http://b.test/')).toHaveLength(1)
    expect(rowOf('http://b.test/').status).toBe('fetch_success')
    expect(rowOf('http://a.test/2').reason).toContain('in this run already')
  })

  it('to a URL that is listed later provides its row', async () => {
    await build(
      { 'http://a.test/1': { status: 302, to: '/later' }, 'http://a.test/later': 'x' },
      { threads: 1, queueDepth: 1 },
    )
    const result = await fetchAll(['http://a.test/1', 'http://b.test/2', 'http://a.test/later'])
    expect(result.complete).toBe(true)
    expect(result.redirectTargets).toBeUndefined()
    expect(rowOf('http://a.test/later')).toMatchObject({ redirectedFrom: 'http://a.test/1' })
    expect(requested().filter((url) => url === 'http://a.test/later')).toHaveLength(1)
  })

  it('is not followed if the CrawlDb has fetched the target', async () => {
    const scripts = { 'http://a.test/1': { status: 302, to: '/2' }, 'http://a.test/2': 'x' }
    await build(scripts, {}, { shouldFollow: async (url) => url !== 'http://a.test/2' })
    await fetchAll(['http://a.test/1'])
    expect(pageOf('http://a.test/1').links).toMatchObject([{ url: 'http://a.test/2', kind: 'redirect' }])
    expect(requested()).not.toContain('http://a.test/2')
  })

  it('holds no thread while its target is looked up', async () => {
    const scripts = {
      'http://a.test/1': { status: 302, to: '/2' },
      'http://a.test/2': 'x',
      'http://b.test/': 'y',
    }
    const shouldFollow = async () => {
      while (!requested().includes('http://b.test/'))
        await new Promise<void>((resolve) => clock.after(10, resolve))
      return true
    }
    await build(scripts, { threads: 1 }, { shouldFollow })
    await fetchAll(['http://a.test/1', 'http://b.test/'])
    expect(requested().filter((url) => !url.endsWith('robots.txt'))).toEqual([
      'http://a.test/1',
      'http://b.test/',
      'http://a.test/2',
    ])
  })

  it('by meta refresh is followed, and the page itself is a success', async () => {
    await build({
      'http://a.test/1': '<meta http-equiv="refresh" content="0; url=/2">',
      'http://a.test/2': 'end',
    })
    await fetchAll(['http://a.test/1'])
    expect(rowOf('http://a.test/1').status).toBe('fetch_success')
    expect(pageOf('http://a.test/1').links).toMatchObject([{ url: 'http://a.test/2', kind: 'refresh' }])
    expect(rowOf('http://a.test/2')).toMatchObject({ redirectedFrom: 'http://a.test/1' })
  })
})

describe('a host', () => {
  it('that fails too often is parked, and its URLs are not reached until then', async () => {
    const urls = Array.from({ length: 6 }, (_, i) => `http://a.test/${i}`)
    await build(Object.fromEntries(urls.map((url) => [url, { status: 500 }])), {
      politeness: { maxFailures: 3, parkMs: 60_000 },
    })
    const result = await fetchAll(urls)
    expect(result).toMatchObject({
      complete: true,
      statuses: { fetch_retry: 3, not_reached: 3 },
      notReached: { 'too-many-failures': 3 },
    })
    const row = segments.onDisk('s').find(({ fetch }) => fetch.status === 'not_reached')?.fetch
    expect(row).toMatchObject({ protocolStatus: 'BLOCKED', retryAt: expect.any(Number) })
  })

  it('that is parked is not requested by a list that joins later', async () => {
    await build({ 'http://a.test/1': { status: 500 } }, { politeness: { maxFailures: 1 } })
    await fetchAll(['http://a.test/1'])
    const before = requested()
    segments.generate('t', ['https://a.test/3'])
    await runClock(clock, join('t'))
    expect(requested()).toEqual(before)
    expect(segments.onDisk('t')[0]?.fetch).toMatchObject({
      status: 'not_reached',
      protocolStatus: 'BLOCKED',
      reason: 'too-many-failures',
    })
  })

  it('is retried in the same run with the option retries, after its other URLs', async () => {
    await build({ 'http://a.test/1': { status: 500 }, 'http://a.test/2': 'x' }, { retries: 1 })
    await fetchAll([
      { url: 'http://a.test/1', sortValue: 2, score: 1, metadata: {} },
      { url: 'http://a.test/2', sortValue: 1, score: 1, metadata: {} },
    ])
    expect(requested().slice(1)).toEqual(['http://a.test/1', 'http://a.test/2', 'http://a.test/1'])
    expect(rowOf('http://a.test/1')).toMatchObject({ status: 'fetch_retry', reason: 'HTTP 500' })
  })

  it('that never ends its response is aborted', async () => {
    await build({ 'http://a.test/1': { status: 'hang' } }, { hungAfterMs: 8_000 })
    await fetchAll(['http://a.test/1'])
    expect(rowOf('http://a.test/1')).toMatchObject({
      status: 'fetch_retry',
      protocolStatus: 'EXCEPTION',
      reason: 'aborted: no end after 8 s',
    })
  })
})

describe('the limits of a run', () => {
  const urls = Array.from({ length: 300 }, (_, i) => `http://a.test/${i}`)

  it('stop it with a row for every URL at the time limit', async () => {
    await build({}, { timeLimitMs: 10_000, threads: 2, queueDepth: 10 })
    const { statuses, notReached, complete } = await fetchAll(urls)
    const reached = statuses.fetch_gone ?? 0
    expect(reached).toBeGreaterThan(5)
    expect(reached).toBeLessThan(12)
    expect(notReached).toEqual({ 'time limit': 300 - reached })
    expect(complete).toBe(true)
    expect(segments.onDisk('s')).toHaveLength(300)
  })

  it('stop it if it is too slow', async () => {
    const slow = { minPagesPerSecond: 5, rateCheckAfterMs: 2_000, slowSeconds: 3 }
    await build(Object.fromEntries(urls.map((url) => [url, 'x'])), slow)
    const { notReached, durationMs } = await fetchAll(urls)
    expect(Object.keys(notReached)).toEqual(['too few pages per second'])
    expect(durationMs).toBeLessThan(6_000)
  })

  it('keep the queues short, however long the list is', async () => {
    let most = 0
    const onProgress = ({ queued, active }: FetchProgress) => {
      most = Math.max(most, queued + active)
    }
    await build({}, { threads: 2, queueDepth: 10, onProgress, politeness: { delayMs: 100 } })
    await fetchAll(urls)
    expect(most).toBeGreaterThan(10)
    expect(most).toBeLessThanOrEqual(20)
  })

  it('bound the requests in flight over all hosts', async () => {
    const hosts = Array.from({ length: 20 }, (_, i) => `http://h${i}.test/`)
    await build({}, { threads: 4 })
    let most = 0
    const fetch = web.fetch.bind(web)
    let now = 0
    web.fetch = async (request) => {
      most = Math.max(most, ++now)
      const outcome = await fetch(request)
      now--
      return outcome
    }
    await fetchAll(hosts)
    expect(most).toBe(4)
  })
})

describe('an interruption', () => {
  it('leaves unreached URLs without a row, and the next run resumes', async () => {
    const urls = Array.from({ length: 30 }, (_, i) => `http://h${i % 3}.test/${i}`)
    await build(Object.fromEntries(urls.map((url) => [url, 'x'])))
    segments.generate('s', urls)
    const first = join('s')
    clock.after(4_500, () => void loop.stop())
    const result = await runClock(clock, first)
    expect(result.complete).toBe(false)
    const before = segments.onDisk('s').length
    expect(before).toBeGreaterThan(3)
    expect(before).toBeLessThan(30)

    await build(Object.fromEntries(urls.map((url) => [url, 'x'])))
    const second = await runClock(clock, join('s'))
    expect(second).toMatchObject({ complete: true, statuses: { fetch_success: 30 - before } })
    for (const url of urls) expect(rowOf(url).status).toBe('fetch_success')
  })

  it('aborts requests after the grace period, without a row', async () => {
    await build({ 'http://a.test/1': { status: 'hang' } }, { graceMs: 3_000 })
    segments.generate('s', ['http://a.test/1'])
    const work = join('s')
    clock.after(5_000, () => void loop.stop())
    const start = clock.now()
    expect(await runClock(clock, work)).toMatchObject({ complete: false, statuses: {} })
    expect(clock.now() - start).toBeLessThan(9_000)
    expect(segments.onDisk('s')).toEqual([])
  })

  it('gives up pages that are not parsed within the grace period, without a row', async () => {
    const parser = { parse: () => new Promise<never>(() => {}), close: () => Promise.resolve() }
    await build({ 'http://a.test/1': 'x' }, { graceMs: 3_000 }, { parser })
    segments.generate('s', ['http://a.test/1'])
    const work = join('s')
    clock.after(5_000, () => void loop.stop())
    const start = clock.now()
    expect(await runClock(clock, work)).toMatchObject({ complete: false, statuses: {} })
    expect(clock.now() - start).toBeLessThan(9_000)
    expect(segments.onDisk('s')).toEqual([])
  })

  it('during the robots.txt request leaves no row', async () => {
    await build({ 'http://a.test/robots.txt': { status: 'hang' } }, { graceMs: 100 })
    segments.generate('s', ['http://a.test/1', 'http://a.test/2'])
    const work = join('s')
    clock.after(500, () => void loop.stop())
    expect(await runClock(clock, work)).toMatchObject({ complete: false })
    expect(segments.onDisk('s')).toEqual([])
  })
})

describe('several lists', () => {
  it('share the host queues and have separate rows and results', async () => {
    await build({})
    segments.generate('s', ['http://a.test/1', 'http://a.test/2'])
    segments.generate('t', ['http://a.test/3', 'http://b.test/4'])
    const both = Promise.all([join('s'), join('t')])
    const [s, t] = await runClock(clock, both)
    expect([s.segment, t.segment]).toEqual(['s', 't'])
    expect(segments.onDisk('s')).toHaveLength(2)
    expect(segments.onDisk('t')).toHaveLength(2)
    expect(web.judge.violations({ minGapMs: 1_000 })).toEqual([])
  })

  it('may join when the queues run low, before the slow hosts of the last list are done', async () => {
    const hosts = Array.from({ length: 12 }, (_, i) => `http://h${i}.test/`)
    const slow = Array.from({ length: 3 }, (_, i) => `http://slow.test/${i}`)
    await build({ 'http://slow.test/2': { latencyMs: 60_000 } }, { threads: 4, queueDepth: 3 })
    segments.generate('s', [...slow, ...hosts])
    segments.generate('t', ['http://late.test/'])
    const order: string[] = []
    const first = join('s').then(() => order.push('s'))
    const second = loop.runningLow.then(() => join('t').then(() => order.push('t')))
    await runClock(clock, Promise.all([first, second]))
    expect(order).toEqual(['t', 's'])
  })

  it('request a URL once if a redirect of one list led to it while the other was generated', async () => {
    await build({
      'http://a.test/old': { status: 301, to: 'http://slow.test/new' },
      'http://a.test/older': { status: 301, to: 'http://b.test/new' },
      'http://b.test/new': 'new',
      'http://slow.test/new': { body: 'new', latencyMs: 30_000 },
    })
    segments.generate('s', ['http://a.test/old', 'http://a.test/older'])
    segments.generate('t', ['http://slow.test/new', 'http://b.test/new', 'http://b.test/other'])
    const first = join('s')
    // Both redirects are followed by now: one of their targets has its row, the other is under way.
    const later = Promise.withResolvers<FetchResult>()
    clock.after(15_000, () => void joinKnowing('t', 0).then(later.resolve, later.reject))
    await runClock(clock, Promise.all([first, later.promise]))
    expect(requested().filter((url) => url.endsWith('/new'))).toHaveLength(2)
    expect(statusesIn('s')).toMatchObject({
      'http://slow.test/new': 'fetch_success',
      'http://b.test/new': 'fetch_success',
    })
    expect(statusesIn('t')).toEqual({
      'http://slow.test/new': 'not_reached',
      'http://b.test/new': 'not_reached',
      'http://b.test/other': 'fetch_gone',
    })
  })

  it('request a redirect target again if it was listed after its fetch was merged', async () => {
    await build({ 'http://a.test/old': { status: 301, to: 'http://a.test/new' }, 'http://a.test/new': 'new' })
    segments.generate('s', ['http://a.test/old'])
    segments.generate('t', ['http://a.test/new'])
    await runClock(clock, join('s'))
    await runClock(clock, joinKnowing('t', loop.recorded))
    expect(statusesIn('t')).toEqual({ 'http://a.test/new': 'fetch_success' })
  })

  async function joinKnowing(name: string, rowsKnown: number): Promise<FetchResult> {
    const appender = await segments.append(name)
    const entries = segments.remaining(name)
    return loop.join({ name, entries, appender, rowsKnown }).finally(() => appender.close())
  }

  function statusesIn(name: string): Record<string, string> {
    return Object.fromEntries(segments.onDisk(name).map(({ fetch }) => [fetch.url, fetch.status]))
  }

  it('fail alone when their rows cannot be written', async () => {
    await build({})
    segments.generate('s', ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'])
    segments.generate('t', ['http://a.test/4'])
    const broken = await segments.append('s')
    broken.add = () => Promise.reject(new Error('disk full'))
    const failing = loop.join({ name: 's', entries: segments.remaining('s'), appender: broken })
    const [s, t] = await runClock(clock, Promise.allSettled([failing, join('t')]))
    expect(s).toMatchObject({ status: 'rejected', reason: new Error('disk full') })
    expect(t).toMatchObject({ status: 'fulfilled', value: { complete: true } })
  })
})

it('reports its progress every second', async () => {
  const seen: FetchProgress[] = []
  const urls = Array.from({ length: 5 }, (_, i) => `http://a.test/${i}`)
  const pages = Object.fromEntries(urls.map((url) => [url, '<p>ten bytes']))
  await build({ ...pages, 'http://a.test/1': { status: 500 } }, { onProgress: (now) => seen.push(now) })
  await fetchAll(urls)
  const last = seen.at(-1)
  expect(seen.length).toBeGreaterThan(3)
  expect(last).toMatchObject({ errors: 1, queues: 1, statuses: { fetch_retry: 1 } })
  expect(last?.pages).toBeGreaterThan(1)
  expect(last?.bytes).toBe((last?.pages ?? 0) * 12)
  expect(last?.averagePagesPerSecond).toBeCloseTo(((last?.pages ?? 0) * 1_000) / (last?.elapsedMs ?? 1), 5)
})

it('restores the throttle state of hosts', async () => {
  await build({})
  await fetchAll(['http://a.test/1'])
  const states = loop.hostStates()
  const end = clock.now()
  await build({})
  loop.restoreHosts(states)
  await fetchAll(['http://a.test/1'])
  expect(web.judge.hits[0]?.start).toBeGreaterThanOrEqual(end)
  expect(states).toMatchObject([{ key: 'a.test' }])
})
