import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { Certificate, HostCertificate } from '../../domain/certificate/certificate.ts'
import type {
  LimitsEntry,
  LogBatch,
  LogEntry,
  ProcessEntry,
  RequestEntry,
  RequestLogPart,
} from '../../domain/certificate/request-log-entry.ts'
import { type CertifyOptions, certify } from './certify.ts'

/** Shortly before midnight: the requests continue after it. */
const START = Date.parse('2026-11-16T23:59:58.000Z')
const PROCESS: ProcessEntry = {
  ...{ type: 'process', format: 1, software: 'orbweaver/1', pid: 1, startedAt: START },
  ...{ userAgent: 'orbweaver/1 (+https://bot.test)', agent: 'orbweaver', denyOnForbidden: false },
}
const LIMITS: LimitsEntry = { type: 'limits', id: 1, startGapMs: 0, endGapMs: 1_000, maxInFlight: 1 }

/** Lines of a log with seconds since START as times. */
function robots(text: string, more: object = {}): LogEntry {
  return {
    ...{ type: 'robots', id: 2, origin: 'http://a.test', host: 'a.test', state: 'file', checkedAt: START },
    ...{ hash: `hash of ${text}`, text, ...more },
  }
}

function request(start: number, end: number, path = '/', more: Partial<RequestEntry> = {}): RequestEntry {
  return {
    ...{ type: 'request', start: START + start * 1000, end: START + end * 1000, url: `http://a.test${path}` },
    ...{ status: 200, limits: 1, robots: 2, delayMs: 1_000, ...more },
  }
}

function robotsRequest(start: number, end: number): RequestEntry {
  const { robots: _, ...remaining } = request(start, end, '/robots.txt', { purpose: 'robots' })
  return remaining
}

/** A request that is in flight at the time of a flush. */
function openRequest(start: number, id: number): RequestEntry {
  const { end: _end, status: _status, ...remaining } = request(start, start)
  return { ...remaining, type: 'open', id }
}

const NO_RULES = robots('')

/** A file of one process. Each inner list is a flush; its time is the latest in it. */
function file(batches: readonly (readonly LogEntry[])[], options: FileOptions = {}): RequestLogPart {
  const { startedAt = START - 1, name = 'log', isClosed = true, wallOffsets = [], damagedBytes = 0 } = options
  const all = batches.map((entries, i): LogBatch => {
    const at = Math.max(
      startedAt,
      ...entries.map((entry) => ('start' in entry ? (entry.end ?? entry.start) : 0)),
    )
    const isEnd = isClosed && i === batches.length - 1
    return {
      entries,
      flush: { type: 'flush', at, wall: at + (wallOffsets[i] ?? 0), ...(isEnd && { closed: true }) },
    }
  })
  return {
    ...{ name, startedAt, damagedBytes },
    async *batches() {
      yield* all
    },
  }
}

interface FileOptions {
  readonly startedAt?: number
  readonly name?: string
  readonly isClosed?: boolean
  readonly wallOffsets?: readonly number[]
  readonly damagedBytes?: number
}

function certificateOf(files: readonly RequestLogPart[], options: CertifyOptions = {}): Promise<Certificate> {
  return certify(files, 'orbweaver/1', new FakeClock(), options)
}

/** The result for one host with these lines. */
async function hostOfLines(...lines: readonly LogEntry[]): Promise<HostCertificate> {
  const { hosts } = await certificateOf([file([[PROCESS, LIMITS, ...lines]])])
  if (hosts[0] === undefined) throw new Error('no host')
  return hosts[0]
}

async function rulesBroken(...lines: readonly LogEntry[]): Promise<string[]> {
  return (await hostOfLines(...lines)).violations.map(({ rule }) => rule)
}

it('certifies a polite crawl across midnight', async () => {
  const lines = [
    robotsRequest(0, 0.1),
    NO_RULES,
    request(1.1, 1.3, '/1'),
    request(2.3, 2.5, '/2'),
    request(5, 6, '/3'),
  ]
  const certificate = await certificateOf([file([[PROCESS, LIMITS, ...lines]])])
  expect(certificate).toMatchObject({
    summary: 'No violations in 4 requests to a.test between 2026-11-16 23:59 and 2026-11-17 00:00 UTC.',
    ...{ requests: 4, violations: 0, isComplete: true, notes: [] },
    crawlers: [{ userAgent: 'orbweaver/1 (+https://bot.test)', processes: 1 }],
  })
  expect(certificate.hosts[0]).toMatchObject({
    ...{ host: 'a.test', requests: 4, robotsRequests: 1, mostInFlight: 1 },
    gapAfterResponse: { smallestMs: 1_000, medianMs: 1_000 },
    gapBetweenStarts: { smallestMs: 1_100, medianMs: 1_200 },
    outcomes: { 200: 4 },
    busiestHour: { at: '2026-11-16T23:00:00.000Z', requests: 2 },
    limits: [{ delayAfterResponseMs: 1_000, maxInFlight: 1, requests: 4 }],
  })
})

