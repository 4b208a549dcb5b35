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

/** Reasons for parking a host, as stored. Callers of `park()` give their own. */
export const TOO_MANY_FAILURES = 'too-many-failures'
export const DELAY_TOO_LONG = 'rest-too-long'

/**
 * The throttle state of each host: when it may be requested next. Outcomes and demands of a host only make `readyAt` later. It becomes
 * earlier only when a request that had started was not sent.
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
  #rows = new Float64Array(FIRST_CAPACITY * ROW)

  constructor(defaults: HostLimits) {
    this.#defaults = defaults
  }

  /** Adds a host that is ready at `now`. @param options all limits of the host. @default the limits of the constructor */
  open(host: number, now: number, options?: HostLimits): void {
    const row = host * ROW
    if (row >= this.#rows.length) this.#rows = grown(this.#rows, Float64Array, row + ROW)
    this.#rows.fill(0, row, row + ROW)
    this.#set(host, READY_AT, now)
    this.#set(host, ENDED_AT, Number.NEGATIVE_INFINITY)
    if (options !== undefined) this.#ownOptions.set(host, options)
  }

  /** Deletes the state of a host. Its index may then be used for another host. */
  close(host: number): void {
    this.#ownOptions.delete(host)
    this.#parkingReasons.delete(host)
  }

  readyAt(host: number): number {
    return Math.max(this.#get(host, READY_AT), this.#get(host, NEXT_START))
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

  /** The delay after a response: the largest of the configured one, the Crawl-delay, the back-off and the latency. */
  delayMs(host: number): number {
    const { endGapMs, latencyFactor, backoffMs, maxDelayMs } = this.#optionsOf(host)
    const failures = this.#get(host, FAILURES)
    const latency = latencyFactor * this.#get(host, LATENCY_MS)
    const backoff = failures === 0 ? 0 : backoffMs * 2 ** (failures - 1)
    const ours = Math.min(maxDelayMs, Math.max(latency, backoff))
    return Math.max(endGapMs, this.#get(host, CRAWL_DELAY_MS), ours)
  }

  /** Requests currently allowed at the same time. */
  maxInFlight(host: number): number {
    return this.#isSlowedDown(host) ? 1 : this.#optionsOf(host).maxInFlight
  }

  /** A request starts at `now`. Call `ended()` once for it. */
  began(host: number, now: number): void {
    this.#set(host, IN_FLIGHT, this.#get(host, IN_FLIGHT) + 1)
    this.#set(host, NEXT_START, this.#nextStart(host, now))
  }

  /** The request that started at `startedAt` ended at `now`. If this throws for an invalid outcome, the request is still in flight. */
  ended(host: number, outcome: HostOutcome, now: number, startedAt = now): void {
    if (outcome.kind !== 'not-sent') this.#update(host, outcome, now)
    // It was the last to start, and the earlier ones started at least one gap before it, so no gap remains.
    else if (this.#get(host, NEXT_START) === this.#nextStart(host, startedAt)) this.#set(host, NEXT_START, 0)
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
    this.#delay(host, this.#get(host, ENDED_AT) + this.delayMs(host), now)
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

  #optionsOf(host: number): HostLimits {
    return this.#ownOptions.get(host) ?? this.#defaults
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
    this.#delay(host, now + this.delayMs(host), now)
    if (outcome.kind === 'rate-limited' && outcome.retryAt !== undefined) {
      this.delayChanges++
      this.delayUntil(host, outcome.retryAt, now)
    }
  }

  #countFailure(host: number, now: number): void {
    const { maxFailures, parkMs } = this.#optionsOf(host)
    const failures = this.#get(host, FAILURES) + 1
    this.#set(host, FAILURES, failures)
    if (failures >= maxFailures) this.park(host, now + parkMs, TOO_MANY_FAILURES)
  }

  #updateLatency(host: number, responseMs: number): void {
    if (this.#optionsOf(host).latencyFactor === 0) return
    const ms = checked('responseMs', responseMs)
    const latencyMs = this.#get(host, LATENCY_MS)
    this.#set(host, LATENCY_MS, latencyMs === 0 ? ms : latencyMs + (ms - latencyMs) * LATENCY_WEIGHT)
  }

  #nextStart(host: number, startedAt: number): number {
    return startedAt + this.#optionsOf(host).startGapMs
  }

  #delay(host: number, until: number, now: number): void {
    this.#raise(host, READY_AT, until)
    const readyAt = this.#get(host, READY_AT)
    if (readyAt - now > this.#optionsOf(host).maxDelayMs) this.park(host, readyAt, DELAY_TOO_LONG)
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
const READY_AT = 0
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
