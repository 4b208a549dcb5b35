import type { Clock } from '../../base/clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import { isRepeatable } from '../fetch/fetch-outcome.ts'
import type { Fetcher, FetchRequest } from '../fetch/fetcher.ts'
import { type HostOutcome, hostOutcomeOf } from './host-outcome.ts'
import { type Expelled, type HostCounts, HostQueues, type HostQueuesOptions } from './host-queues.ts'
import type { HostState } from './host-throttle.ts'
import { blockedOutcome } from './polite-result.ts'
import type { Taken } from './ticket.ts'

/** Something that waits for its turn in the queue of a host. Exactly one of the two is called, once for each `add`. */
export interface Waiter {
  readonly key: string
  readonly priority: number
  /** Its turn has come. It must either `ask` or `pass`, once; the consumer is free again when the promise is fulfilled. */
  granted(slot: Slot): Promise<void>
  /** Its turn will not come: the host is parked (`until`: ms since the epoch), or everybody is sent home. */
  rejected(why: string, until?: number): void
}

/** The right to one request to one host, now. */
export interface Slot {
  /**
   * Rejects for a request that cannot be sent; the slot is then free again.
   * @param mayRepeat whether a `repeatable` failure is followed by a second request, in the host's next turn. @default true
   */
  send(request: FetchRequest, mayRepeat?: boolean): Promise<FetchOutcome>
  /** Gives the turn up: no request was made, so no rest is due. */
  pass(): void
}

export interface FetchSlotsOptions {
  /** Waiters served at once. */
  readonly threads: number
  /** A request that has not ended after this is aborted by `abortHung`. @default 300000 */
  readonly hungAfterMs?: number
  readonly keyOf: (url: string) => string
  readonly politeness: Omit<HostQueuesOptions, 'maxItems'>
  /** Whether a host is ours to ask, at this very moment; it may have become another process's. @default always */
  readonly mayRequest?: (key: string) => boolean
}

/** The consumers: at most `threads` waiters are served at once, each when its host allows. */
export class FetchSlots {
  readonly #clock: Clock
  readonly #fetcher: Fetcher
  readonly #options: FetchSlotsOptions
  readonly #queues: HostQueues<Waiter>
  readonly #asking = new Set<Asking>()
  /** For requests to come: one that was not aborted is as good as new, and to make one costs more than all else here. */
  readonly #spareControllers: AbortController[] = []
  readonly #hungAfterMs: number
  #active = 0
  #cancelTimer = (): void => {}
  /** When the timer rings. */
  #wakeAt = Number.POSITIVE_INFINITY
  #willServe = false

  constructor(clock: Clock, fetcher: Fetcher, options: FetchSlotsOptions) {
    this.#clock = clock
    this.#fetcher = fetcher
    this.#options = options
    this.#hungAfterMs = options.hungAfterMs ?? 300_000
    // Who adds bounds what is added: a redirect or a robots.txt must never be refused for want of room.
    this.#queues = new HostQueues(clock, { ...options.politeness, maxItems: Number.POSITIVE_INFINITY })
  }

  get active(): number {
    return this.#active
  }

  /** How often a host has asked for another rest than before. */
  get delayChanges(): number {
    return this.#queues.delayChanges
  }

  /** Those who wait for their turn. */
  get queued(): number {
    return this.#queues.queued
  }

  counts(): HostCounts {
    return this.#queues.counts()
  }

  /** What the next process must know so that no delay is shortened by a restart. */
  hostStates(): HostState[] {
    return this.#queues.snapshot()
  }

  /** How one host stands, for whoever asks it next. */
  stateOf(key: string): HostState | undefined {
    return this.#queues.stateOf(key)
  }

  /** Takes over what the last process knew. */
  restore(states: Iterable<HostState>): void {
    this.#queues.restore(states)
  }

  add(waiter: Waiter): void {
    const added = this.#queues.add(waiter.key, waiter, waiter.priority)
    if (added.ok) this.#wake()
    else if (added.reason === 'parked') waiter.rejected(added.why, added.until)
    else throw new Error('the host queues have no limit, and yet are full')
  }

