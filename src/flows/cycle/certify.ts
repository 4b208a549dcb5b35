import type { Clock } from '../../base/clock.ts'
import { formatCount } from '../../base/format-values.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { Certificate, CertificateNote, CertifiedCrawler } from '../../domain/certificate/certificate.ts'
import { HostAudit } from '../../domain/certificate/host-audit.ts'
import type { LostEntry, ProcessEntry, RequestLogPart } from '../../domain/certificate/request-log-entry.ts'
import { RobotsTexts } from '../../domain/certificate/robots-audit.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { type FileEnd, type LogEvent, type LogFileObserver, mergeRequestLogs } from './merge-request-logs.ts'

/** Options of {@link Crawl.certify}. */
export interface CertifyOptions {
  /** Only requests to this host. @default all hosts */
  readonly host?: string
  /** Only requests sent at or after this time (ms since the epoch). @default all */
  readonly from?: number
  /** Only requests sent before this time (ms since the epoch). @default all */
  readonly to?: number
  /** Maximum number of hosts that are listed; those with violations always are. @default 1000 */
  readonly maxHosts?: number
}

/** Checks the requests in the logs against robots.txt and the delays of each host. `files`: oldest first. */
export async function certify(
  files: readonly RequestLogPart[],
  software: string,
  clock: Clock,
  options: CertifyOptions = {},
): Promise<Certificate> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = options
  const texts = new RobotsTexts()
  const notes = new LogNotes(from, to)
  const audits = new Map<string, HostAudit>()
  const auditOf = (key: string): HostAudit => {
    const audit = audits.get(key) ?? new HostAudit(key, texts)
    audits.set(key, audit)
    return audit
  }
  // Files of later processes have no request of the time.
  const relevant = files.filter(({ startedAt }) => startedAt < to)
  for await (const events of mergeRequestLogs(relevant, texts, notes))
    for (const event of events) record(event, options.host, auditOf, (at) => at >= from && at < to)
  const counted = [...audits.values()].filter((audit) => audit.requests > 0)
  return certificateOf(counted, notes, software, clock.now(), options)
}

function record(
  event: LogEvent,
  host: string | undefined,
  auditOf: (key: string) => HostAudit,
  isInTime: (at: number) => boolean,
): void {
  const { url, host: named } = event.kind === 'disallowed' ? event.entry : event.request.entry
  const key = named ?? hostOf(url)
  if (host !== undefined && key !== host && hostOf(url) !== host) return
  const audit = auditOf(key)
  if (event.kind === 'disallowed') {
    if (isInTime(event.at)) audit.skipped(url, event.robots)
    return
  }
  const isSelected = isInTime(event.request.entry.start)
  if (event.kind === 'start') audit.started({ ...event.request, isSelected })
  else if (event.kind === 'end') audit.ended({ ...event.request, entry: event.entry, isSelected }, event.at)
  else audit.withdrawn({ ...event.request, isSelected })
}

function certificateOf(
  audits: readonly HostAudit[],
  notes: LogNotes,
  software: string,
  now: number,
  { host, from, to, maxHosts = 1_000 }: CertifyOptions,
): Certificate {
  const requests = sum(audits, (audit) => audit.requests)
  const violations = sum(audits, (audit) => audit.violationCount)
  const unchecked = sum(audits, (audit) => audit.uncheckedRobots)
  const firstAt = audits.reduce((least, audit) => Math.min(least, audit.firstAt), Number.POSITIVE_INFINITY)
  const lastAt = audits.reduce((most, audit) => Math.max(most, audit.lastAt), 0)
  if (unchecked > 0)
    notes.add(
      'ROBOTS_UNKNOWN',
      `The robots.txt of ${formatCount(unchecked, 'request')} is not in the logs, so these were not checked against it.`,
    )
  const sorted = audits.toSorted((a, b) => b.violationCount - a.violationCount || b.requests - a.requests)
  const withViolations = sorted.filter((audit) => audit.violationCount > 0).length
  const listed = sorted.slice(0, Math.max(maxHosts, withViolations)).map((audit) => audit.result())
  const [only] = listed
  const where = listed.length === 1 && only !== undefined ? only.host : formatCount(audits.length, 'host')
  return {
    ...{ type: 'orbweaver-politeness-certificate', version: 1, createdAt: isoTime(now), software },
    summary: summaryOf(requests, violations, where, firstAt, lastAt),
    selection: {
      ...withoutUndefined({ host }),
      ...(from !== undefined && { from: isoTime(from) }),
      ...(to !== undefined && { to: isoTime(to) }),
    },
    ...(requests > 0 && { firstAt: isoTime(firstAt), lastAt: isoTime(lastAt) }),
    ...{ requests, violations, isComplete: notes.isComplete, notes: notes.list, crawlers: notes.crawlers },
    hosts: listed,
    unlistedHosts: audits.length - listed.length,
  }
}