describe('a delay that is too short', () => {
  it('is found, with the required and the observed time', async () => {
    const { violations } = await hostOfLines(NO_RULES, request(0, 0.5, '/1'), request(1.2, 1.3, '/2'))
    expect(violations).toEqual([
      {
        ...{
          at: '2026-11-16T23:59:59.200Z',
          url: 'http://a.test/2',
          rule: 'delay',
          required: 1_000,
          observed: 700,
        },
        message: 'requested 0.7 s after the last response; the configured delay is 1 s',
      },
    ])
  })

  it('is accepted within a millisecond, for timers', async () => {
    expect(await rulesBroken(NO_RULES, request(0, 0.5), request(1.4992, 1.6))).toEqual([])
  })

  it('is found across two processes', async () => {
    const first = file([[PROCESS, LIMITS, NO_RULES, request(0, 0.5)]], { name: '1' })
    const second = file([[PROCESS, LIMITS, NO_RULES, request(0.9, 1)]], { name: '2', startedAt: START + 700 })
    const { hosts } = await certificateOf([first, second])
    expect(hosts[0]?.violations).toMatchObject([{ rule: 'delay', observed: 400 }])
  })

  it('counts between starts if requests may overlap', async () => {
    const limits = { ...LIMITS, startGapMs: 1_000, endGapMs: 0, maxInFlight: 2 }
    const lines = [request(0, 1.5), request(1, 2.5), request(1.6, 1.8)].map((entry) => ({
      ...entry,
      delayMs: 0,
    }))
    const host = await certificateOf([file([[PROCESS, limits, NO_RULES, ...lines]])])
    expect(host.hosts[0]?.violations).toMatchObject([{ rule: 'start-delay', required: 1_000, observed: 600 }])
    expect(host.hosts[0]).toMatchObject({ mostInFlight: 2, gapBetweenStarts: { smallestMs: 600 } })
  })

  it("is the crawler's own after failures, but only within a process", async () => {
    const failed = request(0, 0.5, '/1', { status: 500, delayMs: 5_000 })
    expect(await rulesBroken(NO_RULES, failed, request(2, 3))).toEqual(['back-off'])
    const first = file([[PROCESS, LIMITS, NO_RULES, failed]], { name: '1' })
    const second = file([[PROCESS, LIMITS, NO_RULES, request(2, 3)]], { name: '2', startedAt: START + 700 })
    expect((await certificateOf([first, second])).violations).toBe(0)
  })

  it('is not measured with the delay from before an operator changed it', async () => {
    const shorter = { ...LIMITS, id: 7, endGapMs: 100 }
    expect(
      await rulesBroken(NO_RULES, request(0, 0.5), shorter, request(0.7, 0.8, '/', { limits: 7 })),
    ).toEqual([])
  })
})

it('finds requests at the same time', async () => {
  const { violations, mostInFlight } = await hostOfLines(NO_RULES, request(0, 3), request(1, 2))
  expect(mostInFlight).toBe(2)
  expect(violations).toMatchObject([{ rule: 'parallel', required: 1, observed: 2 }])
})

