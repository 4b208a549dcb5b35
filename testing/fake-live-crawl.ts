import type { Clock } from '../src/base/clock.ts'
import type { LiveCrawl } from '../src/domain/live/live-crawl.ts'
import type {
  HostList,
  HostQuery,
  LiveAction,
  LiveActionResult,
  LiveFailure,
  LiveHost,
  LivePoint,
  LiveReport,
  LiveSeries,
  LiveState,
} from '../src/domain/live/live-report.ts'

export interface FakeLiveCrawlOptions {
  /** @default 'cycle' */
  readonly kind?: LiveReport['kind']
  /** Number of hosts. @default 20 */
  readonly hosts?: number
  /** Titles, hosts, URLs and reasons that try to be markup. @default false */
  readonly hostile?: boolean
  /** Of a fleet. @default 2 */
  readonly workers?: number
  /** How long it has been running (seconds). @default 900 */
  readonly ageSeconds?: number
}

/** Text that must never become markup. */
export const HOSTILE_TEXT = `"><img src=x onerror="window.pwned=1"><script>window.pwned=1</script>{{7*7}}`
export const HOSTILE_HOST = `evil"><img-src=x-onerror=window.pwned=1>.test`

/**
 * A running crawl with made-up figures that follow the clock: the same at the same time. While it is paused, they stand still. Actions are
 * recorded in `actions`.
 */
export class FakeLiveCrawl implements LiveCrawl {
  readonly actions: LiveAction[] = []
  readonly #clock: Clock
  readonly #options: Required<FakeLiveCrawlOptions>
  readonly #startedAt: number
  readonly #delays = new Map<string, number>()
  #state: LiveState = 'running'
  #pausedMs = 0
  #pausedAt: number | undefined

  constructor(clock: Clock, options: FakeLiveCrawlOptions = {}) {
    this.#clock = clock
    this.#options = { kind: 'cycle', hosts: 20, hostile: false, workers: 2, ageSeconds: 900, ...options }
    this.#startedAt = clock.now() - this.#options.ageSeconds * 1000
  }

