import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MemorySegments } from '../../../testing/memory-segments.ts'
import { page, reply } from '../../../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../../../testing/misbehaving-web.ts'
import { testRules } from '../../../testing/test-rules.ts'
import { HttpFetcher } from '../../adapters/http/http-fetcher.ts'
import { ParsePool } from '../../adapters/parse-threads/parse-pool.ts'
import { steadyClock } from '../../base/clock.ts'
import { InlineParser } from '../../domain/parse/parse-page.ts'
import type { ParseRules } from '../../domain/parse/parse-rules.ts'
import { RobotsCache } from '../../domain/robots/robots-cache.ts'
import type { FetchRow } from '../../domain/segment/segment-rows.ts'
import type { FetchParts } from './fetch-loop.ts'
import type { FetchOptions } from './fetch-options.ts'
import { fetchSegment } from './fetch-segment.ts'
import { parseSegment } from './parse-segment.ts'

const DELAY_MS = 40
const options: FetchOptions = { politeness: { delayMs: DELAY_MS, backoffMs: 50, maxFailures: 50 } }

let web: MisbehavingWeb
let rules: ParseRules
let segments: MemorySegments
beforeAll(async () => {
  web = await startMisbehavingWeb()
  rules = testRules(steadyClock)
})
afterAll(() => web.close())
beforeEach(() => {
  web.judge.reset()
  segments = new MemorySegments()
})

async function withParts<T>(more: Partial<FetchParts>, use: (parts: FetchParts) => Promise<T>): Promise<T> {
  const fetcher = new HttpFetcher({
    agent: { name: 'testbot', version: '1', email: 'a@a.test' },
    resolve: web.dns.resolve,
    allowPrivateHosts: (host) => host.endsWith('.test'),
    maxBodyBytes: 200_000,
    totalTimeoutMs: 3_000,
    headersTimeoutMs: 1_000,
    bodyTimeoutMs: 1_000,
  })
  try {
    const robots = new RobotsCache(steadyClock, 'testbot')
    return await use({ clock: steadyClock, fetcher, robots, rules, parser: new InlineParser(rules), ...more })
  } finally {
    await fetcher.close()
  }
}

const rowOf = (url: string): FetchRow | undefined =>
  segments.onDisk('s').find(({ fetch }) => fetch.url === url)?.fetch

