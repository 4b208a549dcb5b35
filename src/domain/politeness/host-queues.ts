// A little over 300 lines: the types of the door stand here with it, and each method is a few lines.
import type { Clock } from '../../base/clock.ts'
import { Agenda, AgendaRows } from './agenda.ts'
import { HostIds } from './host-ids.ts'
import { type HostOptions, hostLimits } from './host-options.ts'
import type { HostOutcome } from './host-outcome.ts'
import { type HostState, HostThrottle } from './host-throttle.ts'
import { Backlogs, type Taken, Ticket } from './ticket.ts'

export interface HostQueuesOptions extends HostOptions {
  /** What differs for one key. Called when the key is first seen, and again after it was forgotten. */
  readonly overrides?: (key: string) => HostOptions | undefined
  /** Items held at once, waiting and in flight. @default 100000 */
  readonly maxItems?: number
  /** How long an idle host's failures and Crawl-delay are remembered after the end of its delay. @default 1800000 */
  readonly keepStateMs?: number
}

export type AddResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'full' }
  /** `why` is the reason the key was parked for; from `until` on its items are welcome again. */
  | { readonly ok: false; readonly reason: 'parked'; readonly why: string; readonly until: number }

/** No item may be requested now. */
export interface Wait {
  readonly kind: 'wait'
  /**
   * When `take()` will have something, if nothing else happens before (clock time; round up when setting a timer).
   * `undefined`: time alone will not do it, only an `add()`, `release()` or `requeue()`.
   */
  readonly until: number | undefined
}

/** Items that left a queue without a request, best first. Each is owed a record with the reason. */
export interface Expelled<T> {
  readonly key: string
  readonly reason: string
  readonly items: readonly T[]
}

/** For a status line. */
export interface HostCounts {
  /** Hosts with something waiting or in flight, parked ones left out. */
  readonly queues: number
  readonly queued: number
  readonly inFlight: number
  /** Hosts with items that wait for the end of the delay. */
  readonly resting: number
  readonly parked: number
  /** Hosts with nothing to do that are remembered for their rest or their history. */
  readonly idle: number
}

/**
 * The items of all hosts, each handed out as soon as its host allows and no sooner: Nutch's FetchItemQueues.
 * README.md has the picture. Promises, whatever the order of calls:
 *
 * - Between the end of a host's last request and its next `take()` lies at least the largest delay that is known at
 *   that `take()`; with `maxInFlight` above 1, `delayMs` lies between two starts; and never are more in flight than the
 *   host allows.
 * - The host that has been ready longest is served first, so none starves.
 * - No item is lost: each comes out by `take()`, or in an `Expelled` with a reason.
 * - Every call is O(log n) in the hosts and, amortised, in the items of one host; there are no timers and no scans,
 *   `drainAll`, `snapshot` and `counts` excepted.
 *
 * A clock that goes back counts as standing still until it has caught up. Use the steady one: it starts at the time of
 * day, so its times can be compared with Retry-After dates and with those of an earlier process.
 */
