import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { LruMap } from '../../base/lru-map.ts'
import { isNormalUrl } from '../url/is-normal-url.ts'
import type { RobotsReply } from './ask-robots.ts'
import { type Ask, askRobots } from './ask-robots.ts'
import { parseRobots } from './parse-robots.ts'
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

export interface RobotsCacheOptions {
  /**
   * Whether a robots.txt that returns 401 or 403 disallows the whole site. RFC 9309 (2.3.1.3) counts them like any other 4xx: there are
   * no rules. @default false
   */
  readonly denyOnForbidden?: boolean
  /** Where records are kept. @default a bounded `MemoryRobotsStore` */
  readonly store?: RobotsStore
  /** About how much memory rules that are ready for use may take; others are read again. @default 64 MiB */
  readonly maxReadyBytes?: number
}

/** What is known about one URL without asking. */
export interface RobotsKnowledge {
  readonly verdict: RobotsVerdict
  /** What the site says to us: sitemaps, delay, signals. `undefined`: it has no file, or none that can be reached. */
  readonly rules: RobotsRules | undefined
}

/**
 * The robots rules of every origin, each asked for when first needed and again when it may have changed.
 *
 * It sends nothing itself: every request goes through `ask`, and so through the queue of the host it hits.
 *
 * While a robots.txt is unreachable, a copy that is at most 30 days old goes on deciding. Without one the response
 * is "not now", for as long as it lasts: RFC 9309 would let us walk in after 30 days, but a server that cannot
 * produce its rules in a month has not invited anybody.
 */
export class RobotsCache {
  readonly #clock: Clock
  readonly #agents: string | readonly string[]
  readonly #store: RobotsStore
  readonly #denyOnForbidden: boolean
  readonly #forbiddenOrigins = new Set<string>()
  readonly #ready: LruMap<string, ReadyOrigin>
  readonly #loading = new Map<string, Promise<ReadyOrigin>>()

  /** @param agents the product token of the User-Agent header; of several, each counts as ours */
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
    this.#denyOnForbidden = denyOnForbidden
    this.#ready = new LruMap(maxReadyBytes)
  }

  /** Number of origins that returned 401 or 403 for robots.txt, and were used since this cache was made. */
  get forbidden(): number {
    return this.#forbiddenOrigins.size
  }

  /** What is at hand about an absolute URL, or `undefined` when its origin must be loaded first. */
  known(url: string): RobotsKnowledge | undefined {
    const { origin, path } = parts(url)
    const ready = this.#current(origin)
    return ready && { verdict: judge(ready, path), rules: rulesIn(ready) }
  }

  /** The verdict on an absolute URL, or `undefined` when its origin must be loaded first. */
  peek(url: string): RobotsVerdict | undefined {
    return this.known(url)?.verdict
  }

  /** What the site says to us, while it is at hand: sitemaps, delay, signals. `undefined`: not at hand, or no file. */
  rules(url: string): RobotsRules | undefined {
    return this.known(url)?.rules
  }

  /** The verdict on an absolute URL. Loads of one origin at the same time share their requests. */
  async load(url: string, ask: Ask): Promise<RobotsVerdict> {
    const { origin, path } = parts(url)
    const ready = this.#current(origin) ?? (await this.#loadOnce(origin, ask))
    return judge(ready, path)
  }

  #current(origin: string): ReadyOrigin | undefined {
    const ready = this.#ready.get(origin)
    return ready && isCurrent(ready.record, this.#clock.now()) ? ready : undefined
  }

  #loadOnce(origin: string, ask: Ask): Promise<ReadyOrigin> {
    const running = this.#loading.get(origin)
    if (running !== undefined) return running
    const loading = this.#load(origin, ask).finally(() => this.#loading.delete(origin))
    this.#loading.set(origin, loading)
    return loading
  }

  async #load(origin: string, ask: Ask): Promise<ReadyOrigin> {
    const known = (await this.#store.get(origin)) ?? this.#ready.get(origin)?.record
    if (known !== undefined && isCurrent(known, this.#clock.now())) return this.#keep(known)
    const reply = await askRobots(origin, copyIn(known), ask)
    const now = this.#clock.now()
    if (reply.kind === 'aborted') return brokenOff(origin, now)
    if (reply.kind === 'host-failure') return hostFailed(origin, reply.outcome, now)
    const record = mergeReply(origin, known, reply, now)
    await this.#store.put(record)
    return this.#keep(record)
  }

  #keep(record: RobotsRecord): ReadyOrigin {
    const says = this.#said(record)
    const ready = { record, says }
    this.#ready.set(record.origin, ready, bytesOf(ready))
    return ready
  }

  #said({ origin, finding, outage }: RobotsRecord): RobotsRules | RobotsVerdict {
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

/** A record, with the rules in it for us, or the one verdict on every URL. */
interface ReadyOrigin {
  readonly record: RobotsRecord
  readonly says: RobotsRules | RobotsVerdict
}

const ORIGIN_BYTES = 400
/** Enough for a summary; a crawl of millions of hosts must not grow with them. */
const MAX_COUNTED_ORIGINS = 10_000

/** About the memory it takes. Rules hold on to the text they were read from. */
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
  // Most are: the parser would take longer than all the rest.
  if (isNormalUrl(url)) {
    const pathAt = url.indexOf('/', 'http://'.length + 1)
    return { origin: url.slice(0, pathAt), path: url.slice(pathAt) }
  }
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}

