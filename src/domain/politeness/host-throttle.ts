import { withoutUndefined } from '../../base/without-undefined.ts'
import type { HostLimits } from './host-options.ts'
import type { HostOutcome } from './host-outcome.ts'
import { grown } from './time-heap.ts'

/** What is remembered of a host, as plain data that survives JSON. Times are milliseconds since the epoch. */
export interface HostState {
  readonly key: string
  /** No request before this. */
  readonly readyAt: number
  /** When the last response ended; absent when none did. */
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

/** Why a host was parked by its own doing. The caller of `park()` has reasons of its own. */
export const TOO_MANY_FAILURES = 'too-many-failures'
export const DELAY_TOO_LONG = 'rest-too-long'

/**
 * When each host may be requested next. What is learned can only slow a host down: `readyAt` moves to an earlier time
 * only when a request that had its start announced was not sent after all.
 *
 * A host is a slot, a small whole number, and its numbers are a row of one array: eight, as many as fill a cache line.
 * Hosts come due in no relation to where they lie in memory, so a million objects would be a million walks through it.
 */
export class HostThrottle {
  /** How often a host has requested another delay than before: a Crawl-delay, a Retry-After. */
  delayChanges = 0
  readonly #defaults: HostLimits
  // Few hosts have any of these.
  readonly #ownOptions = new Map<number, HostLimits>()
  readonly #parkingReasons = new Map<number, string>()
  #rows = new Float64Array(FIRST_CAPACITY * ROW)

  constructor(defaults: HostLimits) {
    this.#defaults = defaults
  }

