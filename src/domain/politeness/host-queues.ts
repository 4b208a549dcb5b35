// Longer than 300 lines because the types of its methods are here too.
import type { Clock } from '../../base/clock.ts'
import { Agenda, AgendaRows } from './agenda.ts'
import { HostIndexes } from './host-indexes.ts'
import { type HostLimits, type HostOptions, hostLimits } from './host-options.ts'
import type { HostOutcome } from './host-outcome.ts'
import { type EffectiveDelay, type HostState, HostThrottle, type Parking } from './host-throttle.ts'
import { Backlogs, type Taken, Ticket } from './ticket.ts'

/** Delays and limits of all hosts, exceptions for single hosts, and the size of the queues. */
export interface HostQueuesOptions extends HostOptions {
  /** Options of one key that differ. Called when the key is first seen, and again after its state was deleted. */
  readonly overrides?: (key: string) => HostOptions | undefined
  /** Maximum number of items, waiting and in flight. @default 100000 */
  readonly maxItems?: number
  /** How long the failures and the Crawl-delay of an idle host are kept after the end of its delay. @default 1800000 */
  readonly keepStateMs?: number
}

/** Whether a queue accepted an item. `full`: all queues together have `maxItems`. */
export type AddResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'full' }
  /** `why`: the reason for parking the key. `until`: when it accepts items again. */
  | { readonly ok: false; readonly reason: 'parked'; readonly why: string; readonly until: number }

/** No host may be requested now. */
export interface Wait {
  readonly kind: 'wait'
  /**
   * When `take()` returns an item if there are no other calls before (clock time; round up when setting a timer).
   * `undefined`: not before the next `add()`, `release()` or `requeue()`.
   */
  readonly until: number | undefined
}

/** Items removed from a queue without a request, highest priority first. The caller records each with the reason. */
export interface Expelled<T> {
  readonly key: string
  readonly reason: string
  readonly items: readonly T[]
}

/** Numbers for a status line. */
export interface HostCounts {
  /** Hosts with items waiting or in flight, without parked hosts. */
  readonly queues: number
  readonly queued: number
  readonly inFlight: number
  /** Hosts with items that wait for the end of the delay. */
  readonly delayed: number
  readonly parked: number
  /** Hosts without items whose delay, failures or Crawl-delay are kept. */
  readonly idle: number
}

/** One host, for display. */
export interface QueuedHost {
  readonly queued: number
  readonly inFlight: number
  /** When the next request may be sent (ms since the epoch); in the past: now. */
  readonly readyAt: number
  readonly delay: EffectiveDelay
  readonly parked: Parking | undefined
}

/**
 * The queued items of all hosts, returned by `take()` as soon as the delay of the host is over: Nutch's FetchItemQueues. README.md has a
 * diagram. Guarantees for any order of calls:
 *
 * - The time from the end of a host's last request to its next `take()` is at least the largest delay known at that `take()`. With
 *   `maxInFlight` above 1, `delayMs` is the time between two starts: from `start()` if it is called, else from `take()`. A host never has
 *   more requests in flight than it allows.
 * - The host that has been ready longest comes first, so no host starves.
 * - No item is lost: each is returned by `take()`, or in an `Expelled` with a reason.
 * - Every call takes O(log n) in the number of hosts and, amortised, in the number of items of one host. There are no timers. Only
 *   `drainAll`, `snapshot` and `counts` go through all hosts.
 *
 * If the clock goes back, the latest time seen counts until the clock reaches it again. Use the steady clock: it starts at the time of day,
 * so its times can be compared with Retry-After dates and with times stored by an earlier process.
 * @example
 * const queues = new HostQueues<string>(steadyClock, { delayMs: 1_000 })
 * queues.add('example.org', 'https://example.org/a')
 * queues.add('example.org', 'https://example.org/b')
 * const taken = queues.take()
 * taken.kind // → 'taken'
 * if (taken.kind === 'taken') queues.release(taken, { kind: 'success' })
 * queues.take().kind // → 'wait'
 */