/** For a request that we ended ourselves: not remembered, and made again whenever somebody asks. */
function brokenOff(origin: string, now: number): ReadyOrigin {
  const outage = {
    reason: 'the request for robots.txt was broken off',
    since: now,
    failures: 0,
    retryAt: now,
  }
  return { record: { origin, outage }, says: unreachable(outage) }
}

/** Not remembered either: the next URL of the host tries again, as often as the host's queue allows. */
function hostFailed(origin: string, outcome: HostFailure, now: number): ReadyOrigin {
  const reason = `${outcome.cause}: ${outcome.detail}`
  const outage = { reason, since: now, failures: 0, retryAt: now }
  return { record: { origin, outage }, says: { allowed: false, kind: 'host-failure', reason, outcome } }
}

function unreachable({ reason, retryAt }: RobotsOutage): RobotsVerdict {
  const again = new Date(retryAt).toISOString()
  return { allowed: false, kind: 'unreachable', reason: `${reason}; asked again after ${again}`, retryAt }
}

const FIRST_RETRY_MS = 5 * 60_000
const MAX_RETRY_MS = 24 * 60 * 60_000
/** RFC 9309 (2.3.1.4): past this, a copy that could not be confirmed counts no more. */
const MAX_STALE_MS = 30 * 24 * 60 * 60_000

/**
 * What is known about an origin once `reply` has come. A response replaces all that was known. A failure is tried
 * again after 5 minutes, then twice as long each time, up to a day; a copy stays in use until it is 30 days old.
 */
function mergeReply(
  origin: string,
  known: RobotsRecord | undefined,
  reply: Exclude<RobotsReply, { kind: 'aborted' | 'host-failure' }>,
  now: number,
): RobotsRecord {
  if (reply.kind !== 'unreachable') {
    const { headers, ...said } = reply
    return { origin, finding: { ...said, checkedAt: now, freshUntil: now + robotsLifetimeMs(headers, now) } }
  }
  const { since, failures } = known?.outage ?? { since: now, failures: 0 }
  const backOffMs = Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS)
  const retryAt = Math.max(now + backOffMs, reply.retryAt ?? 0)
  const outage = { reason: reply.reason, since, failures: failures + 1, retryAt }
  const copy = copyIn(known)
  return copy !== undefined && retryAt - copy.checkedAt <= MAX_STALE_MS
    ? { origin, finding: copy, outage }
    : { origin, outage }
}