describe('robots.txt', () => {
  it('must allow the URL, by the longest rule, whose line is quoted', async () => {
    const text = '# rules\nUser-agent: *\nDisallow: /private\nAllow: /private/open'
    const host = await hostOfLines(
      ...[robotsRequest(0, 0.1), robots(text), request(2, 2.1, '/private/open/1')],
      ...[request(4, 4.1, '/private/x'), request(6, 6.1, '/public'), request(8, 8.1, '/public/2')],
      { type: 'disallowed', at: START + 9_000, url: 'http://a.test/private/skipped', robots: 2 },
    )
    expect(host.violations).toMatchObject([
      {
        ...{ rule: 'robots-disallowed', url: 'http://a.test/private/x' },
        message: 'requested although robots.txt disallows it (line 3: Disallow: /private)',
      },
    ])
    expect(host).toMatchObject({ disallowedUrls: 1 })
    expect(host.robots).toMatchObject([
      {
        ...{ origin: 'http://a.test', state: 'file', requests: 4, bytes: text.length },
        decisions: [
          { allowed: true, urls: 2, example: 'http://a.test/public' },
          { allowed: false, line: 3, text: 'Disallow: /private', urls: 2 },
          { allowed: true, line: 4, text: 'Allow: /private/open', urls: 1 },
        ],
      },
    ])
  })

  it('is the one that was in force at the time', async () => {
    const host = await hostOfLines(
      ...[robots(''), request(2, 2.1, '/x'), robotsRequest(4, 4.1)],
      ...[robots('User-agent: *\nDisallow: /', { id: 3 }), request(6, 6.1, '/x', { robots: 3 })],
    )
    expect(host.violations.map(({ at }) => at)).toEqual(['2026-11-17T00:00:04.000Z'])
    expect(host.robots.map(({ requests }) => requests)).toEqual([1, 1])
  })

  it('must have been fetched, and reached', async () => {
    const { robots: _, ...without } = request(2, 2.1)
    expect(await rulesBroken(without)).toEqual(['robots-not-fetched'])
    const unreachable = robots('', { state: 'unreachable', hash: undefined, text: undefined, reason: '503' })
    expect(await rulesBroken(unreachable, request(2, 2.1))).toEqual(['robots-unreachable'])
  })

  it('must not be older than a day, unless it cannot be reached', async () => {
    const checkedAt = START - 25 * 3_600_000
    expect(await rulesBroken(robots('', { checkedAt }), request(2, 2.1))).toEqual(['robots-stale'])
    expect(await rulesBroken(robots('', { checkedAt, outage: true }), request(2, 2.1))).toEqual([])
  })

  it('sets the Crawl-delay, from the last response of the same origin', async () => {
    const slow = robots('User-agent: *\nCrawl-delay: 3')
    expect(await rulesBroken(robotsRequest(0, 0.1), slow, request(2, 2.1))).toEqual(['crawl-delay'])
    const other = request(4, 4.1, '/', { url: 'https://a.test/', robots: 3 })
    const https = robots('', { id: 3, origin: 'https://a.test' })
    const lines = [robotsRequest(0, 0.1), slow, https, other, request(5.2, 5.3)]
    expect(await hostOfLines(...lines)).toMatchObject({ violationCount: 0, crawlDelayMs: 3_000 })
  })

  it('that is not in the logs makes the certificate incomplete, and is not a violation', async () => {
    const certificate = await certificateOf([file([[PROCESS, LIMITS, request(2, 2.1, '/', { robots: 9 })]])])
    expect(certificate).toMatchObject({
      violations: 0,
      isComplete: false,
      notes: [{ code: 'ROBOTS_UNKNOWN' }],
    })
  })

  it('that returns 403 disallows everything only with denyOnForbidden', async () => {
    const denied = robots('', { state: 'denied', hash: undefined, text: undefined })
    expect(await rulesBroken(denied, request(2, 2.1))).toEqual([])
    expect(await rulesBroken({ ...PROCESS, denyOnForbidden: true }, denied, request(2, 2.1))).toEqual([
      'robots-disallowed',
    ])
  })
})

describe('Retry-After', () => {
  const limited = request(0, 0.1, '/1', { status: 429, retryAt: START + 10_000 })

  it('is obeyed', async () => {
    expect(await hostOfLines(NO_RULES, limited, request(10, 10.1))).toMatchObject({
      violationCount: 0,
      retryAfter: { tooManyRequests: 1, responses: 1, obeyed: 1, longestMs: 9_900 },
    })
  })

  it('is broken by a request before its end, in any process', async () => {
    const first = file([[PROCESS, LIMITS, NO_RULES, limited]], { name: '1' })
    const lines = [request(4, 4.1), request(10, 10.1)]
    const second = file([[PROCESS, LIMITS, NO_RULES, ...lines]], { name: '2', startedAt: START + 700 })
    const { hosts } = await certificateOf([first, second])
    expect(hosts[0]?.violations).toMatchObject([{ rule: 'retry-after', required: 9_900, observed: 3_900 }])
    expect(hosts[0]?.retryAfter).toMatchObject({ responses: 1, obeyed: 0 })
  })
})