function summaryOf(
  requests: number,
  violations: number,
  where: string,
  firstAt: number,
  lastAt: number,
): string {
  if (requests === 0) return 'No requests are recorded.'
  const found = violations === 0 ? 'No violations' : formatCount(violations, 'violation')
  const shown = minute(firstAt) === minute(lastAt) ? second : minute
  return `${found} in ${formatCount(requests, 'request')} to ${where} between ${shown(firstAt)} and ${shown(lastAt)} UTC.`
}

/** Collects what a reader should know about the logs, and the identities of the processes. */
class LogNotes implements LogFileObserver {
  readonly list: CertificateNote[] = []
  readonly #crawlers = new Map<string, CertifiedCrawler>()
  readonly #from: number
  readonly #to: number

  constructor(from: number, to: number) {
    this.#from = from
    this.#to = to
  }

  get crawlers(): CertifiedCrawler[] {
    return [...this.#crawlers.values()]
  }

  get isComplete(): boolean {
    return !this.list.some(({ code }) => code !== 'CLOCK_SET' && code !== 'LOG_NOT_CLOSED')
  }

  add(code: CertificateNote['code'], message: string): void {
    if (this.list.length < MAX_NOTES) this.list.push({ code, message })
  }

  process({ userAgent, agent, contactUrl, email, software }: ProcessEntry): void {
    const key = JSON.stringify([userAgent, agent, contactUrl, email, software])
    const { processes } = this.#crawlers.get(key) ?? { processes: 0 }
    const identity = { userAgent, agent, software, ...withoutUndefined({ contactUrl, email }) }
    this.#crawlers.set(key, { ...identity, processes: processes + 1 })
  }

  lost({ from, to, requests }: LostEntry): void {
    if (to < this.#from || from > this.#to) return
    this.add(
      'REQUESTS_LOST',
      `${formatCount(requests, 'request')} between ${second(from)} and ${second(to)} could not be written to the log because of a disk error.`,
    )
  }

  read(
    { name, damagedBytes, startedAt }: RequestLogPart,
    { lastFlushAt, isClosed, clockSetMs }: FileEnd,
  ): void {
    if ((lastFlushAt ?? startedAt) < this.#from) return
    if (damagedBytes > 0)
      this.add('LOG_DAMAGED', `${formatCount(damagedBytes, 'byte')} of ${name} cannot be read.`)
    if (!isClosed && lastFlushAt !== undefined)
      this.add(
        'LOG_NOT_CLOSED',
        `The process of ${name} still runs, or was killed after ${second(lastFlushAt)}: up to one second of requests may be missing.`,
      )
    if (Math.abs(clockSetMs) >= CLOCK_STEP_MS)
      this.add(
        'CLOCK_SET',
        `The clock of the machine differs by ${Math.round(clockSetMs / 1000)} s from the steady clock of the process of ${name}: it was set, or the machine slept. Times are those of the steady clock.`,
      )
  }
}

const MAX_NOTES = 100
const CLOCK_STEP_MS = 2_000

function sum<T>(list: readonly T[], value: (item: T) => number): number {
  return list.reduce((total, item) => total + value(item), 0)
}

function isoTime(ms: number): string {
  return new Date(Math.max(-8.64e15, Math.min(8.64e15, ms))).toISOString()
}

function minute(ms: number): string {
  return isoTime(ms).slice(0, 16).replace('T', ' ')
}

function second(ms: number): string {
  return isoTime(ms).slice(0, 19).replace('T', ' ')
}
