import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import { HostQueues } from '../politeness/host-queues.ts'
import { RobotsCache } from '../robots/robots-cache.ts'
import { CrawlMonitor } from './crawl-monitor.ts'
import { listHosts } from './list-hosts.ts'
import type { HostQuery } from './live-report.ts'
import type { ReportSource } from './report-source.ts'

let clock: FakeClock
let monitor: CrawlMonitor
beforeEach(() => {
  clock = new FakeClock()
  monitor = new CrawlMonitor(clock)
})

const RESPONSE = { status: 200, headers: [], requestHeaders: [], address: '', protocol: 'http/1.1' }
const BODY = { bytes: new Uint8Array(900), wireBytes: 300, decoded: [] }

/** An outcome that took `ms`. */
function outcomeOf(kind: string, ms = 20, more: object = {}): FetchOutcome {
  const timings = { startedAt: 0, totalMs: ms }
  return { kind, url: '', timings, response: RESPONSE, ...more } as unknown as FetchOutcome
}
const SUCCESS = outcomeOf('success', 20, { body: BODY })
const RESET: FetchOutcome = {
  ...{ kind: 'network-failure', cause: 'reset', detail: 'closed' },
  ...{ url: '', timings: { startedAt: 0, totalMs: 5 } },
}

function request(outcome: FetchOutcome, url = 'http://a.test/', purpose: 'page' | 'robots' = 'page'): void {
  const key = new URL(url).hostname
  const sent = { url, key, purpose, queuedAt: clock.now(), startedAt: clock.now() }
  monitor.sent(sent)
  monitor.ended(sent, outcome)
}

/** A source with host queues, in which each of `hosts` has this number of items. */
function attach(hosts: Readonly<Record<string, number>>, counts: Partial<ReportSource> = {}) {
  const queues = new HostQueues<string>(clock, { delayMs: 1_000 })
  for (const [host, items] of Object.entries(hosts))
    for (let i = 0; i < items; i++) queues.add(host, `http://${host}/${i}`)
  const fetcher = {
    ...{ active: 0, queued: queues.queued },
    hosts: () => queues.keys(),
    hasHost: (key: string) => queues.has(key),
    host: (key: string) => queues.describe(key),
    hostFigure: (key: string, name: 'queued' | 'inFlight' | 'readyAt' | 'delayMs') =>
      queues.figure(key, name),
  } as unknown as ReportSource['fetcher']
  const source = { fetcher, robots: new RobotsCache(clock, 'bot'), pages: 0, retries: 0, ...counts }
  monitor.attach(source)
  return { queues, source }
}

describe('the totals', () => {
  it('count requests, bytes on the wire, errors, redirects and robots.txt', () => {
    request(outcomeOf('not-found'), 'http://a.test/robots.txt', 'robots')
    request(SUCCESS)
    request(outcomeOf('moved', 1, { to: '', permanent: true }))
    request(RESET)
    request(outcomeOf('network-failure', 5, { cause: 'aborted', detail: '' }))
    monitor.disallowed('http://a.test/secret', 'a.test')
    expect(monitor.totals).toMatchObject({
      ...{ requests: 5, robotsRequests: 1, bytes: 300, errors: 1, redirects: 1, robotsDisallowed: 1 },
    })
    expect(monitor.outcomes).toEqual({ success: 1, moved: 1, reset: 1, aborted: 1, 'robots-disallowed': 1 })
  })

  it('read pages and items from the source, and add those of the sources before', () => {
    attach({}, { pages: 5, retries: 1, items: 7, rejectedItems: 2 })
    attach({}, { pages: 3 })
    expect(monitor.totals).toMatchObject({ pages: 8, retries: 1, items: 7, rejectedItems: 2 })
  })
})

