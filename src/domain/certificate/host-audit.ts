import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CertifiedLimits, HostCertificate, Violation, ViolationRule } from './certificate.ts'
import { GapStatistics } from './gap-statistics.ts'
import type { LimitsEntry, ProcessEntry, RequestEntry } from './request-log-entry.ts'
import { RobotsAudit, type RobotsTexts, type RobotsVersion } from './robots-audit.ts'

/** A request of the log with what its numbers refer to. */
export interface AuditedRequest {
  readonly entry: RequestEntry
  /** Identifies the process. */
  readonly file: string
  /** `undefined`: the start of its file is damaged. */
  readonly process: ProcessEntry | undefined
  readonly limits: LimitsEntry | undefined
  /** `unknown`: the robots.txt that the line refers to is not in the file. */
  readonly robots: RobotsVersion | 'unknown' | undefined
  /** Whether it is counted and checked. Others only matter for the delay of the next request. */
  readonly isSelected: boolean
}

/**
 * Checks the requests to one host queue in the order of their starts and ends, as the host sees them: across processes and restarts.
 *
 * The delays are those that the crawler promises: the configured one, the Crawl-delay of the same origin, a Retry-After, and its own back-off
 * after failures. The back-off is only checked within a process, because it is not kept if a process is killed.
 */