describe('with real sockets', () => {
  it('keeps the delays of several hosts, and each listed URL has a row', async () => {
    const hosts = ['one.test', 'two.test', 'three.test']
    const urls: string[] = []
    for (const host of hosts) {
      const other = web.origin(hosts[(hosts.indexOf(host) + 1) % 3] ?? '')
      const origin = web.serve(host, {
        '/robots.txt': reply({
          headers: { 'Content-Type': 'text/plain' },
          body: 'User-agent: *\nDisallow: /no',
        }),
        '/': page('<title>home</title><a href="/a">a</a>'),
        '/a': page('a'),
        '/moved': reply({ status: 301, headers: { Location: `${other}/target` } }),
        '/target': page('<title>target</title>'),
        '/busy': reply({ status: 500 }),
      })
      web.judge.disallow(host, '/no')
      urls.push(...['/', '/a', '/moved', '/no/1', '/missing', '/busy'].map((path) => origin + path))
    }
    segments.generate('s', urls)
    const result = await withParts({}, (parts) => fetchSegment(segments, 's', parts, options))
    expect(web.judge.violations({ minGapMs: DELAY_MS })).toEqual([])
    expect(result).toMatchObject({
      complete: true,
      statuses: { fetch_success: 9, fetch_redir_perm: 3, fetch_gone: 6, fetch_retry: 3 },
      protocolStatuses: { SUCCESS: 9, MOVED: 3, ROBOTS_DENIED: 3, NOTFOUND: 3, EXCEPTION: 3 },
    })
    for (const url of urls) expect(rowOf(url), url).toBeDefined()
    expect(rowOf(`${web.origin('two.test')}/target`)).toMatchObject({
      redirectedFrom: `${web.origin('one.test')}/moved`,
      address: '127.0.0.1',
    })
  })

  it('records the reason for every kind of misbehaving server', async () => {
    const paths = [
      '/moved/self',
      '/moved/growing',
      '/moved/nowhere',
      '/moved/private',
      '/moved/broken',
      '/moved/long',
      '/bomb/gzip',
      '/endless',
      '/huge/declared',
      '/coding/unknown',
      '/length/conflict',
      '/type/pdf-as-html',
      '/gzip/truncated',
      '/partial',
      '/empty',
    ]
    const urls = paths.map((path) => web.url(path))
    segments.generate('s', urls)
    const result = await withParts({}, (parts) => fetchSegment(segments, 's', parts, options))
    expect(result.complete).toBe(true)
    for (const url of urls) {
      const row = rowOf(url)
      expect(row, url).toBeDefined()
      if (row?.status !== 'fetch_success') expect(row?.reason, url).toBeTruthy()
    }
    expect(web.judge.violations({ minGapMs: DELAY_MS })).toEqual([])
  }, 20_000)

  it('does not follow a redirect to a URL that a killed run has recorded', async () => {
    const origin = web.serve('sent.test', {
      '/1': reply({ status: 301, headers: { Location: '/target' } }),
      '/2': reply({ status: 301, headers: { Location: '/target' } }),
      '/target': page('target'),
    })
    segments.generate('s', [`${origin}/1`, `${origin}/2`])
    const row = { protocolStatus: 'SUCCESS', fetchedAt: 0 }
    const killed = await segments.append('s')
    void killed.add({ fetch: { url: `${origin}/1`, status: 'fetch_redir_perm', ...row } })
    void killed.add({
      fetch: { url: `${origin}/target`, status: 'fetch_success', ...row, redirectedFrom: `${origin}/1` },
    })
    await killed.flush()
    const result = await withParts({}, (parts) => fetchSegment(segments, 's', parts, options))
    expect(result.statuses).toEqual({ fetch_redir_perm: 1 })
    expect(rowOf(`${origin}/2`)?.reason).toContain('it is in this run already')
  })

  it('resumes after an interruption', async () => {
    const site = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`/${i}`, page(`page ${i}`)]))
    const origin = web.serve('long.test', site)
    const urls = Object.keys(site).map((path) => origin + path)
    segments.generate('s', urls)
    const interrupt = new AbortController()
    const onProgress = () => interrupt.abort()
    const slow = { politeness: { delayMs: 100 }, onProgress }
    const first = await withParts({}, (parts) => fetchSegment(segments, 's', parts, slow, interrupt.signal))
    expect(first.complete).toBe(false)
    const second = await withParts({}, (parts) => fetchSegment(segments, 's', parts, options))
    expect(second.complete).toBe(true)
    expect(
      segments
        .onDisk('s')
        .map(({ fetch }) => fetch.url)
        .sort(),
    ).toEqual([...urls].sort())
  })
})

describe('parsing in threads', () => {
  it('returns the same rows while fetching as in a separate step', async () => {
    const html = (i: number) =>
      `<title>${i}</title><p>${'word '.repeat(i)}</p><a href="/${(i + 1) % 12}">next</a>`
    const site = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`/${i}`, page(html(i))]))
    const origin = web.serve('words.test', site)
    const urls = Object.keys(site).map((path) => origin + path)
    const later = new MemorySegments()
    segments.generate('s', urls)
    later.generate('s', urls)
    const parser = new ParsePool(
      steadyClock,
      { settings: { environment: {}, flags: { agent: { name: 'testbot' } } } },
      { threads: 2 },
    )
    try {
      await withParts({ parser }, (parts) => fetchSegment(segments, 's', parts, options))
      await withParts({}, ({ parser: _, ...parts }) => fetchSegment(later, 's', parts, options))
      expect(later.onDisk('s').every(({ parseData }) => parseData === undefined)).toBe(true)
      const result = await parseSegment(later, 's', parser)
      expect(result).toEqual({ segment: 's', parsed: 12, failed: 0, skipped: 0, complete: true })
    } finally {
      await parser.close()
    }
    const parsedRows = (store: MemorySegments) =>
      new Map(
        store
          .onDisk('s')
          .map(({ fetch, parseText, parseData, links }) => [
            fetch.url,
            { signature: fetch.signature, scoreGiven: fetch.scoreGiven, parseText, parseData, links },
          ]),
      )
    expect(parsedRows(later)).toEqual(parsedRows(segments))
    expect(rowOf(`${origin}/3`)?.signature).toMatch(/^[0-9a-f]{32}$/)
  }, 60_000)
})
