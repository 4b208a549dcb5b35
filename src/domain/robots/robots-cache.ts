import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { type EventLog, NO_LOG } from '../../base/event-log.ts'
import { LruMap } from '../../base/lru-map.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { isNormalUrl } from '../url/is-normal-url.ts'
import { AiUseFiles } from './ai-use-files.ts'
import { fetchRobots, type RobotsFetchResult, type SendRequest } from './fetch-robots.ts'
import { parseRobots } from './parse-robots.ts'
import { logRobots } from './robots-events.ts'
import { productToken } from './robots-file.ts'
import { robotsLifetimeMs } from './robots-lifetime.ts'
import {
  copyIn,
  isCurrent,
  MemoryRobotsStore,
  type RobotsOutage,
  type RobotsRecord,
  type RobotsStore,
} from './robots-record.ts'
import { RobotsRules } from './robots-rules.ts'
import { type HostFailure, isRobotsFile, ROBOTS_FILE_VERDICT, type RobotsVerdict } from './robots-verdict.ts'

/** Options of a {@link RobotsCache}. */
export interface RobotsCacheOptions {
  /**
   * Whether a robots.txt that returns 401 or 403 disallows the whole site. RFC 9309 (2.3.1.3) treats them like any other 4xx: there are
   * no rules. @default false
   */
  readonly denyOnForbidden?: boolean
  /** Whether the AI-use preferences in other files of a site are read, too. @default false */
  readonly aiUseFiles?: boolean
  /** Stores the records. @default a bounded `MemoryRobotsStore` */
  readonly store?: RobotsStore
  /** Gets an event for each robots.txt that is fetched. @default none */
  readonly log?: EventLog
  /** Estimated memory limit for parsed rules; others are parsed again when needed. @default 64 MiB */
  readonly maxReadyBytes?: number
}

/** A robots.txt that could not be fetched. */
export interface RobotsFailure {
  /** `https://example.org` */
  readonly origin: string
  /** For display. */
  readonly reason: string
  /** When it is tried again (ms since the epoch). Until then the site is not requested, unless there is a copy. */
  readonly retryAt: number
  /** An older copy of the file applies meanwhile. */
  readonly usesCopy: boolean
}

/** What is known about one robots.txt, for display. */
export interface RobotsState {
  /** `unknown`: not fetched yet. `missing`: there is none, so everything is allowed. */
  readonly state: 'unknown' | 'found' | 'missing' | 'failed'
  /** When the server last confirmed it (ms since the epoch). */
  readonly fetchedAt?: number
  readonly crawlDelayMs?: number
  /** Of a failure, and when it is retried (ms since the epoch). With `found`: an older copy is used meanwhile. */
  readonly reason?: string
  readonly retryAt?: number
}

/** The cached verdict on one URL. */
export interface RobotsKnowledge {
  readonly verdict: RobotsVerdict
  /** Rules of the site for this crawler: Crawl-delay, sitemaps, content signals. `undefined`: no file, or it cannot be reached. */
  readonly rules: RobotsRules | undefined
  /** The same object until the file is fetched or revalidated. */
  readonly record: RobotsRecord
}

/**
 * The robots.txt rules of all origins. Each file is fetched when it is first needed, and again when it has expired.
 *
 * It opens no connection: every request goes through the `send` function of the caller, and so through the queue of its host.
 *
 * While a robots.txt is unreachable, a copy of at most 30 days is used. Without a copy the verdict is `unreachable` for as long as the
 * outage lasts. RFC 9309 allows crawling after 30 days; this cache does not.
 * @example
 * const robots = new RobotsCache(wallClock, 'my-bot')
 * const verdict = await robots.load('https://example.org/a', (request) => fetcher.fetch(request))
 * if (verdict.allowed) console.log(robots.rules('https://example.org/a')?.sitemaps)
 */
export class RobotsCache {
  /** The other files with AI-use preferences; `undefined`: they are not read. */
  readonly aiUseFiles: AiUseFiles | undefined
  readonly #clock: Clock
  readonly #agents: string | readonly string[]
  readonly #store: RobotsStore
  readonly #denyOnForbidden: boolean
  readonly #log: EventLog
  readonly #forbiddenOrigins = new Set<string>()
  readonly #failures = new Map<string, RobotsFailure>()
  readonly #ready: LruMap<string, ReadyOrigin>
  /** Origins whose host could not be reached at the last attempt, and why. */
  readonly #unreached = new LruMap<string, string>(MAX_COUNTED_ORIGINS)
  readonly #loading = new Map<string, Promise<ReadyOrigin>>()

