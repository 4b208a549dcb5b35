import type { Clock } from '../../base/clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import { isRepeatable } from '../fetch/fetch-outcome.ts'
import type { Fetcher, FetchRequest } from '../fetch/fetcher.ts'
import type { ObservedRobots, RequestObserver } from '../fetch/request-observer.ts'
import type { SendOptions, Waiter } from './fetch-slot.ts'
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
import { InFlightRequests, type SentRequest } from './in-flight-requests.ts'
import { blockedOutcome } from './polite-result.ts'
import type { Taken } from './ticket.ts'
import { WakeTimer } from './wake-timer.ts'

/** Concurrency and politeness of the requests of a crawl. */
export interface FetchSlotsOptions {
  /** Maximum number of active slots. */
  readonly threads: number
  /** Further slots for urgent requests. Needed when slots stay active while such requests wait: else all could wait for ever. @default 0 */
  readonly urgentThreads?: number
  /** A request that has not ended after this is aborted by `abortHung`. @default 300000 */
  readonly hungAfterMs?: number
  /** The host queue of a URL. `queueKey` of orbweaver/url returns it by host, domain or address. */
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
  readonly #options: FetchSlotsOptions
  readonly #queues: HostQueues<Waiter>
  readonly #inFlight: InFlightRequests
  /** Urgent requests that wait, by host. */
  readonly #urgent = new Map<string, number>()
  #active = 0
  readonly #timer: WakeTimer
  #willGrant = false
  /** While it is paused: resolves at its end, to `false` if the waiting requests are cancelled. */
  #pause: PromiseWithResolvers<boolean> | undefined

  constructor(clock: Clock, fetcher: Fetcher, options: FetchSlotsOptions) {
    this.#clock = clock
    this.#options = options
    this.#inFlight = new InFlightRequests(clock, fetcher, {
      ...options,
      mayRequest: (key) => this.mayRequest(key),
      isWaitedFor: (key) => this.#queues.figure(key, 'queued') > 0,
      // The next slot of the host does not wait until this response is processed.
      onEnded: () => this.#wake(),
    })
    this.#timer = new WakeTimer(clock, () => this.#wake())
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
    return this.#fetchUrgent(request, Number.POSITIVE_INFINITY, { purpose: 'robots' })
  }

  /** Sends a request of a page that is being rendered, before the waiting pages of its host. Its page has a thread already. */
  fetchData(request: FetchRequest, robots: ObservedRobots | undefined): Promise<FetchOutcome> {
    // Below robots.txt: the next page of the host may wait for that.
    return this.#fetchUrgent(request, Number.MAX_VALUE, { purpose: 'data', robots })
  }

  #fetchUrgent(request: FetchRequest, priority: number, options: SendOptions): Promise<FetchOutcome> {
    return new Promise((settle, fail) => {
      const { url } = request
      this.add({
        key: this.#options.keyOf(url),
        ...{ priority, isUrgent: true, queuedAt: this.#clock.now() },
        granted: (slot) => slot.send(request, options).then(settle, fail),
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
    const startedAt = this.#clock.now()
    const limits = { startGapMs: 0, endGapMs: 0, maxInFlight: Number.MAX_SAFE_INTEGER }
    const known = { key, queuedAt: startedAt, startedAt, purpose: 'asset', robots, limits } as const
    const sent = this.#inFlight.start(request, known)
    return this.#inFlight.send(sent, request, (outcome) => {
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
    this.#inFlight.abort()
  }

  /** Whether this worker may send requests to the host. */
  mayRequest(key: string): boolean {
    return this.#options.mayRequest?.(key) ?? true
  }

  /** Aborts requests that take too long, and those to hosts that this worker no longer owns. */
  abortHung(): void {
    this.#inFlight.abortHung()
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
        this.#timer.set(next.until ?? Number.POSITIVE_INFINITY)
        return
      }
    }
    // Called again when an active request ends, or the pause.
    this.#timer.set(this.#pause === undefined ? this.#grantUrgent() : Number.POSITIVE_INFINITY)
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

  /** Sends a request once more, in the next slot of the host and not at once, because the server may have read the first one. */
  #repeat(request: FetchRequest, failed: FetchOutcome, options: SendOptions): Promise<FetchOutcome> {
    return this.#sendInNextSlot(request, options, (detail, until) =>
      until === undefined ? abortedOutcome(failed, detail) : failed,
    )
  }

  /** The thread is free meanwhile. @param rejected the outcome if no slot is granted */
  async #sendInNextSlot(
    request: FetchRequest,
    options: SendOptions,
    rejected: (reason: string, until?: number) => FetchOutcome,
  ): Promise<FetchOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<FetchOutcome>()
    this.#active--
    this.add({
      key: this.#options.keyOf(request.url),
      priority: Number.POSITIVE_INFINITY,
      queuedAt: this.#clock.now(),
      granted: (slot) => slot.send(request, { ...options, mayRepeat: false }).then(resolve, reject),
      rejected: (reason, until) => resolve(rejected(reason, until)),
    })
    try {
      return await promise
    } finally {
      this.#active++
    }
  }

  async #send(grant: Grant, request: FetchRequest, options: SendOptions): Promise<FetchOutcome> {
    const { taken } = grant
    const { purpose = 'page', robots } = options
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
    // Since the grant, which may be long ago, other requests of the host may have started.
    const startedAt = this.#queues.start(taken)
    if (startedAt === undefined) {
      this.#addAgain(this.#queues.release(taken, { kind: 'not-sent' }))
      return this.#sendInNextSlot(request, options, (reason, until) =>
        until === undefined
          ? unsentOutcome(request.url, this.#clock.now())
          : blockedOutcome(request.url, this.#clock.now(), reason, until),
      )
    }
    const limits = this.#queues.limitsOf(taken)
    const { queuedAt } = taken.item
    const sent = this.#inFlight.start(request, { key, queuedAt, startedAt, purpose, robots, limits })
    grant.sent = sent
    return this.#inFlight.send(sent, request, (outcome) => {
      // Without an outcome the fetcher has rejected the request, so no delay follows.
      const hostOutcome: HostOutcome = outcome === undefined ? { kind: 'not-sent' } : hostOutcomeOf(outcome)
      this.#addAgain(this.#queues.release(taken, hostOutcome))
      sent.delayMs = this.#queues.delayMsOf(taken)
      sent.parkedUntil = this.#queues.parkedUntilOf(taken)
    })
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

/** This process stopped before the request was sent. */
function unsentOutcome(url: string, now: number): FetchOutcome {
  const timings = { startedAt: now, totalMs: 0 }
  return { kind: 'network-failure', cause: 'aborted', url, timings, detail: 'not sent' }
}

function abortedOutcome({ url, timings }: FetchOutcome, detail: string): FetchOutcome {
  return { kind: 'network-failure', cause: 'aborted', url, timings, detail }
}
