import type { Clock } from '../../base/clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import { isRepeatable } from '../fetch/fetch-outcome.ts'
import type { Fetcher, FetchRequest } from '../fetch/fetcher.ts'
import type {
  ObservedLimits,
  ObservedRequest,
  ObservedRobots,
  RequestObserver,
} from '../fetch/request-observer.ts'
import { type HostOutcome, hostOutcomeOf } from './host-outcome.ts'
import {
  type Expelled,
  type HostCounts,
  type HostFigure,
  HostQueues,
  type HostQueuesOptions,
  type QueuedHost,
} from './host-queues.ts'
import type { HostState } from './host-throttle.ts'
import { blockedOutcome } from './polite-result.ts'
import type { Taken } from './ticket.ts'

/** A request that waits in the queue of its host. For each `add`, exactly one of the two methods is called, once. */
export interface Waiter {
  readonly key: string
  readonly priority: number
  /** ms since the epoch, for the observer. */
  readonly queuedAt: number
  /** Another request waits for it, and has a thread: it is granted within `urgentThreads`, too. @default false */
  readonly isUrgent?: boolean
  /** The slot is granted. Call `send` or `pass`, once; the slot stays active until the promise is fulfilled. */
  granted(slot: Slot): Promise<void>
  /** No slot will be granted: the host is parked (`until`: ms since the epoch), or all waiters are cancelled. */
  rejected(why: string, until?: number): void
}

/** Permission to send one request to one host now. */
export interface Slot {
  /** Rejects for a request that cannot be sent; the slot is then free again. */
  send(request: FetchRequest, options?: SendOptions): Promise<FetchOutcome>
  /** Gives the slot back: no request was sent, so no delay follows. */
  pass(): void
}

export interface SendOptions {
  /** Whether a `repeatable` failure is followed by a second request, in the next slot of the host. @default true */
  readonly mayRepeat?: boolean
  /** @default 'page' */
  readonly purpose?: ObservedRequest['purpose']
  /** The robots.txt that allowed the request, for the observer. */
  readonly robots?: ObservedRobots | undefined
}

export interface FetchSlotsOptions {
  /** Maximum number of active slots. */
  readonly threads: number
  /** Further slots for urgent requests. Needed when slots stay active while such requests wait: else all could wait for ever. @default 0 */
  readonly urgentThreads?: number
  /** A request that has not ended after this is aborted by `abortHung`. @default 300000 */
  readonly hungAfterMs?: number
  readonly keyOf: (url: string) => string
  readonly politeness: Omit<HostQueuesOptions, 'maxItems'>
  /** Whether this worker owns the host now. @default always */
  readonly mayRequest?: (key: string) => boolean
  /** @default none */
  readonly observer?: RequestObserver
}

/** Grants slots to waiting requests: at most `threads` at once, each as soon as the delay of its host is over. */
export class FetchSlots {
  readonly #clock: Clock
  readonly #fetcher: Fetcher
  readonly #options: FetchSlotsOptions
  readonly #queues: HostQueues<Waiter>
  readonly #inFlight = new Set<SentRequest>()
  /** Controllers that were not aborted are reused: creating one is the most expensive step here. */
  readonly #spareControllers: AbortController[] = []
  readonly #hungAfterMs: number
  /** Urgent requests that wait, by host. */
  readonly #urgent = new Map<string, number>()
  #active = 0
  #cancelTimer = (): void => {}
  /** The time of the timer. */
  #wakeAt = Number.POSITIVE_INFINITY
  #willGrant = false
  /** While it is paused: resolves at its end, to `false` if the waiting requests are cancelled. */
  #pause: PromiseWithResolvers<boolean> | undefined