  /** One request, ahead of all others of its host. `blocked` when its turn will not come. */
  fetch(request: FetchRequest): Promise<FetchOutcome> {
    return new Promise((settle, fail) => {
      const { url } = request
      this.add({
        key: this.#options.keyOf(url),
        priority: Number.POSITIVE_INFINITY,
        granted: (slot) => slot.send(request).then(settle, fail),
        rejected: (reason, until) => settle(blockedOutcome(url, this.#clock.now(), reason, until)),
      })
    })
  }

  /** The longest delay that is waited for. */
  maxDelayMs(key: string): number {
    return this.#queues.maxDelayMs(key)
  }

  setCrawlDelay(key: string, ms: number): void {
    this.#addAgain(this.#queues.setCrawlDelay(key, ms))
  }

  /** Sends everybody home who still waits. What is being asked goes on. */
  cancelWaiting(why: string): void {
    for (const { items } of this.#queues.drainAll(why)) for (const waiter of items) waiter.rejected(why)
    // Nobody is left to wait for: no timer keeps the process alive.
    this.#wake()
  }

  /** Breaks off every request that is under way. */
  abort(): void {
    for (const { controller } of this.#asking) controller.abort()
  }

  /** Whether the host is ours to ask. */
  mayRequest(key: string): boolean {
    return this.#options.mayRequest?.(key) ?? true
  }

  /** Breaks off the requests that should have ended long ago, and those to hosts that are no longer ours. */
  abortHung(): void {
    const latest = this.#clock.now() - this.#hungAfterMs
    for (const asking of this.#asking) {
      if (!this.mayRequest(asking.key)) asking.controller.abort()
      if (asking.startedAt > latest || asking.hung) continue
      asking.hung = true
      asking.controller.abort()
    }
  }

  /** Soon, not at once: it is called from within what is being served. */
  #wake(): void {
    if (this.#willServe) return
    this.#willServe = true
    queueMicrotask(() => this.#serve())
  }

  #serve(): void {
    this.#willServe = false
    while (this.#active < this.#options.threads) {
      const next = this.#queues.take()
      if (next.kind === 'taken') void this.#serveOne(next)
      else {
        this.#serveAt(next.until ?? Number.POSITIVE_INFINITY)
        return
      }
    }
    // Whoever is served wakes us.
    this.#serveAt(Number.POSITIVE_INFINITY)
  }

  /** Sets the timer, unless it is set so already, as it mostly is: who comes next seldom changes when somebody else was served. */
  #serveAt(time: number): void {
    if (time === this.#wakeAt) return
    this.#cancelTimer()
    this.#wakeAt = time
    if (time === Number.POSITIVE_INFINITY) return
    // Rounded up: a timer that rings a fraction early would only find that it must wait again.
    const ms = Math.max(0, Math.ceil(time - this.#clock.now()))
    this.#cancelTimer = this.#clock.after(ms, () => {
      this.#wakeAt = Number.POSITIVE_INFINITY
      this.#wake()
    })
  }

  async #serveOne(taken: Taken<Waiter>): Promise<void> {
    this.#active++
    await taken.item.granted({
      send: (request, mayRepeat = true) => this.#ask(taken, request, mayRepeat),
      pass: () => this.#addAgain(this.#queues.release(taken, { kind: 'not-sent' })),
    })
    this.#active--
    this.#wake()
  }

  async #ask(taken: Taken<Waiter>, request: FetchRequest, mayRepeat: boolean): Promise<FetchOutcome> {
    const outcome = await this.#send(taken, request)
    return mayRepeat && isRepeatable(outcome) ? this.#repeat(request, outcome) : outcome
  }

  /**
   * Sends a request once more, in the host's next turn and not at once: the server may have read the first one. Another waiter is served
   * meanwhile.
   */
  async #repeat(request: FetchRequest, failed: FetchOutcome): Promise<FetchOutcome> {
    const { url } = request
    const { promise, resolve, reject } = Promise.withResolvers<FetchOutcome>()
    this.#active--
    this.add({
      key: this.#options.keyOf(url),
      priority: Number.POSITIVE_INFINITY,
      granted: (slot) => slot.send(request, false).then(resolve, reject),
      rejected: (detail, until) => resolve(until === undefined ? abortedOutcome(failed, detail) : failed),
    })
    try {
      return await promise
    } finally {
      this.#active++
    }
  }

  async #send(taken: Taken<Waiter>, request: FetchRequest): Promise<FetchOutcome> {
    const { key } = taken
    if (!this.mayRequest(key)) {
      this.#addAgain(this.#queues.release(taken, { kind: 'not-sent' }))
      return blockedOutcome(request.url, this.#clock.now(), `another worker owns ${key}`)
    }
    const asking: Asking = {
      key,
      controller: this.#spareControllers.pop() ?? new AbortController(),
      startedAt: this.#clock.now(),
      hung: false,
    }
    this.#asking.add(asking)
    const { signal } = asking.controller
    const mayBeSent = () => this.mayRequest(key)
    // As long as there is no outcome, the request cannot be sent, and the slot of its host is free again.
    let hostOutcome: HostOutcome = { kind: 'not-sent' }
    try {
      const outcome = whyAborted(
        await this.#fetcher.fetch({ ...request, signal, mayBeSent }),
        asking,
        this.#hungAfterMs,
      )
      hostOutcome = hostOutcomeOf(outcome)
      return outcome
    } finally {
      this.#addAgain(this.#queues.release(taken, hostOutcome))
      this.#asking.delete(asking)
      if (!signal.aborted) this.#spareControllers.push(asking.controller)
      // The host's next turn need not wait for what becomes of this response.
      this.#wake()
    }
  }

  /** Who was expelled because the host is parked now learns why, and until when, by asking to be let in again. */
  #addAgain(expelled: Expelled<Waiter> | undefined): void {
    for (const waiter of expelled?.items ?? []) this.add(waiter)
  }
}

interface Asking {
  readonly key: string
  readonly controller: AbortController
  readonly startedAt: number
  hung: boolean
}

function abortedOutcome({ url, timings }: FetchOutcome, detail: string): FetchOutcome {
  return { kind: 'network-failure', cause: 'aborted', url, timings, detail }
}

/** We broke it off, but the server made us. */
function whyAborted(outcome: FetchOutcome, { hung }: Asking, hungAfterMs: number): FetchOutcome {
  if (!hung || outcome.kind !== 'network-failure') return outcome
  const { url, timings } = outcome
  return { kind: 'too-slow', url, timings, detail: `broken off: no end after ${hungAfterMs / 1000} s` }
}