export class HostAudit {
  readonly #host: string
  readonly #robots: RobotsAudit
  readonly #texts: RobotsTexts
  readonly #counts = {
    requests: 0,
    robots: 0,
    assets: 0,
    sitemaps: 0,
    conditional: 0,
    unconnected: 0,
    bytes: 0,
    disallowed: 0,
  }
  readonly #outcomes = new Map<string, number>()
  readonly #limits = new Map<string, { -readonly [K in keyof CertifiedLimits]: CertifiedLimits[K] }>()
  readonly #endGaps = new GapStatistics()
  readonly #startGaps = new GapStatistics()
  readonly #violations: Violation[] = []
  #violationCount = 0
  readonly #retryAfter = { tooMany: 0, responses: 0, broken: 0, longestMs: 0 }
  /** The latest time that a server gave with Retry-After. */
  #retryAt = Number.NEGATIVE_INFINITY
  #isRetryBroken = false
  #crawlDelayMs = 0
  #firstAt = Number.POSITIVE_INFINITY
  #lastAt = Number.NEGATIVE_INFINITY
  #mostInFlight = 0
  #inFlight = 0
  #lastStart = Number.NEGATIVE_INFINITY
  #lastEnd = Number.NEGATIVE_INFINITY
  /** By origin: a Crawl-delay counts from the last response of the same origin. */
  readonly #lastEndOf = new Map<string, number>()
  /** When the process that received the last response wanted to send the next request, with the limits that it had then. */
  #wanted = { process: '', until: Number.NEGATIVE_INFINITY }
  #hour = { at: 0, requests: 0 }
  #busiestHour = { at: 0, requests: 0 }

  constructor(host: string, texts: RobotsTexts) {
    this.#host = host
    this.#texts = texts
    this.#robots = new RobotsAudit(texts)
  }

  get requests(): number {
    return this.#counts.requests
  }

  get violationCount(): number {
    return this.#violationCount
  }

  get firstAt(): number {
    return this.#firstAt
  }

  get lastAt(): number {
    return this.#lastAt
  }

  /** Requests whose robots.txt is not in the logs. */
  get uncheckedRobots(): number {
    return this.#robots.unchecked
  }

  started(request: AuditedRequest): void {
    const { start } = request.entry
    if (request.isSelected) {
      this.#count(request)
      const crawlDelayMs = this.#checkRobots(request)
      // It belongs to the request of its page: it follows no delay and starts none.
      if (isAsset(request)) return
      this.#checkDelay(request, crawlDelayMs)
      this.#checkStarts(request, crawlDelayMs)
      this.#mostInFlight = Math.max(this.#mostInFlight, this.#inFlight + 1)
    }
    if (isAsset(request)) return
    this.#inFlight++
    this.#lastStart = start
  }

  /** @param end of its last line; of a process that was killed, the time of its last flush */
  ended(request: AuditedRequest, end: number): void {
    const { entry, file, isSelected } = request
    if (isAsset(request)) {
      if (isSelected) this.#countEnd(entry, end)
      return
    }
    this.#inFlight--
    this.#lastEnd = Math.max(this.#lastEnd, end)
    const origin = originOf(entry.url)
    this.#lastEndOf.set(origin, Math.max(this.#lastEndOf.get(origin) ?? end, end))
    const until = end + (entry.delayMs ?? 0)
    const process = limitsInForce(file, entry)
    this.#wanted = {
      process,
      until: this.#wanted.process === process ? Math.max(this.#wanted.until, until) : until,
    }
    if (isSelected) this.#countEnd(entry, end)
    if (entry.retryAt !== undefined && entry.retryAt > this.#retryAt) {
      this.#retryAt = entry.retryAt
      this.#isRetryBroken = false
    }
  }

  /** It was in flight, but then not sent. */
  withdrawn(request: AuditedRequest): void {
    if (!isAsset(request)) this.#inFlight--
    if (request.isSelected) this.#counts.requests--
  }

  skipped(url: string, robots: RobotsVersion | 'unknown' | undefined): void {
    this.#counts.disallowed++
    this.#robots.skipped(url, robots === 'unknown' ? undefined : robots)
  }

  result(): HostCertificate {
    const { requests, robots, assets, sitemaps, conditional, unconnected, bytes, disallowed } = this.#counts
    const { tooMany, responses, broken, longestMs } = this.#retryAfter
    this.#endHour()
    return {
      ...{ host: this.#host, requests, robotsRequests: robots, sitemapRequests: sitemaps },
      ...(assets > 0 && { assetRequests: assets }),
      ...{ conditionalRequests: conditional, failedConnections: unconnected, bytes },
      ...{ firstAt: isoTime(this.#firstAt), lastAt: isoTime(this.#lastAt) },
      outcomes: Object.fromEntries([...this.#outcomes].sort(([, a], [, b]) => b - a)),
      busiestHour: { ...this.#busiestHour, at: isoTime(this.#busiestHour.at) },
      mostInFlight: this.#mostInFlight,
      limits: [...this.#limits.values()],
      ...withoutUndefined({
        gapAfterResponse: rounded(this.#endGaps.result()),
        gapBetweenStarts: rounded(this.#startGaps.result()),
      }),
      ...(this.#crawlDelayMs > 0 && { crawlDelayMs: this.#crawlDelayMs }),
      retryAfter: {
        tooManyRequests: tooMany,
        responses,
        obeyed: responses - broken,
        longestMs: Math.round(longestMs),
      },
      robots: this.#robots.result(),
      disallowedUrls: disallowed,
      violationCount: this.#violationCount,
      violations: this.#violations,
    }
  }

  #count({ entry, limits }: AuditedRequest): void {
    const counts = this.#counts
    counts.requests++
    if (entry.purpose === 'robots') counts.robots++
    if (entry.purpose === 'asset') counts.assets++
    if (entry.conditional === true) counts.conditional++
    if (SITEMAP.test(entry.url)) counts.sitemaps++
    this.#firstAt = Math.min(this.#firstAt, entry.start)
    this.#lastAt = Math.max(this.#lastAt, entry.start)
    const hour = Math.floor(entry.start / HOUR_MS) * HOUR_MS
    if (hour !== this.#hour.at) {
      this.#endHour()
      this.#hour = { at: hour, requests: 0 }
    }
    this.#hour.requests++
    if (limits === undefined || entry.purpose === 'asset') return
    const key = `${limits.endGapMs} ${limits.startGapMs} ${limits.maxInFlight}`
    const known = this.#limits.get(key)
    if (known !== undefined) known.requests++
    else
      this.#limits.set(key, {
        ...{ delayAfterResponseMs: limits.endGapMs, delayBetweenStartsMs: limits.startGapMs },
        ...{ maxInFlight: limits.maxInFlight, requests: 1 },
      })
  }

  #endHour(): void {
    if (this.#hour.requests > this.#busiestHour.requests) this.#busiestHour = { ...this.#hour }
  }

  #countEnd({ status, failure, bytes = 0, retryAt }: RequestEntry, end: number): void {
    const outcome = status === undefined ? (failure ?? 'unfinished') : String(status)
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1)
    this.#counts.bytes += bytes
    if (failure !== undefined && UNCONNECTED.test(failure)) this.#counts.unconnected++
    this.#lastAt = Math.max(this.#lastAt, end)
    if (status === 429) this.#retryAfter.tooMany++
    if (retryAt === undefined) return
    this.#retryAfter.responses++
    this.#retryAfter.longestMs = Math.max(this.#retryAfter.longestMs, retryAt - end)
  }

  /** Returns the Crawl-delay that is in force. */
  #checkRobots({ entry, process, robots }: AuditedRequest): number {
    if (entry.purpose === 'robots') return 0
    if (robots === 'unknown') {
      this.#robots.unchecked++
      return 0
    }
    const finding = this.#robots.check(entry.url, entry.start, robots, process?.denyOnForbidden ?? false)
    if (finding.rule !== undefined) this.#violate(entry, finding.rule, finding.message ?? '')
    const crawlDelayMs = (robots && this.#texts.rules(robots)?.crawlDelayMs) ?? 0
    this.#crawlDelayMs = Math.max(this.#crawlDelayMs, crawlDelayMs)
    return crawlDelayMs
  }

  /** The delay after the last response. Of several that are too short, the longest is reported. */
  #checkDelay({ entry, file, limits }: AuditedRequest, crawlDelayMs: number): void {
    const { start, url } = entry
    if (start < this.#retryAt - TOLERANCE_MS && !this.#isRetryBroken) {
      this.#retryAfter.broken++
      this.#isRetryBroken = true
    }
    if (this.#lastEnd === Number.NEGATIVE_INFINITY) return
    // A request that starts while another one is in flight follows no response: `parallel` is the rule for it.
    if (start >= this.#lastEnd && (this.#inFlight === 0 || (limits?.maxInFlight ?? 1) > 1))
      this.#endGaps.add(start - this.#lastEnd)
    const crawlDelayFrom = this.#lastEndOf.get(originOf(url))
    const rules: DelayRule[] = [
      { rule: 'delay', until: this.#lastEnd + (limits?.endGapMs ?? 0), what: 'the configured delay' },
      {
        rule: 'crawl-delay',
        until: (crawlDelayFrom ?? Number.NEGATIVE_INFINITY) + crawlDelayMs,
        what: 'the Crawl-delay of robots.txt',
      },
      { rule: 'retry-after', until: this.#retryAt, what: 'the Retry-After of the server' },
    ]
    if (this.#wanted.process === limitsInForce(file, entry))
      rules.push({
        rule: 'back-off',
        until: this.#wanted.until,
        what: 'the longer delay that the crawler had set',
      })
    // The tolerance is for the last rule, which the others are part of.
    const latest = rules.reduce((a, b) => (b.until > a.until + TOLERANCE_MS ? b : a))
    if (start >= latest.until - TOLERANCE_MS) return
    const observed = tenths(start - this.#lastEnd)
    const required = tenths(latest.until - this.#lastEnd)
    this.#violate(
      entry,
      latest.rule,
      `requested ${seconds(observed)} after the last response; ${latest.what} is ${seconds(required)}`,
      { required, observed },
    )
  }

  /** The delay between starts, and the number of requests in flight. */
  #checkStarts({ entry, limits }: AuditedRequest, crawlDelayMs: number): void {
    const gap = entry.start - this.#lastStart
    if (Number.isFinite(gap)) this.#startGaps.add(Math.max(0, gap))
    if (limits === undefined) return
    if (gap < limits.startGapMs - TOLERANCE_MS)
      this.#violate(
        entry,
        'start-delay',
        `started ${seconds(tenths(gap))} after another request; the configured delay is ${seconds(limits.startGapMs)}`,
        {
          required: limits.startGapMs,
          observed: tenths(gap),
        },
      )
    const allowed = crawlDelayMs > 0 ? 1 : limits.maxInFlight
    if (this.#inFlight + 1 > allowed)
      this.#violate(
        entry,
        'parallel',
        `${this.#inFlight + 1} requests at the same time; at most ${allowed} ${allowed === 1 ? 'is' : 'are'} allowed`,
        {
          required: allowed,
          observed: this.#inFlight + 1,
        },
      )
  }

  #violate(
    entry: RequestEntry,
    rule: ViolationRule,
    message: string,
    figures: Pick<Violation, 'required' | 'observed'> = {},
  ): void {
    this.#violationCount++
    if (this.#violations.length < MAX_VIOLATIONS)
      this.#violations.push({ at: isoTime(entry.start), url: entry.url, rule, message, ...figures })
  }
}

/** Whether it is a script or stylesheet of a rendered page. */
function isAsset({ entry }: AuditedRequest): boolean {
  return entry.purpose === 'asset'
}

interface DelayRule {
  readonly rule: ViolationRule
  readonly until: number
  readonly what: string
}

/** How much too short a delay may be: timers count whole milliseconds, and the log tenths. */
const TOLERANCE_MS = 1
const MAX_VIOLATIONS = 100
const HOUR_MS = 3_600_000
const SITEMAP = /\/[^/?]*sitemap[^/?]*\.(?:xml|txt)(?:\.gz)?(?:\?|$)/i
/** Failures before a connection was open. */
const UNCONNECTED = /^(?:dns-|connect-|tls$|proxy$)/

/** An operator can change the delay of a host while a process runs. */
function limitsInForce(file: string, { limits = 0 }: RequestEntry): string {
  return `${file} ${limits}`
}

function originOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  return slash === -1 ? url : url.slice(0, slash)
}

/** Invalid times of an edited log must not end the command. */
function isoTime(ms: number): string {
  return new Date(Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? ms : 0).toISOString()
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10
}

function seconds(ms: number): string {
  return `${Math.round(ms) / 1000} s`
}

function rounded(gaps: ReturnType<GapStatistics['result']>): ReturnType<GapStatistics['result']> {
  return gaps && { smallestMs: tenths(gaps.smallestMs), medianMs: tenths(gaps.medianMs) }
}