  constructor(clock: Clock, fetcher: Fetcher, options: FetchSlotsOptions) {
    this.#clock = clock
    this.#fetcher = fetcher
    this.#options = options
    this.#hungAfterMs = options.hungAfterMs ?? 300_000
    // Callers limit what they add. A redirect or a robots.txt must never be rejected because the queues are full.
    this.#queues = new HostQueues(clock, { ...options.politeness, maxItems: Number.POSITIVE_INFINITY })
  }

  get active(): number {
    return this.#active
  }

  /** Grows by 1 when a host requests a different delay. */
  get delayChanges(): number {
    return this.#queues.delayChanges
  }

  /** Requests that wait for a slot. */
  get queued(): number {
    return this.#queues.queued
  }

  counts(): HostCounts {
    return this.#queues.counts()
  }

  /** The keys of all hosts whose state is kept. */
  hosts(): Iterable<string> {
    return this.#queues.keys()
  }

  hasHost(key: string): boolean {
    return this.#queues.has(key)
  }

  host(key: string): QueuedHost {
    return this.#queues.describe(key)
  }

  hostFigure(key: string, name: HostFigure): number {
    return this.#queues.figure(key, name)
  }

  get isPaused(): boolean {
    return this.#pause !== undefined
  }

  /** Sends no request until `unpause`. Requests in flight are finished, and the others stay queued. */
  pause(): void {
    this.#pause ??= Promise.withResolvers()
  }

  unpause(): void {
    this.#pause?.resolve(true)
    this.#pause = undefined
    this.#wake()
  }

  /** @throws RangeError for a number that is not finite or is negative */
  setOperatorDelay(key: string, ms: number | undefined): void {
    this.#addAgain(this.#queues.setOperatorDelay(key, ms))
    this.#wake()
  }

  /** The throttle state of all hosts, so that a restart shortens no delay. */
  hostStates(): HostState[] {
    return this.#queues.snapshot()
  }

  /** The throttle state of one host; `undefined` if there is none to keep. */
  stateOf(key: string): HostState | undefined {
    return this.#queues.stateOf(key)
  }

  /** Restores the throttle states of an earlier process. */
  restore(states: Iterable<HostState>): void {
    this.#queues.restore(states)
  }

  add(waiter: Waiter): void {
    const added = this.#queues.add(waiter.key, waiter, waiter.priority)
    if (added.ok && waiter.isUrgent) this.#urgent.set(waiter.key, (this.#urgent.get(waiter.key) ?? 0) + 1)
    if (added.ok) this.#wake()
    else if (added.reason === 'parked') waiter.rejected(added.why, added.until)
    else throw new Error('the host queues are full although they have no limit')
  }

