import { withoutUndefined } from '../../base/without-undefined.ts'
import type { HostLimits } from './host-options.ts'
import type { HostOutcome } from './host-outcome.ts'
import { grown } from './time-heap.ts'

/** The throttle state of a host as plain data that can be stored as JSON. Times are milliseconds since the epoch. */
export interface HostState {
  readonly key: string
  /** No request before this. */
  readonly readyAt: number
  /** When the last response ended; absent if there was none. */
  readonly endedAt?: number
  readonly failures: number
  readonly crawlDelayMs: number
  readonly latencyMs: number
  readonly parked?: Parking
}

/** No item of the host is queued or requested before `until`. */
export interface Parking {
  readonly until: number
  readonly reason: string
}

/** The delay of a host after a response, and what set it. `operator`: set while the crawl runs. `latency`: a multiple of the response time. */
export interface EffectiveDelay {
  readonly delayMs: number
  readonly setBy: DelaySource
}

/** What set the delay of a host: the settings, a Crawl-delay, a Retry-After, failures, slow responses, or an operator. */
export type DelaySource = 'config' | 'robots' | 'retry-after' | 'back-off' | 'latency' | 'operator'

/** Reasons for parking a host, as stored. Callers of `park()` give their own. */
export const TOO_MANY_FAILURES = 'too-many-failures'
export const DELAY_TOO_LONG = 'rest-too-long'

/**
 * The throttle state of each host: when it may be requested next. Outcomes and demands of a host only make `readyAt` later. It becomes
 * earlier only when a request that had started was not sent, or when an operator shortens the configured delay.
 *
 * A host is identified by its index. Its eight numbers are one row of an array, which fills one cache line: hosts become due in random
 * order, and with one object per host each access would miss the cache several times.
 */
export class HostThrottle {
  /** Grows by 1 when a host requests a different delay with Crawl-delay or Retry-After. */
  delayChanges = 0
  readonly #defaults: HostLimits
  // Maps, because few hosts have an entry.
  readonly #ownOptions = new Map<number, HostLimits>()
  readonly #parkingReasons = new Map<number, string>()
  /** The time that the last Retry-After header of a host gave. */
  readonly #retryAfters = new Map<number, number>()
  /** Hosts whose limits were replaced since they were added, and whether the delay of an operator is in force. */
  readonly #replaced = new Map<number, boolean>()
  #rows = new Float64Array(FIRST_CAPACITY * ROW)

  constructor(defaults: HostLimits) {
    this.#defaults = defaults
  }