  /** A new host, ready from `now` on. `options`: all of them, when they are not the defaults. */
  open(slot: number, now: number, options?: HostLimits): void {
    const row = slot * ROW
    if (row >= this.#rows.length) this.#rows = grown(this.#rows, Float64Array, row + ROW)
    this.#rows.fill(0, row, row + ROW)
    this.#set(slot, READY_AT, now)
    this.#set(slot, ENDED_AT, Number.NEGATIVE_INFINITY)
    if (options !== undefined) this.#ownOptions.set(slot, options)
  }

  /** The host is forgotten; its slot may stand for another. */
  close(slot: number): void {
    this.#ownOptions.delete(slot)
    this.#parkingReasons.delete(slot)
  }

  readyAt(slot: number): number {
    return Math.max(this.#get(slot, READY_AT), this.#get(slot, NEXT_START))
  }

  inFlight(slot: number): number {
    return this.#get(slot, IN_FLIGHT)
  }

  isParked(slot: number, now: number): boolean {
    return this.#get(slot, PARKED_UNTIL) > now
  }

  /** `undefined` when it is not parked at `now`. */
  parking(slot: number, now: number): Parking | undefined {
    if (!this.isParked(slot, now)) return undefined
    const until = this.#get(slot, PARKED_UNTIL)
    return { until, reason: this.#parkingReasons.get(slot) ?? '' }
  }

  /** The delay after a response: the largest of the configured one, the Crawl-delay, the back-off and the latency. */
  delayMs(slot: number): number {
    const { endGapMs, latencyFactor, backoffMs, maxDelayMs } = this.#optionsOf(slot)
    const failures = this.#get(slot, FAILURES)
    const latency = latencyFactor * this.#get(slot, LATENCY_MS)
    const backoff = failures === 0 ? 0 : backoffMs * 2 ** (failures - 1)
    const ours = Math.min(maxDelayMs, Math.max(latency, backoff))
    return Math.max(endGapMs, this.#get(slot, CRAWL_DELAY_MS), ours)
  }

  /** Requests allowed at once, as things stand. */
  maxInFlight(slot: number): number {
    return this.#hasLearned(slot) ? 1 : this.#optionsOf(slot).maxInFlight
  }

  /** A request starts at `now`, which is owed one `ended()`. */
  began(slot: number, now: number): void {
    this.#set(slot, IN_FLIGHT, this.#get(slot, IN_FLIGHT) + 1)
    this.#set(slot, NEXT_START, this.#nextStart(slot, now))
  }

  /**
   * The request that started at `startedAt` ended at `now`. When it throws, for a bad outcome, the request is still in
   * flight.
   */
  ended(slot: number, outcome: HostOutcome, now: number, startedAt = now): void {
    if (outcome.kind !== 'not-sent') this.#learn(slot, outcome, now)
    // It was the last to start, and those before it started at least one gap earlier: no gap remains.
    else if (this.#get(slot, NEXT_START) === this.#nextStart(slot, startedAt)) this.#set(slot, NEXT_START, 0)
    this.#set(slot, IN_FLIGHT, this.#get(slot, IN_FLIGHT) - 1)
  }

  /** No request before `time`. An earlier time than is already due changes nothing. */
  delayUntil(slot: number, time: number, now: number): void {
    this.#delay(slot, checked('the end of a delay', time), now)
  }

  /** The Crawl-delay of robots.txt; 0: none. It also lengthens the current delay. */
  setCrawlDelay(slot: number, ms: number, now: number): void {
    const crawlDelayMs = Math.max(0, checked('a Crawl-delay', ms))
    if (crawlDelayMs !== this.#get(slot, CRAWL_DELAY_MS)) this.delayChanges++
    this.#set(slot, CRAWL_DELAY_MS, crawlDelayMs)
    this.#delay(slot, this.#get(slot, ENDED_AT) + this.delayMs(slot), now)
  }

  /** Nothing of this host is to be held until `until`; an earlier time than it is already parked for changes nothing. */
  park(slot: number, until: number, reason: string): void {
    const end = checked('the end of parking', until)
    if (end <= this.#get(slot, PARKED_UNTIL)) return
    this.#set(slot, PARKED_UNTIL, end)
    this.#parkingReasons.set(slot, reason)
  }

  /** When an idle host need not be remembered any more: its rest is over and what it taught us has grown old. */
  forgetAt(slot: number, keepStateMs: number): number {
    const free = Math.max(this.readyAt(slot), this.#get(slot, PARKED_UNTIL))
    return free + (this.#hasLearned(slot) ? keepStateMs : 0)
  }

  /** What must outlive this process. A request still in flight counts as ended at `now`. */
  state(slot: number, key: string, now: number): HostState {
    const endedAt = this.inFlight(slot) > 0 ? now : this.#get(slot, ENDED_AT)
    const parked = this.parking(slot, now)
    return {
      key,
      readyAt: Math.max(this.readyAt(slot), endedAt + this.delayMs(slot)),
      ...(Number.isFinite(endedAt) && { endedAt }),
      failures: this.#get(slot, FAILURES),
      crawlDelayMs: this.#get(slot, CRAWL_DELAY_MS),
      latencyMs: this.#get(slot, LATENCY_MS),
      ...withoutUndefined({ parked }),
    }
  }

  /** Takes over what an earlier process knew. Of two delays or counts the larger stays. */
  restore(slot: number, state: HostState, now: number): void {
    this.#raise(slot, ENDED_AT, checked('endedAt', state.endedAt ?? Number.NEGATIVE_INFINITY))
    this.#raise(slot, FAILURES, checked('failures', state.failures))
    this.#raise(slot, CRAWL_DELAY_MS, checked('crawlDelayMs', state.crawlDelayMs))
    this.#raise(slot, LATENCY_MS, checked('latencyMs', state.latencyMs))
    if (state.parked !== undefined) this.park(slot, state.parked.until, state.parked.reason)
    this.delayUntil(slot, state.readyAt, now)
  }

  #optionsOf(slot: number): HostLimits {
    return this.#ownOptions.get(slot) ?? this.#defaults
  }

  #hasLearned(slot: number): boolean {
    return this.#get(slot, FAILURES) > 0 || this.#get(slot, CRAWL_DELAY_MS) > 0
  }

  #learn(slot: number, outcome: Exclude<HostOutcome, { kind: 'not-sent' }>, now: number): void {
    if (outcome.kind !== 'unknown' && outcome.responseMs !== undefined)
      this.#observe(slot, outcome.responseMs)
    if (outcome.kind === 'success') this.#set(slot, FAILURES, Math.floor(this.#get(slot, FAILURES) / 2))
    else if (outcome.kind !== 'unknown') this.#fail(slot, now)
    this.#set(slot, ENDED_AT, now)
    this.#delay(slot, now + this.delayMs(slot), now)
    if (outcome.kind === 'rate-limited' && outcome.retryAt !== undefined) {
      this.delayChanges++
      this.delayUntil(slot, outcome.retryAt, now)
    }
  }

  #fail(slot: number, now: number): void {
    const { maxFailures, parkMs } = this.#optionsOf(slot)
    const failures = this.#get(slot, FAILURES) + 1
    this.#set(slot, FAILURES, failures)
    if (failures >= maxFailures) this.park(slot, now + parkMs, TOO_MANY_FAILURES)
  }

  #observe(slot: number, responseMs: number): void {
    if (this.#optionsOf(slot).latencyFactor === 0) return
    const ms = checked('responseMs', responseMs)
    const latencyMs = this.#get(slot, LATENCY_MS)
    this.#set(slot, LATENCY_MS, latencyMs === 0 ? ms : latencyMs + (ms - latencyMs) * LATENCY_WEIGHT)
  }

  #nextStart(slot: number, startedAt: number): number {
    return startedAt + this.#optionsOf(slot).startGapMs
  }

  #delay(slot: number, until: number, now: number): void {
    this.#raise(slot, READY_AT, until)
    const readyAt = this.#get(slot, READY_AT)
    if (readyAt - now > this.#optionsOf(slot).maxDelayMs) this.park(slot, readyAt, DELAY_TOO_LONG)
  }

  /** Sets a number that only ever grows. */
  #raise(slot: number, column: number, value: number): void {
    this.#set(slot, column, Math.max(this.#get(slot, column), value))
  }

  #get(slot: number, column: number): number {
    return this.#rows[slot * ROW + column] as number
  }

  #set(slot: number, column: number, value: number): void {
    this.#rows[slot * ROW + column] = value
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
/** No request starts before: the start of the last one plus the gap between starts. */
const NEXT_START = 7
const ROW = 8
const FIRST_CAPACITY = 64

/** How much one response counts in the smoothed response time. */
const LATENCY_WEIGHT = 0.25
/** The last time a Date can name: "for ever" as a number that survives JSON. */
const FOREVER = 8.64e15

/** @throws RangeError for NaN, which would compare as neither earlier nor later and so lift every limit. */
function checked(what: string, value: number): number {
  if (Number.isNaN(value)) throw new RangeError(`${what} is not a number`)
  return Math.min(value, FOREVER)
}