describe('the failures', () => {
  it('are the latest fifty, newest first, with reason and retry time', () => {
    for (let i = 0; i < 60; i++) request(RESET, `http://a.test/${i}`)
    const retryAt = clock.now() + 60_000
    request(
      outcomeOf('rate-limited', 1, { retryAt, response: { ...RESPONSE, status: 429 } }),
      'http://b.test/',
    )
    const { failures } = monitor
    expect(failures).toHaveLength(50)
    expect(failures[0]).toEqual({
      ...{ at: clock.now(), url: 'http://b.test/', host: 'b.test' },
      ...{ code: 'rate-limited', reason: 'HTTP 429', retryAt },
    })
    expect(failures[1]).toMatchObject({ url: 'http://a.test/59', code: 'reset', reason: 'closed' })
    expect(failures.at(-1)).toMatchObject({ url: 'http://a.test/11' })
  })

  it('have URLs that were not requested, but not those that robots.txt disallows', () => {
    monitor.disallowed('http://a.test/secret', 'a.test')
    monitor.unsent({
      url: 'http://a.test/',
      key: 'a.test',
      kind: 'host-parked',
      reason: 'too-many-failures',
      retryAt: 9,
    })
    monitor.unsent({ url: 'http://b.test/', key: 'b.test', kind: 'host-failed', reason: '', outcome: RESET })
    expect(monitor.failures.map(({ code, retryAt }) => [code, retryAt])).toEqual([
      ['reset', undefined],
      ['host-parked', 9],
    ])
  })

  it('are left to the spider, which knows its retries', () => {
    monitor = new CrawlMonitor(clock, { listsRequests: false })
    request(RESET)
    expect(monitor.failures).toEqual([])
    expect(monitor.outcomes).toEqual({ reset: 1 })
  })
})

it('counts responses by their time; a bound belongs to its own count', () => {
  for (const ms of [0, 5, 5.1, 60_000, 60_001]) request(outcomeOf('not-found', ms))
  request(RESET)
  const { boundsMs, counts, sumMs } = monitor.responseTimes
  expect(boundsMs[0]).toBe(5)
  expect(boundsMs.at(-1)).toBe(60_000)
  expect(counts).toHaveLength(boundsMs.length + 1)
  expect([counts[0], counts[1], counts.at(-2), counts.at(-1)]).toEqual([2, 1, 1, 1])
  expect(sumMs).toBe(120_011)
})

describe('the series', () => {
  it('has a point per second, and the rates are those of the last five', () => {
    const { source } = attach({ 'a.test': 3 })
    monitor.start()
    for (let second = 1; second <= 7; second++) {
      for (let i = 0; i < second; i++) request(SUCCESS)
      Object.assign(source, { pages: source.pages + second })
      clock.advance(1_000)
    }
    const { points } = monitor.series()
    expect(points.map(({ pages }) => pages)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(points[0]).toMatchObject({ seconds: 1, requests: 1, bytes: 300, errors: 0, queued: 3 })
    expect(monitor.rates).toMatchObject({ pagesPerSecond: 5, requestsPerSecond: 5, bytesPerSecond: 1_500 })
  })

  it('has minutes before the last 600 seconds, at most of a week, and loses no page', () => {
    const { source } = attach({})
    monitor.start()
    const seconds = 600 + 185
    for (let i = 0; i < seconds; i++) {
      Object.assign(source, { pages: source.pages + 1 })
      clock.advance(1_000)
    }
    const { points } = monitor.series()
    expect(points.slice(0, 4).map((point) => [point.seconds, point.pages])).toEqual([
      ...[60, 60, 60].map((n) => [n, n]),
      [5, 5],
    ])
    expect(points).toHaveLength(604)
    expect(points.reduce((sum, { pages }) => sum + pages, 0)).toBe(seconds)
    expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).toSorted((a, b) => a - b))
  })

  it('ends with the last partial second', () => {
    const { source } = attach({})
    monitor.start()
    Object.assign(source, { pages: 4 })
    clock.advance(400)
    monitor.stop()
    expect(monitor.series().points).toMatchObject([{ pages: 4, seconds: 0.4 }])
    clock.advance(5_000)
    expect(monitor.series().points).toHaveLength(1)
  })
})

it('measures the process every second', () => {
  let reads = 0
  const processFigures = () => ({ rssBytes: ++reads }) as unknown as NonNullable<CrawlMonitor['process']>
  monitor = new CrawlMonitor(clock, { processFigures })
  monitor.start()
  clock.advance(3_000)
  expect(monitor.process).toEqual({ rssBytes: 3 })
})