  /** Adds a host that is ready at `now`. @param options all limits of the host. @default the limits of the constructor */
  open(host: number, now: number, options?: HostLimits): void {
    const row = host * ROW
    if (row >= this.#rows.length) this.#rows = grown(this.#rows, Float64Array, row + ROW)
    this.#rows.fill(0, row, row + ROW)
    this.#set(host, DEMANDED_AT, now)
    this.#set(host, ENDED_AT, Number.NEGATIVE_INFINITY)
    if (options !== undefined) this.#ownOptions.set(host, options)
  }

  /** Deletes the state of a host. Its index may then be used for another host. */
  close(host: number): void {
    this.#ownOptions.delete(host)
    this.#parkingReasons.delete(host)
    this.#retryAfters.delete(host)
    this.#replaced.delete(host)
  }

  readyAt(host: number): number {
    return Math.max(this.#afterResponses(host), this.#get(host, NEXT_START))
  }

  inFlight(host: number): number {
    return this.#get(host, IN_FLIGHT)
  }

  isParked(host: number, now: number): boolean {
    return this.#get(host, PARKED_UNTIL) > now
  }

  /** `undefined` if the host is not parked at `now`. */
  parking(host: number, now: number): Parking | undefined {
    if (!this.isParked(host, now)) return undefined
    const until = this.#get(host, PARKED_UNTIL)
    return { until, reason: this.#parkingReasons.get(host) ?? '' }
  }

  limits(host: number): HostLimits {
    return this.#ownOptions.get(host) ?? this.#defaults
  }

  /** The delay after a response: the largest of the configured one, the Crawl-delay, the back-off and the latency. */
  delayMs(host: number): number {
    return Math.max(this.limits(host).endGapMs, this.#demandedMs(host))
  }

  /** The delay for display: also between two starts, and of a Retry-After header that is in force at `now`. */
  effectiveDelay(host: number, now: number): EffectiveDelay {
    const { startGapMs, endGapMs } = this.limits(host)
    const configured = this.#replaced.get(host) === true ? 'operator' : 'config'
    const retryAt = this.#retryAfters.get(host) ?? 0
    const delays: ReadonlyArray<readonly [DelaySource, number]> = [
      [configured, Math.max(startGapMs, endGapMs)],
      ['robots', this.#get(host, CRAWL_DELAY_MS)],
      ['back-off', this.#backoffMs(host)],
      ['latency', this.#latencyDelayMs(host)],
      ['retry-after', retryAt > now ? retryAt - this.#get(host, ENDED_AT) : 0],
    ]
    let [setBy, delayMs] = delays[0] ?? [configured, 0]
    for (const [source, ms] of delays) if (ms > delayMs) [setBy, delayMs] = [source, ms]
    return { delayMs, setBy }
  }

  /**
   * Replaces the limits of a host. A delay that has started becomes shorter or longer, but never shorter than what the host demands.
   * @param byOperator whether the limits have the delay of an operator
   */
  setLimits(host: number, limits: HostLimits, byOperator: boolean): void {
    const nextStart = this.#get(host, NEXT_START)
    const gapMs = limits.startGapMs - this.limits(host).startGapMs
    if (nextStart > 0) this.#set(host, NEXT_START, nextStart + gapMs)
    this.#ownOptions.set(host, limits)
    this.#replaced.set(host, byOperator)
  }

  /** Requests currently allowed at the same time. */
  maxInFlight(host: number): number {
    return this.#isSlowedDown(host) ? 1 : this.limits(host).maxInFlight
  }

  /** A request starts at `now`. Call `ended()` once for it. */
  began(host: number, now: number): void {
    this.#set(host, IN_FLIGHT, this.#get(host, IN_FLIGHT) + 1)
    this.#set(host, NEXT_START, this.#nextStart(host, now))
  }

  /**
   * The request that `began()` at `startedAt` is sent at `now`: the gap to the next start counts from now. `false`: it is too early, because other
   * requests started or ended meanwhile, or the host is parked or demands a longer delay.
   */
  sent(host: number, now: number, startedAt: number): boolean {
    const isLastStart = this.#get(host, NEXT_START) === this.#nextStart(host, startedAt)
    if (this.isParked(host, now) || (isLastStart ? this.#afterResponses(host) : this.readyAt(host)) > now)
      return false
    this.#set(host, NEXT_START, this.#nextStart(host, now))
    return true
  }

  /** The request that started at `startedAt` ended at `now`. If this throws for an invalid outcome, the request is still in flight. */
  ended(host: number, outcome: HostOutcome, now: number, startedAt = now): void {
    if (outcome.kind !== 'not-sent') this.#update(host, outcome, now)
    // It was the last to start, and the earlier ones started at least one gap before it, so no gap remains; unless the gap has changed.
    else if (this.#get(host, NEXT_START) === this.#nextStart(host, startedAt) && !this.#replaced.has(host))
      this.#set(host, NEXT_START, startedAt)
    this.#set(host, IN_FLIGHT, this.#get(host, IN_FLIGHT) - 1)
  }

  /** Allows no request before `time`. It never shortens a delay. */
  delayUntil(host: number, time: number, now: number): void {
    this.#delay(host, checked('the end of a delay', time), now)
  }

  /** Sets the Crawl-delay of robots.txt; 0: none. It also lengthens the current delay. */
  setCrawlDelay(host: number, ms: number, now: number): void {
    const crawlDelayMs = Math.max(0, checked('a Crawl-delay', ms))
    if (crawlDelayMs !== this.#get(host, CRAWL_DELAY_MS)) this.delayChanges++
    this.#set(host, CRAWL_DELAY_MS, crawlDelayMs)
    this.#delay(host, this.#get(host, ENDED_AT) + this.#demandedMs(host), now)
  }

  /** Parks the host until `until`: it has no queued items. It never shortens the time for which a host is parked. */
  park(host: number, until: number, reason: string): void {
    const end = checked('the end of parking', until)
    if (end <= this.#get(host, PARKED_UNTIL)) return
    this.#set(host, PARKED_UNTIL, end)
    this.#parkingReasons.set(host, reason)
  }

  /** When the state of an idle host may be deleted: at the end of its delay, or `keepStateMs` later if it has failures or a Crawl-delay. */
  forgetAt(host: number, keepStateMs: number): number {
    const free = Math.max(this.readyAt(host), this.#get(host, PARKED_UNTIL))
    return free + (this.#isSlowedDown(host) ? keepStateMs : 0)
  }

  /** The state to store for the next process. A request in flight counts as ended at `now`. */
  state(host: number, key: string, now: number): HostState {
    const endedAt = this.inFlight(host) > 0 ? now : this.#get(host, ENDED_AT)
    const parked = this.parking(host, now)
    return {
      key,
      readyAt: Math.max(this.readyAt(host), endedAt + this.delayMs(host)),
      ...(Number.isFinite(endedAt) && { endedAt }),
      failures: this.#get(host, FAILURES),
      crawlDelayMs: this.#get(host, CRAWL_DELAY_MS),
      latencyMs: this.#get(host, LATENCY_MS),
      ...withoutUndefined({ parked }),
    }
  }

  /** Restores the state that an earlier process stored. Of two delays or counts the larger one is kept. */
  restore(host: number, state: HostState, now: number): void {
    this.#raise(host, ENDED_AT, checked('endedAt', state.endedAt ?? Number.NEGATIVE_INFINITY))
    this.#raise(host, FAILURES, checked('failures', state.failures))
    this.#raise(host, CRAWL_DELAY_MS, checked('crawlDelayMs', state.crawlDelayMs))
    this.#raise(host, LATENCY_MS, checked('latencyMs', state.latencyMs))
    if (state.parked !== undefined) this.park(host, state.parked.until, state.parked.reason)
    this.delayUntil(host, state.readyAt, now)
  }

  #isSlowedDown(host: number): boolean {
    return this.#get(host, FAILURES) > 0 || this.#get(host, CRAWL_DELAY_MS) > 0
  }

  #update(host: number, outcome: Exclude<HostOutcome, { kind: 'not-sent' }>, now: number): void {
    if (outcome.kind !== 'unknown' && outcome.responseMs !== undefined)
      this.#updateLatency(host, outcome.responseMs)
    if (outcome.kind === 'success') this.#set(host, FAILURES, Math.floor(this.#get(host, FAILURES) / 2))
    else if (outcome.kind !== 'unknown') this.#countFailure(host, now)
    this.#set(host, ENDED_AT, now)
    this.#delay(host, now + this.#demandedMs(host), now)
    if (outcome.kind === 'rate-limited' && outcome.retryAt !== undefined) {
      this.delayChanges++
      this.delayUntil(host, outcome.retryAt, now)
      this.#retryAfters.set(host, outcome.retryAt)
    }
  }

  #countFailure(host: number, now: number): void {
    const { maxFailures, parkMs } = this.limits(host)
    const failures = this.#get(host, FAILURES) + 1
    this.#set(host, FAILURES, failures)
    if (failures >= maxFailures) this.park(host, now + parkMs, TOO_MANY_FAILURES)
  }

  #updateLatency(host: number, responseMs: number): void {
    if (this.limits(host).latencyFactor === 0) return
    const ms = checked('responseMs', responseMs)
    const latencyMs = this.#get(host, LATENCY_MS)
    this.#set(host, LATENCY_MS, latencyMs === 0 ? ms : latencyMs + (ms - latencyMs) * LATENCY_WEIGHT)
  }

  /** `readyAt` without the gap between starts. */
  #afterResponses(host: number): number {
    return Math.max(this.#get(host, DEMANDED_AT), this.#get(host, ENDED_AT) + this.limits(host).endGapMs)
  }

  #nextStart(host: number, startedAt: number): number {
    return startedAt + this.limits(host).startGapMs
  }

  /** The delay that the host demands by its robots.txt, its failures or its response times. */
  #demandedMs(host: number): number {
    return Math.max(this.#get(host, CRAWL_DELAY_MS), this.#backoffMs(host), this.#latencyDelayMs(host))
  }

  #backoffMs(host: number): number {
    const failures = this.#get(host, FAILURES)
    if (failures === 0) return 0
    const { backoffMs, maxDelayMs } = this.limits(host)
    return Math.min(maxDelayMs, backoffMs * 2 ** (failures - 1))
  }

  #latencyDelayMs(host: number): number {
    const { latencyFactor, maxDelayMs } = this.limits(host)
    return Math.min(maxDelayMs, latencyFactor * this.#get(host, LATENCY_MS))
  }

  #delay(host: number, until: number, now: number): void {
    this.#raise(host, DEMANDED_AT, until)
    const demandedAt = this.#get(host, DEMANDED_AT)
    if (demandedAt - now > this.limits(host).maxDelayMs) this.park(host, demandedAt, DELAY_TOO_LONG)
  }

  /** Sets a number that never decreases. */
  #raise(host: number, column: number, value: number): void {
    this.#set(host, column, Math.max(this.#get(host, column), value))
  }

  #get(host: number, column: number): number {
    return this.#rows[host * ROW + column] as number
  }

  #set(host: number, column: number, value: number): void {
    this.#rows[host * ROW + column] = value
  }
}

// The columns of a row. Times are clock times in milliseconds.
/** No request before this, because of the host. The configured delay is not part of it: an operator may change that. */
const DEMANDED_AT = 0
/** When the last response ended. */
const ENDED_AT = 1
const PARKED_UNTIL = 2
const FAILURES = 3
const CRAWL_DELAY_MS = 4
const LATENCY_MS = 5
const IN_FLIGHT = 6
/** Earliest start of the next request: the last start plus the gap between starts. */
const NEXT_START = 7
const ROW = 8
const FIRST_CAPACITY = 64

/** Weight of one response in the smoothed response time. */
const LATENCY_WEIGHT = 0.25
/** The latest time of a Date: stands for `Infinity`, which JSON cannot store. */
const FOREVER = 8.64e15

/** @throws RangeError for NaN: comparisons with it are false, so no limit would hold. */
function checked(what: string, value: number): number {
  if (Number.isNaN(value)) throw new RangeError(`${what} is not a number`)
  return Math.min(value, FOREVER)
}