  async report(): Promise<LiveReport> {
    const { kind } = this.#options
    const at = this.#clock.now()
    const isActive = this.#state === 'running'
    const t = this.#activeSeconds()
    const pages = pagesAt(t)
    const rate = isActive ? pages - pagesAt(Math.max(0, t - 5)) : 0
    const hosts = this.#hosts()
    const queued = hosts.reduce((sum, host) => sum + host.queued, 0)
    const failures = this.#failures(t)
    return {
      kind,
      name: kind === 'cycle' ? 'crawl' : 'quotes',
      command: kind === 'cycle' ? 'crawl' : 'run quotes',
      pid: 4242,
      startedAt: this.#startedAt,
      at,
      state: this.#state,
      lastProgressAt: this.#pausedAt ?? at,
      activity: kind === 'cycle' ? 'fetching segment 20261116120000' : 'handling pages',
      totals: {
        requests: Math.floor(pages * 1.15),
        pages,
        bytes: pages * 23_456,
        errors: Math.floor(pages * 0.03),
        retries: Math.floor(pages * 0.02),
        redirects: Math.floor(pages * 0.05),
        robotsRequests: hosts.length,
        robotsDisallowed: Math.floor(pages * 0.01),
        items: kind === 'cycle' ? 0 : pages * 3,
        rejectedItems: kind === 'cycle' ? 0 : Math.floor(pages * 0.02),
      },
      rates: {
        pagesPerSecond: rate / 5,
        bytesPerSecond: (rate / 5) * 23_456,
        requestsPerSecond: (rate / 5) * 1.15,
        itemsPerSecond: kind === 'cycle' ? 0 : (rate / 5) * 3,
        errorsPerSecond: (rate / 5) * 0.03,
      },
      inFlight: isActive ? 5 + (Math.floor(t) % 7) : 0,
      queued,
      due: Math.max(0, 100_000 - pages),
      ...(rate > 0 && { etaSeconds: Math.round((100_000 / rate) * 5) }),
      outcomes: {
        success: pages,
        'not-found': Math.floor(pages * 0.02),
        'server-error': Math.floor(pages * 0.01),
        'dns-not-found': Math.floor(pages * 0.005),
        'robots-disallowed': Math.floor(pages * 0.01),
      },
      failures,
      responseTimes: {
        boundsMs: [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000],
        counts: [3, 8, 21, 34, 20, 8, 3, 2, 1, 0, 0].map((share) => Math.floor((pages * share) / 100)),
        sumMs: pages * 140,
      },
      hosts: {
        known: hosts.length,
        parked: hosts.filter(isParked).length,
        robotsFailed: failedRobots(hosts),
      },
      rounds: kind === 'cycle' ? roundsOf(this.#startedAt, at, pages) : [],
      ...(kind !== 'cycle' && { items: this.#items(pages) }),
      ...(kind !== 'fleet' && {
        process: {
          rssBytes: 180e6 + (pages % 1_000) * 10_000,
          heapUsedBytes: 60e6 + (pages % 500) * 10_000,
          eventLoopDelayMs: { median: 1.2, p99: 11.4, max: 25 },
          cpuSeconds: t * 0.4,
          cpuCores: 0.4,
        },
      }),
      ...(kind === 'fleet' && { fleet: this.#fleet(pages, queued) }),
      actions: ['pause', 'resume', 'stop', 'set-delay', 'retry-failed'],
    }
  }

  async series(): Promise<LiveSeries> {
    const seconds = Math.floor(this.#activeSeconds())
    const points: LivePoint[] = []
    for (let end = seconds % 60; end < seconds - 600; end += 60) points.push(this.#point(end, 60))
    for (let end = Math.max(1, seconds - 600); end <= seconds; end++) points.push(this.#point(end, 1))
    return { points }
  }

  async hosts({ sort, descending, offset, limit, contains }: HostQuery): Promise<HostList> {
    const hosts = this.#hosts().filter(({ host }) => contains === undefined || host.includes(contains))
    const sign = descending ? -1 : 1
    hosts.sort((a, b) => sign * compare(a[sort], b[sort]) || (a.host < b.host ? -1 : 1))
    return { total: hosts.length, hosts: hosts.slice(offset, offset + limit) }
  }

  async act(action: LiveAction): Promise<LiveActionResult> {
    this.actions.push(action)
    switch (action.action) {
      case 'pause':
        this.#pausedAt ??= this.#clock.now()
        this.#state = 'paused'
        return { ok: true, message: 'The crawl is paused.' }
      case 'resume':
        if (this.#pausedAt !== undefined) this.#pausedMs += this.#clock.now() - this.#pausedAt
        this.#pausedAt = undefined
        this.#state = 'running'
        return { ok: true, message: 'The crawl is resumed.' }
      case 'stop':
        this.#state = 'stopping'
        return { ok: true, message: 'The crawl stops when the requests in flight have ended.' }
      case 'set-delay':
        if (!this.#hosts().some(({ host }) => host === action.host))
          return { ok: false, message: `The crawl has no host ${action.host}.` }
        if (action.delayMs === null) this.#delays.delete(action.host)
        else this.#delays.set(action.host, action.delayMs)
        return { ok: true, message: `The delay of ${action.host} is changed.` }
      case 'retry-failed':
        return { ok: true, message: 'Failed requests are queued again: 1.', data: { requests: 1 } }
    }
  }

  #activeSeconds(): number {
    const end = this.#pausedAt ?? this.#clock.now()
    return Math.max(0, end - this.#startedAt - this.#pausedMs) / 1000
  }

  #point(end: number, seconds: number): LivePoint {
    const pages = pagesAt(end) - pagesAt(Math.max(0, end - seconds))
    return {
      at: this.#startedAt + this.#pausedMs + end * 1000,
      seconds,
      pages,
      bytes: pages * 23_456,
      requests: Math.round(pages * 1.15),
      errors: Math.floor(pages * 0.03),
      items: this.#options.kind === 'cycle' ? 0 : pages * 3,
      inFlight: 5 + (end % 7),
      queued: 500 + (end % 100),
    }
  }

  #hosts(): LiveHost[] {
    const { hosts: count, hostile, kind, workers } = this.#options
    const t = Math.floor(this.#activeSeconds())
    return Array.from({ length: count }, (_, i) => {
      const host = hostile && i === 0 ? HOSTILE_HOST : `site-${String(i).padStart(4, '0')}.example.org`
      const own = this.#delays.get(host)
      const isBackedOff = i % 13 === 5
      const isRobotsFailed = i % 17 === 7
      return {
        host,
        queued: (i * 37 + t) % 211,
        inFlight: i < 8 ? 1 : 0,
        nextAllowedAt: this.#clock.now() + ((i * 731) % 5_000) - 1_000,
        delayMs: own ?? (isBackedOff ? 60_000 : i % 5 === 0 ? 10_000 : 1_000),
        delaySetBy:
          own !== undefined ? 'operator' : isBackedOff ? 'back-off' : i % 5 === 0 ? 'robots' : 'config',
        ...(isBackedOff && {
          parkedUntil: this.#clock.now() + 60_000,
          parkedReason: hostile ? HOSTILE_TEXT : '503 Service Unavailable',
        }),
        requests: i * 3 + t,
        errors: isBackedOff ? i + Math.floor(t / 2) : i % 7 === 0 ? 1 : 0,
        averageMs: 40 + ((i * 97) % 900),
        robots: isRobotsFailed
          ? { state: 'failed', reason: 'ETIMEDOUT', retryAt: this.#clock.now() + 30_000 }
          : i % 3 === 0
            ? { state: 'missing', fetchedAt: this.#startedAt }
            : {
                state: 'found',
                fetchedAt: this.#startedAt,
                ...(i % 5 === 0 && { crawlDelayMs: 10_000 }),
              },
        ...(kind === 'fleet' && { worker: `worker-${(i % workers) + 1}` }),
      } satisfies LiveHost
    })
  }

  #failures(t: number): LiveFailure[] {
    const { hosts, hostile } = this.#options
    if (hosts === 0) return []
    return Array.from({ length: Math.min(50, Math.floor(t / 3)) }, (_, i) => {
      const number = Math.floor(t / 3) - i
      const host = hostile ? HOSTILE_HOST : `site-${String(number % hosts).padStart(4, '0')}.example.org`
      return {
        at: this.#startedAt + this.#pausedMs + number * 3_000,
        url: hostile ? `http://${HOSTILE_HOST}/${HOSTILE_TEXT}` : `https://${host}/page/${number}`,
        host,
        code: number % 2 === 0 ? 'dns-not-found' : 'server-error',
        reason: hostile ? HOSTILE_TEXT : number % 2 === 0 ? `${host} does not resolve` : 'HTTP 503',
        ...(number % 2 === 1 && { retryAt: this.#startedAt + number * 3_000 + 60_000 }),
      }
    })
  }

  #items(pages: number) {
    const title = this.#options.hostile ? HOSTILE_TEXT : 'A light in the attic'
    const item = (i: number) => ({
      at: this.#clock.now() - i * 300,
      url: `https://site-0001.example.org/quote/${pages - i}`,
      item: { title, price: 10 + ((pages - i) % 40), tags: ['a', 'b'], stock: { left: pages - i } },
    })
    return {
      latest: Array.from({ length: Math.min(20, pages) }, (_, i) => item(i)),
      rejected: Array.from({ length: Math.min(3, pages) }, (_, i) => ({
        ...item(i),
        reason: this.#options.hostile ? HOSTILE_TEXT : 'price: expected a number',
      })),
    }
  }

  #fleet(pages: number, queued: number) {
    const { workers: count, hosts, hostile } = this.#options
    const at = this.#clock.now()
    const workers = Array.from({ length: count }, (_, i) => ({
      name: hostile && i === 0 ? HOSTILE_TEXT : `worker-${i + 1}`,
      joinedAt: this.#startedAt + i * 1_000,
      heardAt: at - ((i * 700) % 5_000),
      expiresAt: at + 20_000,
      hosts: Math.floor(hosts / count),
      leased: 4,
      pages: Math.floor(pages / count),
      items: Math.floor((pages * 3) / count),
      pagesPerSecond: 3.4,
    }))
    return {
      workers,
      queue: {
        ...{ waiting: queued, delayed: 12, leased: 8, seen: pages + queued, items: pages * 3 },
        itemsLeft: pages % 50,
      },
      deadLetters: Math.floor(pages * 0.01),
      startUrls: 3,
    }
  }
}

function compare(a: string | number = 0, b: string | number = 0): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function isParked({ parkedUntil }: LiveHost): boolean {
  return parkedUntil !== undefined
}

function failedRobots(hosts: readonly LiveHost[]): number {
  return hosts.filter(({ robots }) => robots.state === 'failed').length
}

/** About seven pages per second, in waves. */
function pagesAt(seconds: number): number {
  return Math.floor(seconds * 7 + 40 * (1 + Math.sin(seconds / 20)))
}

function roundsOf(startedAt: number, at: number, pages: number): LiveReport['rounds'] {
  const minutes = Math.floor((at - startedAt) / 300_000)
  return Array.from({ length: Math.min(20, minutes + 1) }, (_, i) => {
    const round = minutes + 1 - i
    const start = startedAt + (round - 1) * 300_000
    const urls = 2_500
    return {
      ...{ round, segment: `202611161200${String(round).padStart(2, '0')}`, urls, startedAt: start },
      ...(i === 0 ? { fetched: pages % urls } : { fetched: urls, endedAt: start + 310_000 }),
    }
  })
}