describe('the list of hosts', () => {
  const QUERY: HostQuery = { sort: 'host', descending: false, offset: 0, limit: 10 }
  const names = (query: Partial<HostQuery>) =>
    listHosts(monitor, { ...QUERY, ...query }).hosts.map(({ host }) => host)

  it('has hosts of the queues and hosts that were requested, each once', () => {
    attach({ 'b.test': 2, 'a.test': 1 })
    request(SUCCESS, 'http://b.test/')
    request(SUCCESS, 'http://c.test/')
    expect(names({})).toEqual(['a.test', 'b.test', 'c.test'])
    expect(names({ descending: true })).toEqual(['c.test', 'b.test', 'a.test'])
    expect(listHosts(monitor, { ...QUERY, contains: 'B.' })).toMatchObject({
      total: 1,
      hosts: [
        {
          ...{ host: 'b.test', queued: 2, inFlight: 0, delayMs: 1_000, delaySetBy: 'config' },
          ...{ requests: 1, errors: 0, averageMs: 20, robots: { state: 'unknown' } },
        },
      ],
    })
  })

  it('sorts by each figure, equal ones by name', () => {
    const { queues } = attach({ 'a.test': 1, 'b.test': 3, 'c.test': 2 })
    queues.setOperatorDelay('c.test', 5_000)
    queues.take()
    for (const [host, ms] of [
      ['a', 10],
      ['c', 90],
      ['c', 10],
      ['b', 30],
    ] as const)
      request(host === 'b' ? RESET : outcomeOf('success', ms, { body: BODY }), `http://${host}.test/`)
    const byFigure = Object.fromEntries(
      (['queued', 'inFlight', 'delayMs', 'requests', 'errors', 'averageMs'] as const).map((sort) => [
        sort,
        names({ sort, descending: true })
          .map((name) => name[0])
          .join(''),
      ]),
    )
    expect(byFigure).toEqual({
      ...{ queued: 'bca', inFlight: 'abc', delayMs: 'cab', requests: 'cab', errors: 'bac', averageMs: 'cab' },
    })
  })

  it('is paged like the sorted list, whatever the size of a page', () => {
    const hosts = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`h${(i * 7_919) % 500}.test`, (i % 13) + 1]),
    )
    attach(hosts)
    const wanted = Object.entries(hosts)
      .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .map(([host]) => host)
    for (const limit of [1, 7, 25, 499, 1_000]) {
      const pages: string[] = []
      for (let offset = 0; offset < 500; offset += limit)
        pages.push(...names({ sort: 'queued', descending: true, offset, limit }))
      expect(pages).toEqual(wanted)
    }
    expect(listHosts(monitor, { ...QUERY, offset: 600 })).toEqual({ total: 500, hosts: [] })
  })

  it('says who set the delay, and why a host is parked', () => {
    const { queues } = attach({})
    queues.setOperatorDelay('a.test', 3_000)
    queues.setCrawlDelay('a.test', 2_000)
    queues.setCrawlDelay('b.test', 10_000)
    queues.setOperatorDelay('b.test', 3_000)
    queues.park('c.test', clock.now() + 60_000, 'too-many-failures')
    queues.add('d.test', 'x')
    const taken = queues.take()
    if (taken.kind === 'taken') queues.release(taken, { kind: 'rate-limited', retryAt: clock.now() + 30_000 })
    expect(
      listHosts(monitor, QUERY).hosts.map((host) => [host.delaySetBy, host.delayMs, host.parkedReason]),
    ).toEqual([
      ['operator', 3_000, undefined],
      ['robots', 10_000, undefined],
      ['config', 1_000, 'too-many-failures'],
      ['retry-after', 30_000, undefined],
    ])
    clock.advance(30_000)
    expect(listHosts(monitor, QUERY).hosts[3]).toMatchObject({ delaySetBy: 'back-off', delayMs: 5_000 })
  })

  it('keeps the counters of the 10,000 hosts that were used last', () => {
    attach({})
    for (let i = 0; i < 10_001; i++) request(SUCCESS, `http://h${i}.test/`)
    expect(listHosts(monitor, QUERY).total).toBe(10_000)
    expect(listHosts(monitor, { ...QUERY, contains: 'h0.test' }).total).toBe(0)
  })
})