export class HostQueues<T> {
  readonly #clock: Clock
  readonly #common: HostOptions
  readonly #overrides: (key: string) => HostOptions | undefined
  readonly #maxItems: number
  readonly #keepStateMs: number
  readonly #hosts = new HostIndexes()
  /** Delays that an operator set, by key: they outlive the state of the host. */
  readonly #operatorDelays = new Map<string, number>()
  readonly #defaultLimits: HostLimits
  readonly #throttle: HostThrottle
  readonly #backlogs = new Backlogs<T>()
  // A host is in exactly one of these agendas, or in none while it waits for the end of a response.
  readonly #agendas = new AgendaRows()
  readonly #waiting = new Agenda(this.#agendas)
  readonly #parked = new Agenda(this.#agendas)
  readonly #idle = new Agenda(this.#agendas)
  #queued = 0
  #inFlight = 0
  #latest = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, options: HostQueuesOptions = {}) {
    const {
      overrides = () => undefined,
      maxItems = 100_000,
      keepStateMs = 1_800_000,
      ...hostOptions
    } = options
    this.#clock = clock
    this.#common = hostOptions
    this.#defaultLimits = hostLimits(hostOptions, 'politeness')
    this.#throttle = new HostThrottle(this.#defaultLimits)
    this.#overrides = overrides
    this.#maxItems = maxItems
    this.#keepStateMs = keepStateMs
  }

  /** Queues `item` under `key` (a host, a domain or an address). Items with a higher priority come first. */
  add(key: string, item: T, priority = 0): AddResult {
    if (Number.isNaN(priority)) throw new RangeError(`the priority of an item of ${key} is not a number`)
    if (this.#queued + this.#inFlight >= this.#maxItems) return FULL
    const now = this.#now()
    const host = this.#open(key, now)
    const parked = this.#throttle.parking(host, now)
    if (parked !== undefined) return { ok: false, reason: 'parked', why: parked.reason, until: parked.until }
    // The stored key, not the caller's copy: the copy of each item would stay in memory.
    this.#backlogs.add(new Ticket(this.#hosts.keyOf(host), host, item, priority))
    this.#queued++
    this.#place(host, now)
    return ADDED
  }

  /** The next item that may be requested now, or the time to call again. */
  take(): Taken<T> | Wait {
    const now = this.#now()
    const { earliest } = this.#waiting
    if (earliest > now)
      return { kind: 'wait', until: earliest === Number.POSITIVE_INFINITY ? undefined : earliest }
    return this.#take(this.#waiting.first ?? -1, now)
  }

  /** The next item of one host that may be requested now, or the time to call again. */
  takeOf(key: string): Taken<T> | Wait {
    const now = this.#now()
    const host = this.#hosts.find(key)
    if (host === undefined) return { kind: 'wait', until: undefined }
    return this.#isReady(host, now) ? this.#take(host, now) : { kind: 'wait', until: this.readyAt(key) }
  }

  /** When a waiting item of the host may be requested; `Infinity`: not before another request of the host ends. */
  readyAt(key: string): number {
    const host = this.#hosts.find(key)
    return host !== undefined && this.#isOpen(host) ? this.#throttle.readyAt(host) : Number.POSITIVE_INFINITY
  }

  #take(host: number, now: number): Taken<T> {
    const ticket = this.#isReady(host, now) ? this.#backlogs.take(host) : undefined
    if (ticket === undefined) throw new Error('a host without a waiting item was due')
    ticket.startedAt = now
    this.#throttle.began(host, now)
    this.#queued--
    this.#inFlight++
    // Removed and added again: if it may have more in flight, hosts that have waited longer come first.
    this.#agendas.delete(host)
    this.#place(host, now)
    return ticket
  }

  /**
   * Call it right before the request of an item from `take()` is sent: returns the time, from which the delay between starts counts. `undefined`: send
   * nothing, and release the item. Since `take()`, other requests of the host started or ended, or the host was parked.
   */
  start(taken: Taken<T>): number | undefined {
    const now = this.#now()
    const ticket = taken as Ticket<T>
    const { host, startedAt } = ticket
    if (startedAt === undefined) throw new Error(`an item of ${ticket.key} was started after its release`)
    if (!this.#throttle.sent(host, now, startedAt)) return undefined
    ticket.startedAt = now
    this.#place(host, now)
    return now
  }

  /** Ends the request of an item from `take()`; call it exactly once. The delay of the host starts now. */
  release(taken: Taken<T>, outcome: HostOutcome): Expelled<T> | undefined {
    const now = this.#now()
    const { host } = this.#end(taken, outcome, now)
    return this.#settle(host, now)
  }

  /** Like `release`, but queues the item again, after items of equal priority. */
  requeue(taken: Taken<T>, outcome: HostOutcome = { kind: 'not-sent' }): Expelled<T> | undefined {
    const now = this.#now()
    const ticket = this.#end(taken, outcome, now)
    this.#backlogs.add(ticket)
    this.#queued++
    return this.#settle(ticket.host, now)
  }

  /** Sends no request to `key` before `time`, for a Retry-After header. It never shortens a delay. */
  delayUntil(key: string, time: number): Expelled<T> | undefined {
    return this.#change(key, (host, now) => this.#throttle.delayUntil(host, time, now))
  }

  /**
   * Sets the Crawl-delay of the robots.txt of `key`; 0: none. It never shortens a delay that has started.
   * Call it after every robots.txt check: the state of idle hosts is deleted after a while, and the Crawl-delay with it.
   */
  setCrawlDelay(key: string, ms: number): Expelled<T> | undefined {
    return this.#change(key, (host, now) => this.#throttle.setCrawlDelay(host, ms, now))
  }

  /**
   * Replaces the configured delay of `key` until it is called again; `undefined` restores it. Longer delays that the host demands stay:
   * Crawl-delay, Retry-After, back-off. A delay that has started changes, too.
   * @throws RangeError for a number that is not finite or is negative
   */
  setOperatorDelay(key: string, ms: number | undefined): Expelled<T> | undefined {
    if (ms !== undefined && !(Number.isFinite(ms) && ms >= 0))
      throw new RangeError(`the delay of ${key} is ${ms} ms; give a number of at least 0`)
    if (ms === undefined) this.#operatorDelays.delete(key)
    else this.#operatorDelays.set(key, ms)
    const host = this.#hosts.find(key)
    if (host === undefined) return undefined
    this.#throttle.setLimits(host, this.#limitsOf(key), ms !== undefined)
    return this.#settle(host, this.#now())
  }

  /** Empties the queue of `key` and rejects its items until `until`. */
  park(key: string, until: number, reason: string): Expelled<T> | undefined {
    return this.#change(key, (host) => this.#throttle.park(host, until, reason))
  }

  /** Empties the queue of `key`. Requests in flight continue. */
  drain(key: string, reason: string): Expelled<T> | undefined {
    const host = this.#hosts.find(key)
    return host === undefined ? undefined : this.#drain(host, reason, this.#now())
  }

  /** Empties every queue. Requests in flight continue. */
  drainAll(reason: string): Expelled<T>[] {
    const now = this.#now()
    return [...this.#hosts].flatMap((host) => this.#drain(host, reason, now) ?? [])
  }

  /** Grows by 1 when a host requests a different delay. Callers save the state at once after a change. */
  get delayChanges(): number {
    return this.#throttle.delayChanges
  }

  /** The longest delay for which items of `key` stay queued. */
  maxDelayMs(key: string): number {
    return hostLimits({ ...this.#common, ...this.#overrides(key) }, key).maxDelayMs
  }

  /** The rate limits that apply to an item from `take()`. */
  limitsOf(taken: Taken<T>): HostLimits {
    return this.#throttle.limits((taken as Ticket<T>).host)
  }

  /** Until when the host of an item from `take()` is parked; `undefined`: it is not. */
  parkedUntilOf(taken: Taken<T>): number | undefined {
    return this.#throttle.parking((taken as Ticket<T>).host, this.#now())?.until
  }

  /** The delay after a response at present: call it right after `release()`. */
  delayMsOf(taken: Taken<T>): number {
    return this.#throttle.delayMs((taken as Ticket<T>).host)
  }

  /** All hosts whose state is kept. */
  keys(): Iterable<string> {
    return this.#hosts.keys()
  }

  /** Whether the host has queued items, active requests or a throttle state. */
  has(key: string): boolean {
    return this.#hosts.find(key) !== undefined
  }

  /** One host, for display. Without state it is ready, with its configured delay. */
  describe(key: string): QueuedHost {
    const now = this.#now()
    const host = this.#hosts.find(key)
    if (host === undefined)
      return { queued: 0, inFlight: 0, readyAt: 0, delay: this.#usualDelay(key), parked: undefined }
    return {
      queued: this.#backlogs.length(host),
      inFlight: this.#throttle.inFlight(host),
      readyAt: this.#throttle.readyAt(host),
      delay: this.#throttle.effectiveDelay(host, now),
      parked: this.#throttle.parking(host, now),
    }
  }

  /** One figure of `describe`, for sorting thousands of hosts. */
  figure(key: string, name: HostFigure): number {
    const host = this.#hosts.find(key)
    if (name === 'delayMs')
      return (host === undefined ? this.#usualDelay(key) : this.#throttle.effectiveDelay(host, this.#now()))
        .delayMs
    if (host === undefined) return 0
    if (name === 'queued') return this.#backlogs.length(host)
    return name === 'inFlight' ? this.#throttle.inFlight(host) : this.#throttle.readyAt(host)
  }

  /** Number of waiting items. */
  get queued(): number {
    return this.#queued
  }

  /** Takes one step per ready host. */
  counts(): HostCounts {
    const now = this.#now()
    while (this.#parked.earliest <= now) this.#placeFirst(this.#parked, now)
    return {
      queues: this.#hosts.size - this.#parked.size - this.#idle.size,
      queued: this.#queued,
      inFlight: this.#inFlight,
      delayed: this.#waiting.size - this.#waiting.countUntil(now),
      parked: this.#parked.size,
      idle: this.#idle.size,
    }
  }

  /** The throttle state of one host; `undefined` if there is none to keep. */
  stateOf(key: string): HostState | undefined {
    const now = this.#now()
    const host = this.#hosts.find(key)
    return host === undefined || this.#isExpired(host, now)
      ? undefined
      : this.#throttle.state(host, this.#hosts.keyOf(host), now)
  }

  /** The throttle state of all hosts, for the next process: a restart must not shorten a delay. It has no items. */
  snapshot(): HostState[] {
    const now = this.#now()
    const states: HostState[] = []
    for (const host of this.#hosts)
      if (this.#throttle.inFlight(host) > 0 || this.#throttle.forgetAt(host, this.#keepStateMs) > now)
        states.push(this.#throttle.state(host, this.#hosts.keyOf(host), now))
    return states
  }

  /** Restores a snapshot. Call it before the first `add()`. */
  restore(states: Iterable<HostState>): void {
    for (const state of states)
      this.#change(state.key, (host, now) => this.#throttle.restore(host, state, now))
  }

  #now(): number {
    this.#latest = Math.max(this.#latest, this.#clock.now())
    return this.#latest
  }

  #change(key: string, change: (host: number, now: number) => void): Expelled<T> | undefined {
    const now = this.#now()
    const host = this.#open(key, now)
    change(host, now)
    return this.#settle(host, now)
  }

  /** The index of the host, which is added if it is unknown or its state may be deleted. */
  #open(key: string, now: number): number {
    const known = this.#hosts.find(key)
    if (known !== undefined && !this.#isExpired(known, now)) return known
    if (known !== undefined) this.#forget(known)
    this.#deleteExpired(now)
    const limits = this.#limitsOf(key)
    const host = this.#hosts.add(key)
    this.#throttle.open(host, now, limits === this.#defaultLimits ? undefined : limits)
    if (this.#operatorDelays.has(key)) this.#throttle.setLimits(host, limits, true)
    this.#backlogs.open(host)
    return host
  }

  #limitsOf(key: string): HostLimits {
    const own = this.#overrides(key)
    const delayMs = this.#operatorDelays.get(key)
    if (own === undefined && delayMs === undefined) return this.#defaultLimits
    return hostLimits({ ...this.#common, ...own, ...(delayMs !== undefined && { delayMs }) }, key)
  }

  /** The delay of a host without state. */
  #usualDelay(key: string): EffectiveDelay {
    const { startGapMs, endGapMs } = this.#limitsOf(key)
    const setBy = this.#operatorDelays.has(key) ? 'operator' : 'config'
    return { delayMs: Math.max(startGapMs, endGapMs), setBy }
  }

  #end(taken: Taken<T>, outcome: HostOutcome, now: number): Ticket<T> {
    if (!(taken instanceof Ticket) || this.#hosts.keyOf(taken.host) !== taken.key)
      throw new Error(`there is no such item of ${taken.key} in flight`)
    const ticket: Ticket<T> = taken
    const { startedAt } = ticket
    if (startedAt === undefined) throw new Error(`an item of ${ticket.key} was released twice`)
    // First: it throws for an invalid outcome, and the ticket must then still be in flight.
    this.#throttle.ended(ticket.host, outcome, now, startedAt)
    ticket.startedAt = undefined
    this.#inFlight--
    return ticket
  }

  /** Called after a change to a host: empties the queue of a parked host and moves the host to its agenda. */
  #settle(host: number, now: number): Expelled<T> | undefined {
    const parked = this.#throttle.parking(host, now)
    if (parked !== undefined && !this.#backlogs.isEmpty(host)) return this.#drain(host, parked.reason, now)
    this.#place(host, now)
    return undefined
  }

  #drain(host: number, reason: string, now: number): Expelled<T> | undefined {
    if (this.#backlogs.isEmpty(host)) return undefined
    const items = this.#backlogs.drain(host)
    this.#queued -= items.length
    this.#place(host, now)
    return { key: this.#hosts.keyOf(host), reason, items }
  }

  #place(host: number, now: number): void {
    const parked = this.#throttle.parking(host, now)
    if (parked !== undefined) this.#parked.set(host, parked.until)
    else if (this.#isOpen(host)) {
      // It is ready since the end of its delay or since it got an item. The end of the delay may have become earlier.
      const since = Math.min(this.#waiting.timeOf(host) ?? now, now)
      this.#waiting.set(host, Math.max(since, this.#throttle.readyAt(host)))
    } else if (this.#isIdle(host)) this.#idle.set(host, this.#forgetAt(host))
    else this.#agendas.delete(host)
  }

  #placeFirst(agenda: Agenda, now: number): void {
    const host = agenda.first
    if (host !== undefined) this.#place(host, now)
  }

  /** Whether it has a waiting item and may have one more request in flight. */
  #isOpen(host: number): boolean {
    return !this.#backlogs.isEmpty(host) && this.#throttle.inFlight(host) < this.#throttle.maxInFlight(host)
  }

  #isReady(host: number, now: number): boolean {
    return this.#isOpen(host) && this.#throttle.readyAt(host) <= now && !this.#throttle.isParked(host, now)
  }

  #isIdle(host: number): boolean {
    return this.#backlogs.isEmpty(host) && this.#throttle.inFlight(host) === 0
  }

  #isExpired(host: number, now: number): boolean {
    return this.#isIdle(host) && this.#forgetAt(host) <= now
  }

  /** When the state of an idle host may be deleted. Later than its delay: its robots.txt may be in parsing, and may request a longer delay. */
  #forgetAt(host: number): number {
    return this.#throttle.forgetAt(host, this.#keepStateMs) + ROBOTS_PARSE_MS
  }

  /** Deletes the state of up to two expired hosts. Called for each new host, so that expired hosts do not accumulate. */
  #deleteExpired(now: number): void {
    for (let i = 0; i < 2; i++) {
      if (this.#parked.earliest <= now) this.#placeFirst(this.#parked, now)
      const host = this.#idle.earliest <= now ? this.#idle.first : undefined
      if (host !== undefined) this.#forget(host)
    }
  }

  #forget(host: number): void {
    this.#agendas.delete(host)
    this.#throttle.close(host)
    this.#hosts.delete(host)
  }
}

/** Figures of a host queue that a list of hosts can be sorted by. */
export type HostFigure = 'queued' | 'inFlight' | 'readyAt' | 'delayMs'

/** How long a robots.txt may take to be parsed. */
const ROBOTS_PARSE_MS = 30_000

const ADDED: AddResult = Object.freeze({ ok: true })
const FULL: AddResult = Object.freeze({ ok: false, reason: 'full' })