describe('several logs', () => {
  it('of processes that ran at the same time are merged by time', async () => {
    const one = file([[PROCESS, LIMITS, NO_RULES, request(0, 0.1)], [request(4, 4.1)]], { name: '1' })
    const two = file([[PROCESS, LIMITS, NO_RULES, request(2, 2.1)], [request(4.5, 4.6)]], { name: '2' })
    const { hosts, crawlers } = await certificateOf([one, two])
    expect(crawlers).toMatchObject([{ processes: 2 }])
    expect(hosts[0]).toMatchObject({ requests: 4, gapAfterResponse: { smallestMs: 400, medianMs: 1_900 } })
    expect(hosts[0]?.violations).toMatchObject([{ rule: 'delay', at: '2026-11-17T00:00:02.500Z' }])
  })

  it('of a killed process end at its last flush, also for requests in flight', async () => {
    const open = openRequest(2, 5)
    const killed = file([[PROCESS, LIMITS, NO_RULES, request(0, 0.1)], [open]], {
      name: '1',
      isClosed: false,
    })
    const next = file([[PROCESS, LIMITS, NO_RULES, request(5, 5.1)]], { name: '2', startedAt: START + 4_000 })
    const certificate = await certificateOf([killed, next])
    expect(certificate).toMatchObject({
      violations: 0,
      isComplete: true,
      notes: [{ code: 'LOG_NOT_CLOSED' }],
    })
    expect(certificate.hosts[0]).toMatchObject({
      requests: 3,
      mostInFlight: 1,
      outcomes: { 200: 2, unfinished: 1 },
    })
  })

  it('have two lines for a slow request, which counts once', async () => {
    const open = openRequest(0, 5)
    const lines: LogEntry[][] = [
      [PROCESS, LIMITS, NO_RULES, open],
      [{ ...request(0, 3), id: 5 }, request(3.5, 4)],
    ]
    const { hosts } = await certificateOf([file(lines)])
    expect(hosts[0]).toMatchObject({
      requests: 2,
      mostInFlight: 1,
      violations: [{ rule: 'delay', observed: 500 }],
    })
  })

  it('leave out a request that was announced but not sent', async () => {
    const open = openRequest(0, 5)
    const unsent = {
      type: 'request',
      id: 5,
      start: START,
      end: START + 1_000,
      url: '',
      notSent: true,
    } as const
    const { hosts } = await certificateOf([
      file([
        [PROCESS, LIMITS, NO_RULES, open],
        [unsent, request(3.5, 4)],
      ]),
    ])
    expect(hosts[0]).toMatchObject({ requests: 1, violationCount: 0 })
  })
})

describe('a selection', () => {
  const other = request(0.2, 0.3, '/', { url: 'http://www.b.test/', host: 'b.test' })
  const files = [
    file([[PROCESS, LIMITS, NO_RULES, request(0, 0.1), other, request(0.5, 0.6), request(9, 9.1)]]),
  ]

  it('of a host matches its queue and its URLs', async () => {
    for (const host of ['b.test', 'www.b.test'])
      expect(await certificateOf(files, { host })).toMatchObject({ requests: 1, hosts: [{ host: 'b.test' }] })
    expect(await certificateOf(files, { host: 'c.test' })).toMatchObject({
      ...{ requests: 0, hosts: [], summary: 'No requests are recorded.' },
    })
  })

  it('of a time counts only its requests, but knows those before', async () => {
    const from = START + 400
    expect(await certificateOf(files, { host: 'a.test', from, to: START + 9_000 })).toMatchObject({
      ...{ requests: 1, violations: 1, hosts: [{ violations: [{ observed: 400 }] }] },
      selection: { host: 'a.test', from: '2026-11-16T23:59:58.400Z' },
    })
    expect(await certificateOf(files, { from: START + 8_000 })).toMatchObject({ requests: 1, violations: 0 })
  })

  it('lists hosts with violations first, and leaves out the last of too many', async () => {
    const { hosts, unlistedHosts, requests } = await certificateOf(files, { maxHosts: 0 })
    expect(hosts.map(({ host }) => host)).toEqual(['a.test'])
    expect({ unlistedHosts, requests }).toEqual({ unlistedHosts: 1, requests: 4 })
  })
})

it('notes lost requests, damaged files and a clock that was set', async () => {
  const lost = { type: 'lost', from: START, to: START + 1_000, requests: 12 } as const
  const batches: LogEntry[][] = [
    [PROCESS, LIMITS, NO_RULES, request(0, 0.1)],
    [request(4, 4.1), lost],
  ]
  const certificate = await certificateOf([file(batches, { wallOffsets: [0, 3_600_000], damagedBytes: 9 })])
  expect(certificate.isComplete).toBe(false)
  expect(certificate.notes.map(({ code }) => code)).toEqual(['REQUESTS_LOST', 'LOG_DAMAGED', 'CLOCK_SET'])
  expect(certificate.notes[2]?.message).toContain('3600 s')
})

it('gives the median of many requests to about one percent', async () => {
  const lines = Array.from({ length: 3_000 }, (_, i) => request(i * 2, i * 2 + 0.5))
  const { gapAfterResponse } = await hostOfLines(NO_RULES, ...lines)
  expect(gapAfterResponse?.smallestMs).toBe(1_500)
  expect(Math.abs((gapAfterResponse?.medianMs ?? 0) - 1_500)).toBeLessThan(15)
})