  /** @param agents the product token of the User-Agent header; rules for any of several tokens apply */
  constructor(clock: Clock, agents: string | readonly string[], options: RobotsCacheOptions = {}) {
    const {
      denyOnForbidden = false,
      store = new MemoryRobotsStore(),
      maxReadyBytes = 64 * 1024 * 1024,
    } = options
    for (const agent of [agents].flat()) {
      if (productToken(agent) !== '') continue
      throw new ConfigurationError(
        'SETTING_INVALID',
        `no robots.txt can name the agent "${agent}": begin its name with letters, digits, - or _`,
      )
    }
    this.#clock = clock
    this.#agents = agents
    this.#store = store
    this.aiUseFiles = options.aiUseFiles ? new AiUseFiles(clock, agents, store) : undefined
    this.#denyOnForbidden = denyOnForbidden
    this.#log = options.log ?? NO_LOG
    this.#ready = new LruMap(maxReadyBytes)
  }

  /** Number of origins that returned 401 or 403 for robots.txt, among those used since this cache was created. */
  get forbidden(): number {
    return this.#forbiddenOrigins.size
  }

  /** Origins whose robots.txt could not be fetched the last time, as long as this process has tried; at most 10,000. */
  failures(): RobotsFailure[] {
    return [...this.#failures.values()]
  }

  /** Number of origins whose robots.txt could not be fetched at the last attempt. */
  get failed(): number {
    return this.#failures.size + this.#unreached.size
  }

  /** The state of the robots.txt that applies to an absolute URL. */
  describe(url: string): RobotsState {
    const { origin } = parts(url)
    const { reason = this.#unreached.peek(origin), retryAt } = this.#failures.get(origin) ?? {}
    const failure = withoutUndefined({ reason, retryAt })
    const ready = this.#ready.peek(origin)
    const finding = ready?.record.finding
    if (ready === undefined || finding === undefined)
      return reason === undefined ? { state: 'unknown' } : { state: 'failed', ...failure }
    const crawlDelayMs = rulesIn(ready)?.crawlDelayMs
    return {
      state: finding.kind === 'file' ? 'found' : 'missing',
      fetchedAt: finding.checkedAt,
      ...withoutUndefined({ crawlDelayMs }),
      ...failure,
    }
  }

  /** The cached verdict on an absolute URL; `undefined` if its origin must be loaded first. */
  known(url: string): RobotsKnowledge | undefined {
    const { origin, path } = parts(url)
    const ready = this.#current(origin)
    return ready && { verdict: judge(ready, path), rules: rulesIn(ready), record: ready.record }
  }

  /** The verdict of `known`. */
  peek(url: string): RobotsVerdict | undefined {
    return this.known(url)?.verdict
  }

  /** The rules of `known`. */
  rules(url: string): RobotsRules | undefined {
    return this.known(url)?.rules
  }

  /** The verdict on an absolute URL. Fetches robots.txt if necessary; concurrent loads of one origin share the request. */
  async load(url: string, send: SendRequest): Promise<RobotsVerdict> {
    const { origin, path } = parts(url)
    const ready = this.#current(origin) ?? (await this.#loadOnce(origin, send))
    return judge(ready, path)
  }

  #current(origin: string): ReadyOrigin | undefined {
    const ready = this.#ready.get(origin)
    return ready && isCurrent(ready.record, this.#clock.now()) ? ready : undefined
  }

  #loadOnce(origin: string, send: SendRequest): Promise<ReadyOrigin> {
    const running = this.#loading.get(origin)
    if (running !== undefined) return running
    const loading = this.#load(origin, send).finally(() => this.#loading.delete(origin))
    this.#loading.set(origin, loading)
    return loading
  }

  async #load(origin: string, send: SendRequest): Promise<ReadyOrigin> {
    const known = (await this.#store.get(origin)) ?? this.#ready.get(origin)?.record
    if (known !== undefined && isCurrent(known, this.#clock.now())) return this.#keep(known)
    const result = await fetchRobots(origin, copyIn(known), send)
    const now = this.#clock.now()
    if (result.kind === 'aborted') return aborted(origin, now)
    if (result.kind === 'host-failure') {
      const { cause, detail } = result.outcome
      this.#unreached.set(origin, `${cause}: ${detail}`)
      return hostFailed(origin, result.outcome, now)
    }
    const record = updatedRecord(origin, known, result, now)
    await this.#store.put(record)
    const ready = this.#keep(record)
    logRobots(this.#log, record, rulesIn(ready))
    return ready
  }

  #keep(record: RobotsRecord): ReadyOrigin {
    this.#rememberFailure(record)
    const says = this.#rulesOrVerdict(record)
    this.#unreached.delete(record.origin)
    const ready = { record, says }
    this.#ready.set(record.origin, ready, bytesOf(ready))
    return ready
  }

  #rememberFailure({ origin, outage, finding }: RobotsRecord): void {
    if (outage === undefined) this.#failures.delete(origin)
    else if (this.#failures.has(origin) || this.#failures.size < MAX_COUNTED_ORIGINS) {
      const { reason, retryAt } = outage
      this.#failures.set(origin, { origin, reason, retryAt, usesCopy: finding !== undefined })
    }
  }

  #rulesOrVerdict({ origin, finding, outage }: RobotsRecord): RobotsRules | RobotsVerdict {
    if (finding?.kind === 'file') {
      const file = parseRobots(Buffer.from(finding.octets, 'latin1'), { cut: finding.cut })
      return file.rulesFor(this.#agents)
    }
    if (outage !== undefined) return unreachable(outage)
    const { kind, reason } = finding
    if (kind === 'unavailable') return { allowed: true, kind, reason }
    if (this.#forbiddenOrigins.size < MAX_COUNTED_ORIGINS) this.#forbiddenOrigins.add(origin)
    return this.#denyOnForbidden
      ? { allowed: false, kind, reason: `${reason} and robots.denyOnForbidden is set` }
      : { allowed: true, kind, reason: `${reason}, which counts as no rules` }
  }
}

/** A record with its parsed rules, or with the one verdict for all URLs. */
interface ReadyOrigin {
  readonly record: RobotsRecord
  readonly says: RobotsRules | RobotsVerdict
}

const ORIGIN_BYTES = 400
/** Enough for a summary. The limit bounds memory in a crawl of millions of hosts. */
const MAX_COUNTED_ORIGINS = 10_000

/** Estimated memory. Rules keep a reference to the text they were parsed from. */
function bytesOf(ready: ReadyOrigin): number {
  const { record } = ready
  return ORIGIN_BYTES + (rulesIn(ready)?.bytes ?? 0) + (copyIn(record)?.octets.length ?? 0)
}

function rulesIn({ says }: ReadyOrigin): RobotsRules | undefined {
  return says instanceof RobotsRules ? says : undefined
}

function judge({ record, says }: ReadyOrigin, path: string): RobotsVerdict {
  if (isRobotsFile(path)) return ROBOTS_FILE_VERDICT
  if (!(says instanceof RobotsRules)) return says
  const verdict = says.judge(path)
  if (record.outage === undefined) return verdict
  return { ...verdict, reason: `${verdict.reason} (by an older copy: ${record.outage.reason})` }
}

function parts(url: string): { readonly origin: string; readonly path: string } {
  // Most URLs are normal. The URL parser would take longer than everything else here.
  if (isNormalUrl(url)) {
    const pathAt = url.indexOf('/', 'http://'.length + 1)
    return { origin: url.slice(0, pathAt), path: url.slice(pathAt) }
  }
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}

/** For a request that this process aborted: not stored, and repeated at the next load. */
function aborted(origin: string, now: number): ReadyOrigin {
  const outage = {
    reason: 'the request for robots.txt was aborted',
    since: now,
    failures: 0,
    retryAt: now,
  }
  return { record: { origin, outage }, says: unreachable(outage) }
}

/** Not stored: the next URL of the host tries again, as soon as the queue of the host allows. */
function hostFailed(origin: string, outcome: HostFailure, now: number): ReadyOrigin {
  const reason = `${outcome.cause}: ${outcome.detail}`
  const outage = { reason, since: now, failures: 0, retryAt: now }
  return { record: { origin, outage }, says: { allowed: false, kind: 'host-failure', reason, outcome } }
}

function unreachable({ reason, retryAt }: RobotsOutage): RobotsVerdict {
  const again = new Date(retryAt).toISOString()
  return { allowed: false, kind: 'unreachable', reason: `${reason}; next attempt after ${again}`, retryAt }
}

const FIRST_RETRY_MS = 5 * 60_000
const MAX_RETRY_MS = 24 * 60 * 60_000
/** RFC 9309 (2.3.1.4): maximum age of a copy that is used during an outage. */
const MAX_STALE_MS = 30 * 24 * 60 * 60_000

/**
 * The record of an origin after a fetch. A response replaces the old record. After a failure the next attempt is in 5 minutes, doubling
 * with each failure up to a day; a copy is used until it is 30 days old.
 */
function updatedRecord(
  origin: string,
  known: RobotsRecord | undefined,
  result: Exclude<RobotsFetchResult, { kind: 'aborted' | 'host-failure' }>,
  now: number,
): RobotsRecord {
  const site = { origin, ...withoutUndefined({ aiUse: known?.aiUse }) }
  if (result.kind !== 'unreachable') {
    const { headers, ...finding } = result
    return {
      ...site,
      finding: { ...finding, checkedAt: now, freshUntil: now + robotsLifetimeMs(headers, now) },
    }
  }
  const { since, failures } = known?.outage ?? { since: now, failures: 0 }
  const backOffMs = Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS)
  const retryAt = Math.max(now + backOffMs, result.retryAt ?? 0)
  const outage = { reason: result.reason, since, failures: failures + 1, retryAt }
  const copy = copyIn(known)
  return copy !== undefined && retryAt - copy.checkedAt <= MAX_STALE_MS
    ? { ...site, finding: copy, outage }
    : { ...site, outage }
}