export class HostQueues<T> {
  readonly #clock: Clock
  readonly #common: HostOptions
  readonly #overrides: (key: string) => HostOptions | undefined
  readonly #maxItems: number
  readonly #keepStateMs: number
  readonly #hosts = new HostIds()
  readonly #throttle: HostThrottle
  readonly #backlogs = new Backlogs<T>()
  // A host is in exactly one of these, or in none while it can do nothing until a response ends.
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
    this.#throttle = new HostThrottle(hostLimits(hostOptions, 'politeness'))
    this.#overrides = overrides
    this.#maxItems = maxItems
    this.#keepStateMs = keepStateMs
  }

  /** Queues `item` under `key` (a host, a domain or an address). Higher priorities go first. */
  add(key: string, item: T, priority = 0): AddResult {
    if (Number.isNaN(priority)) throw new RangeError(`the priority of an item of ${key} is not a number`)
    if (this.#queued + this.#inFlight >= this.#maxItems) return FULL
    const now = this.#now()
    const slot = this.#open(key, now)
    const parked = this.#throttle.parking(slot, now)
    if (parked !== undefined) return { ok: false, reason: 'parked', why: parked.reason, until: parked.until }
    // The key as it is kept here: were each item to hold the caller's copy of it, all copies would stay in memory.
    this.#backlogs.add(new Ticket(this.#hosts.keyOf(slot), slot, item, priority))
    this.#queued++
    this.#place(slot, now)
    return ADDED
  }

  /** The next item that may be requested now, or the time of the next call. */
  take(): Taken<T> | Wait {
    const now = this.#now()
    const { earliest } = this.#waiting
    if (earliest > now)
      return { kind: 'wait', until: earliest === Number.POSITIVE_INFINITY ? undefined : earliest }
    const slot = this.#waiting.first ?? -1
    const ticket = this.#isReady(slot, now) ? this.#backlogs.take(slot) : undefined
    if (ticket === undefined) throw new Error('a host was due that had nothing to give')
    ticket.startedAt = now
    this.#throttle.began(slot, now)
    this.#queued--
    this.#inFlight++
    // Out and in again: a host that may have more in flight goes behind those that have waited longer.
    this.#agendas.delete(slot)
    this.#place(slot, now)
    return ticket
  }

  /** Ends what `take()` began: exactly once for each. The delay of the host starts here. */
  release(taken: Taken<T>, outcome: HostOutcome): Expelled<T> | undefined {
    const now = this.#now()
    const { slot } = this.#end(taken, outcome, now)
    return this.#settle(slot, now)
  }

  /** Ends what `take()` began, and queues the item again behind its equals: it was not its turn after all. */
  requeue(taken: Taken<T>, outcome: HostOutcome = { kind: 'not-sent' }): Expelled<T> | undefined {
    const now = this.#now()
    const ticket = this.#end(taken, outcome, now)
    this.#backlogs.add(ticket)
    this.#queued++
    return this.#settle(ticket.slot, now)
  }

  /** No request to `key` before `time`, as a Retry-After demands. It can only lengthen a delay. */
  delayUntil(key: string, time: number): Expelled<T> | undefined {
    return this.#change(key, (slot, now) => this.#throttle.delayUntil(slot, time, now))
  }

  /**
   * The Crawl-delay of the robots.txt of `key`; 0: none. It can slow the host down, never speed it up.
   * Call it with every verdict: a host that is forgotten has forgotten this too.
   */
  setCrawlDelay(key: string, ms: number): Expelled<T> | undefined {
    return this.#change(key, (slot, now) => this.#throttle.setCrawlDelay(slot, ms, now))
  }

  /** Empties the queue of `key` and refuses its items until `until`. */
  park(key: string, until: number, reason: string): Expelled<T> | undefined {
    return this.#change(key, (slot) => this.#throttle.park(slot, until, reason))
  }

  /** Empties the queue of `key`; what is in flight stays. */
  drain(key: string, reason: string): Expelled<T> | undefined {
    const slot = this.#hosts.find(key)
    return slot === undefined ? undefined : this.#drain(slot, reason, this.#now())
  }

  /** Empties every queue: the time is up. */
  drainAll(reason: string): Expelled<T>[] {
    const now = this.#now()
    return [...this.#hosts].flatMap((slot) => this.#drain(slot, reason, now) ?? [])
  }

  /** How often a host has requested another delay than before. Callers store each change at once. */
  get delayChanges(): number {
    return this.#throttle.delayChanges
  }

  /** The longest delay that items of `key` wait for. */
  maxDelayMs(key: string): number {
    return hostLimits({ ...this.#common, ...this.#overrides(key) }, key).maxDelayMs
  }

  /** Items that wait. */
  get queued(): number {
    return this.#queued
  }

  /** Costs one step per host that is ready. */
  counts(): HostCounts {
    const now = this.#now()
    while (this.#parked.earliest <= now) this.#placeFirst(this.#parked, now)
    return {
      queues: this.#hosts.size - this.#parked.size - this.#idle.size,
      queued: this.#queued,
      inFlight: this.#inFlight,
      resting: this.#waiting.size - this.#waiting.countUntil(now),
      parked: this.#parked.size,
      idle: this.#idle.size,
    }
  }

  /** The same of one host; `undefined` when nothing is known of it that matters. */
  stateOf(key: string): HostState | undefined {
    const now = this.#now()
    const slot = this.#hosts.find(key)
    return slot === undefined || this.#isForgettable(slot, now)
      ? undefined
      : this.#throttle.state(slot, this.#hosts.keyOf(slot), now)
  }

  /** What a later process must know so that no delay is shortened by the restart. Items are not in it. */
  snapshot(): HostState[] {
    const now = this.#now()
    const states: HostState[] = []
    for (const slot of this.#hosts)
      if (this.#throttle.inFlight(slot) > 0 || this.#throttle.forgetAt(slot, this.#keepStateMs) > now)
        states.push(this.#throttle.state(slot, this.#hosts.keyOf(slot), now))
    return states
  }

  /** Takes over a snapshot, before anything is added. */
  restore(states: Iterable<HostState>): void {
    for (const state of states)
      this.#change(state.key, (slot, now) => this.#throttle.restore(slot, state, now))
  }

  #now(): number {
    this.#latest = Math.max(this.#latest, this.#clock.now())
    return this.#latest
  }

  #change(key: string, change: (slot: number, now: number) => void): Expelled<T> | undefined {
    const now = this.#now()
    const slot = this.#open(key, now)
    change(slot, now)
    return this.#settle(slot, now)
  }

  /** The host of `key`, new when it is unknown or its time to be forgotten has come. */
  #open(key: string, now: number): number {
    const known = this.#hosts.find(key)
    if (known !== undefined && !this.#isForgettable(known, now)) return known
    if (known !== undefined) this.#forget(known)
    this.#tidy(now)
    const own = this.#overrides(key)
    const options = own === undefined ? undefined : hostLimits({ ...this.#common, ...own }, key)
    const slot = this.#hosts.add(key)
    this.#throttle.open(slot, now, options)
    this.#backlogs.open(slot)
    return slot
  }

  #end(taken: Taken<T>, outcome: HostOutcome, now: number): Ticket<T> {
    if (!(taken instanceof Ticket) || this.#hosts.keyOf(taken.slot) !== taken.key)
      throw new Error(`${taken.key} gave out no such item`)
    const ticket: Ticket<T> = taken
    const { startedAt } = ticket
    if (startedAt === undefined) throw new Error(`an item of ${ticket.key} was released twice`)
    // First: a bad outcome throws, and then the ticket is still owed its release.
    this.#throttle.ended(ticket.slot, outcome, now, startedAt)
    ticket.startedAt = undefined
    this.#inFlight--
    return ticket
  }

  /** After any change to a host: a parked one holds nothing, and the host goes where it now belongs. */
  #settle(slot: number, now: number): Expelled<T> | undefined {
    const parked = this.#throttle.parking(slot, now)
    if (parked !== undefined && !this.#backlogs.isEmpty(slot)) return this.#drain(slot, parked.reason, now)
    this.#place(slot, now)
    return undefined
  }

  #drain(slot: number, reason: string, now: number): Expelled<T> | undefined {
    if (this.#backlogs.isEmpty(slot)) return undefined
    const items = this.#backlogs.drain(slot)
    this.#queued -= items.length
    this.#place(slot, now)
    return { key: this.#hosts.keyOf(slot), reason, items }
  }

  #place(slot: number, now: number): void {
    const parked = this.#throttle.parking(slot, now)
    if (parked !== undefined) this.#parked.set(slot, parked.until)
    else if (this.#isOpen(slot)) {
      // Ready since: the end of its delay, or the moment it got an item. A time to come may have moved to an earlier one.
      const since = Math.min(this.#waiting.timeOf(slot) ?? now, now)
      this.#waiting.set(slot, Math.max(since, this.#throttle.readyAt(slot)))
    } else if (this.#isIdle(slot)) this.#idle.set(slot, this.#forgetAt(slot))
    else this.#agendas.delete(slot)
  }

  #placeFirst(agenda: Agenda, now: number): void {
    const slot = agenda.first
    if (slot !== undefined) this.#place(slot, now)
  }

  /** Whether only time stands between it and the next `take()`: it has an item and a free place in flight. */
  #isOpen(slot: number): boolean {
    return !this.#backlogs.isEmpty(slot) && this.#throttle.inFlight(slot) < this.#throttle.maxInFlight(slot)
  }

  #isReady(slot: number, now: number): boolean {
    return this.#isOpen(slot) && this.#throttle.readyAt(slot) <= now && !this.#throttle.isParked(slot, now)
  }

  #isIdle(slot: number): boolean {
    return this.#backlogs.isEmpty(slot) && this.#throttle.inFlight(slot) === 0
  }

  #isForgettable(slot: number, now: number): boolean {
    return this.#isIdle(slot) && this.#forgetAt(slot) <= now
  }

  /** Not at the end of its delay: its robots.txt may be in parsing, and may request a longer delay. */
  #forgetAt(slot: number): number {
    return this.#throttle.forgetAt(slot, this.#keepStateMs) + UNDER_STUDY_MS
  }

  /** Each newcomer clears away up to two of those whose time has come, so they never pile up. */
  #tidy(now: number): void {
    for (let i = 0; i < 2; i++) {
      if (this.#parked.earliest <= now) this.#placeFirst(this.#parked, now)
      const slot = this.#idle.earliest <= now ? this.#idle.first : undefined
      if (slot !== undefined) this.#forget(slot)
    }
  }

  #forget(slot: number): void {
    this.#agendas.delete(slot)
    this.#throttle.close(slot)
    this.#hosts.delete(slot)
  }
}

/** As long as the longest Crawl-delay that is obeyed, as a rule. */
const UNDER_STUDY_MS = 30_000

const ADDED: AddResult = Object.freeze({ ok: true })
const FULL: AddResult = Object.freeze({ ok: false, reason: 'full' })