  /** Sends one request for robots.txt, before all others of its host. The outcome is `blocked` if no slot is granted. */
  fetchRobots(request: FetchRequest): Promise<FetchOutcome> {
    return new Promise((settle, fail) => {
      const { url } = request
      this.add({
        key: this.#options.keyOf(url),
        priority: Number.POSITIVE_INFINITY,
        isUrgent: true,
        queuedAt: this.#clock.now(),
        granted: (slot) => slot.send(request, { purpose: 'robots' }).then(settle, fail),
        rejected: (reason, until) => settle(blockedOutcome(url, this.#clock.now(), reason, until)),
      })
    })
  }

  /** Sends a request of a page that is being rendered, before the waiting pages of its host. Its page has a thread already. */
  fetchData(request: FetchRequest, robots: ObservedRobots | undefined): Promise<FetchOutcome> {
    return new Promise((settle, fail) => {
      const { url } = request
      this.add({
        key: this.#options.keyOf(url),
        // Below robots.txt: the next page of the host may wait for that.
        priority: Number.MAX_VALUE,
        isUrgent: true,
        queuedAt: this.#clock.now(),
        granted: (slot) => slot.send(request, { purpose: 'data', robots }).then(settle, fail),
        rejected: (reason, until) => settle(blockedOutcome(url, this.#clock.now(), reason, until)),
      })
    })
  }

  /**
   * Sends the request for a script or stylesheet of a page that is being rendered. It belongs to the request of its page, so it waits for no
   * delay; but while the host is parked or demands a longer delay than usual, it waits as all others.
   */
  async fetchAsset(request: FetchRequest, robots: ObservedRobots | undefined): Promise<FetchOutcome> {
    const key = this.#options.keyOf(request.url)
    const { parked, delay } = this.#queues.describe(key)
    const isStrained = parked !== undefined || delay.setBy === 'back-off' || delay.setBy === 'retry-after'
    if (isStrained) return this.fetchData(request, robots)
    if (!this.mayRequest(key))
      return blockedOutcome(request.url, this.#clock.now(), `another worker owns ${key}`)
    while (this.#pause !== undefined)
      if (!(await this.#pause.promise)) return unsentOutcome(request.url, this.#clock.now())
    const now = this.#clock.now()
    const limits = { startGapMs: 0, endGapMs: 0, maxInFlight: Number.MAX_SAFE_INTEGER }
    const sent = this.#sentRequest(request, { key, queuedAt: now, purpose: 'asset', robots, limits })
    return this.#sendNow(sent, request, (outcome) => {
      if (outcome?.kind === 'rate-limited' && outcome.retryAt !== undefined)
        this.#addAgain(this.#queues.delayUntil(key, outcome.retryAt))
    })
  }

  /** The longest delay for which requests to the host stay queued. */
  maxDelayMs(key: string): number {
    return this.#queues.maxDelayMs(key)
  }

  setCrawlDelay(key: string, ms: number): void {
    this.#addAgain(this.#queues.setCrawlDelay(key, ms))
  }

  /** Rejects all waiters. Requests in flight are finished. */
  cancelWaiting(why: string): void {
    const drained = this.#queues.drainAll(why)
    this.#urgent.clear()
    for (const { items } of drained) for (const waiter of items) waiter.rejected(why)
    if (this.#pause !== undefined) {
      this.#pause.resolve(false)
      this.#pause = Promise.withResolvers()
    }
    // Clears the timer, which would keep the process alive.
    this.#wake()
  }

  /** Aborts every request in flight. */
  abort(): void {
    for (const { controller } of this.#inFlight) controller.abort()
  }

  /** Whether this worker may send requests to the host. */
  mayRequest(key: string): boolean {
    return this.#options.mayRequest?.(key) ?? true
  }

  /** Aborts requests that take too long, and those to hosts that this worker no longer owns. */
  abortHung(): void {
    const now = this.#clock.now()
    for (const sent of this.#inFlight) {
      if (!this.mayRequest(sent.key)) sent.controller.abort()
      // They wait for a proxy, and have not been sent.
      if (this.#fetcher.isWaiting === true) sent.activeAt = now
      if (sent.activeAt > now - sent.hungAfterMs || sent.hung) continue
      sent.hung = true
      sent.controller.abort()
    }
  }

  /** Grants slots in a microtask, because it is called while a slot is active. */
  #wake(): void {
    if (this.#willGrant) return
    this.#willGrant = true
    queueMicrotask(() => this.#grantReady())
  }

  #grantReady(): void {
    this.#willGrant = false
    while (this.#active < this.#options.threads && this.#pause === undefined) {
      const next = this.#queues.take()
      if (next.kind === 'taken') void this.#grant(next)
      else {
        this.#grantAt(next.until ?? Number.POSITIVE_INFINITY)
        return
      }
    }
    // Called again when an active request ends, or the pause.
    this.#grantAt(this.#pause === undefined ? this.#grantUrgent() : Number.POSITIVE_INFINITY)
  }

  /** Grants slots to urgent requests when all threads are active. Returns when to call it again. */
  #grantUrgent(): number {
    const { threads, urgentThreads = 0 } = this.#options
    let next = Number.POSITIVE_INFINITY
    if (urgentThreads === 0) return next
    for (const key of [...this.#urgent.keys()]) {
      if (this.#active >= threads + urgentThreads) return Number.POSITIVE_INFINITY
      const taken = this.#queues.takeOf(key)
      if (taken.kind === 'taken') void this.#grant(taken)
      if (this.#urgent.has(key)) next = Math.min(next, this.#queues.readyAt(key))
    }
    return next
  }

  /** Sets the timer, unless it has this time already, as in most cases. */
  #grantAt(time: number): void {
    if (time === this.#wakeAt) return
    this.#cancelTimer()
    this.#wakeAt = time
    if (time === Number.POSITIVE_INFINITY) return
    // Rounded up: a timer that fires a fraction of a millisecond early would have to be set again.
    const ms = Math.max(0, Math.ceil(time - this.#clock.now()))
    this.#cancelTimer = this.#clock.after(ms, () => {
      this.#wakeAt = Number.POSITIVE_INFINITY
      this.#wake()
    })
  }

  async #grant(taken: Taken<Waiter>): Promise<void> {
    this.#active++
    if (taken.item.isUrgent) this.#leftQueue(taken.key)
    const grant: Grant = { taken, sent: undefined }
    await taken.item.granted({
      send: (request, options = {}) => this.#sendOrRepeat(grant, request, options),
      pass: () => this.#addAgain(this.#queues.release(taken, { kind: 'not-sent' })),
    })
    this.#active--
    if (grant.sent !== undefined) this.#options.observer?.processed?.(grant.sent)
    this.#wake()
  }

  async #sendOrRepeat(grant: Grant, request: FetchRequest, options: SendOptions): Promise<FetchOutcome> {
    const outcome = await this.#send(grant, request, options)
    return options.mayRepeat !== false && isRepeatable(outcome)
      ? this.#repeat(request, outcome, options)
      : outcome
  }

  /**
   * Sends a request once more, in the next slot of the host and not at once, because the server may have read the first one. The thread is
   * free meanwhile.
   */
  async #repeat(request: FetchRequest, failed: FetchOutcome, options: SendOptions): Promise<FetchOutcome> {
    const { url } = request
    const { promise, resolve, reject } = Promise.withResolvers<FetchOutcome>()
    this.#active--
    this.add({
      key: this.#options.keyOf(url),
      priority: Number.POSITIVE_INFINITY,
      queuedAt: this.#clock.now(),
      granted: (slot) => slot.send(request, { ...options, mayRepeat: false }).then(resolve, reject),
      rejected: (detail, until) => resolve(until === undefined ? abortedOutcome(failed, detail) : failed),
    })
    try {
      return await promise
    } finally {
      this.#active++
    }
  }

  async #send(
    grant: Grant,
    request: FetchRequest,
    { purpose = 'page', robots }: SendOptions,
  ): Promise<FetchOutcome> {
    const { taken } = grant
    const { key } = taken
    if (!this.mayRequest(key)) {
      this.#addAgain(this.#queues.release(taken, { kind: 'not-sent' }))
      return blockedOutcome(request.url, this.#clock.now(), `another worker owns ${key}`)
    }
    // The pause began between the grant and this call, which may be long: request hooks run there.
    while (this.#pause !== undefined)
      if (!(await this.#pause.promise)) {
        this.#addAgain(this.#queues.release(taken, { kind: 'not-sent' }))
        return unsentOutcome(request.url, this.#clock.now())
      }
    const limits = this.#queues.limitsOf(taken)
    const { queuedAt } = taken.item
    const sent = this.#sentRequest(request, { key, queuedAt, purpose, robots, limits })
    grant.sent = sent
    return this.#sendNow(sent, request, (outcome) => {
      // Without an outcome the fetcher has rejected the request, so no delay follows.
      const hostOutcome: HostOutcome = outcome === undefined ? { kind: 'not-sent' } : hostOutcomeOf(outcome)
      this.#addAgain(this.#queues.release(taken, hostOutcome))
      sent.delayMs = this.#queues.delayMsOf(taken)
      sent.parkedUntil = this.#queues.parkedUntilOf(taken)
    })
  }

  #sentRequest(
    { url, method = 'GET', validators, timeoutMs = 0 }: FetchRequest,
    known: Pick<SentRequest, 'key' | 'queuedAt' | 'purpose' | 'robots' | 'limits'>,
  ): SentRequest {
    const startedAt = this.#clock.now()
    return {
      url,
      ...known,
      controller: this.#spareControllers.pop() ?? new AbortController(),
      startedAt,
      activeAt: startedAt,
      endedAt: 0,
      method,
      isConditional: validators !== undefined,
      delayMs: 0,
      parkedUntil: undefined,
      hung: false,
      // A request that may take longer, such as that for a large file, has a limit of its own.
      hungAfterMs: Math.max(this.#hungAfterMs, timeoutMs),
    }
  }

  /** @param release called with the outcome, or with `undefined` if the request is invalid: the delay of the host counts from then */
  async #sendNow(
    sent: SentRequest,
    request: FetchRequest,
    release: (outcome: FetchOutcome | undefined) => void,
  ): Promise<FetchOutcome> {
    this.#inFlight.add(sent)
    const { observer } = this.#options
    observer?.sent(sent)
    let outcome: FetchOutcome | undefined
    const { signal } = sent.controller
    const mayBeSent = () => this.mayRequest(sent.key)
    try {
      outcome = whyAborted(await this.#fetcher.fetch({ ...request, signal, mayBeSent }), sent)
      return outcome
    } finally {
      // Before the release, from which the delay counts.
      sent.endedAt = this.#clock.now()
      release(outcome)
      this.#inFlight.delete(sent)
      observer?.ended(sent, outcome)
      if (!signal.aborted) this.#spareControllers.push(sent.controller)
      // The next slot of the host does not wait until this response is processed.
      this.#wake()
    }
  }

  /** Adds the waiters of a parked host again, which rejects them with the reason and the end of the parking. */
  #addAgain(expelled: Expelled<Waiter> | undefined): void {
    for (const waiter of expelled?.items ?? []) {
      if (waiter.isUrgent) this.#leftQueue(waiter.key)
      this.add(waiter)
    }
  }

  #leftQueue(key: string): void {
    const left = (this.#urgent.get(key) ?? 0) - 1
    if (left > 0) this.#urgent.set(key, left)
    else this.#urgent.delete(key)
  }
}

/** A granted slot, and the request that it was used for. */
interface Grant {
  readonly taken: Taken<Waiter>
  sent: SentRequest | undefined
}

interface SentRequest extends ObservedRequest {
  readonly controller: AbortController
  /** When it started, or last waited for a proxy (ms since the epoch). */
  activeAt: number
  endedAt: number
  readonly limits: ObservedLimits
  readonly robots: ObservedRobots | undefined
  delayMs: number
  parkedUntil: number | undefined
  hung: boolean
  readonly hungAfterMs: number
}

/** This process stopped before the request was sent. */
function unsentOutcome(url: string, now: number): FetchOutcome {
  const timings = { startedAt: now, totalMs: 0 }
  return { kind: 'network-failure', cause: 'aborted', url, timings, detail: 'not sent' }
}

function abortedOutcome({ url, timings }: FetchOutcome, detail: string): FetchOutcome {
  return { kind: 'network-failure', cause: 'aborted', url, timings, detail }
}

/** An abort because of a slow server is a failure of the server. */
function whyAborted(outcome: FetchOutcome, { hung, hungAfterMs }: SentRequest): FetchOutcome {
  if (!hung || outcome.kind !== 'network-failure') return outcome
  const { url, timings } = outcome
  return { kind: 'too-slow', url, timings, detail: `aborted: no end after ${hungAfterMs / 1000} s` }
}
