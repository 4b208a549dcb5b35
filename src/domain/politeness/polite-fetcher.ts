import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import { isAborted, isRetryable } from '../fetch/fetch-outcome.ts'
import type { Fetcher, FetchRequest } from '../fetch/fetcher.ts'
import type { PartResult } from '../fetch/page-renderer.ts'
import { isWebUrl } from '../fetch/protocol.ts'
import type { RequestObserver, UnsentRequest } from '../fetch/request-observer.ts'
import type { RobotsCache } from '../robots/robots-cache.ts'
import type { Slot, Waiter } from './fetch-slot.ts'
import { FetchSlots, type FetchSlotsOptions } from './fetch-slots.ts'
import { fetchOnClaim, type HostOwnership, onClaim } from './host-ownership.ts'
import type { HostCounts, HostFigure, QueuedHost } from './host-queues.ts'
import type { HostState } from './host-throttle.ts'
import type { PoliteResult, PoliteTask } from './polite-result.ts'
import { RobotsCheck, type RobotsDecision, type SendSiteRequest } from './robots-check.ts'

/** What a {@link PoliteFetcher} is made of. */
export interface PoliteFetcherParts {
  /** A steady clock. */
  readonly clock: Clock
  readonly fetcher: Fetcher
  readonly robots: RobotsCache
  /** For a fleet. @default this process owns all hosts */
  readonly ownership?: HostOwnership
  /** Is told about every request. @default none */
  readonly observer?: RequestObserver
}

/** Delays, limits and retries of a {@link PoliteFetcher}, and how a URL is assigned to a host queue. */
export type PoliteFetcherOptions = Omit<FetchSlotsOptions, 'mayRequest' | 'observer'>

/**
 * Sends every request of a crawl: checks robots.txt, waits for a slot of the host, sends, repeats and retries. Redirects are reported, not
 * followed. The promise of `fetch` rejects only if the stores behind robots.txt or ownership fail.
 * @example
 * const agent = { name: 'my-bot', email: 'me@example.org' }
 * const fetcher = new PoliteFetcher(
 *   {
 *     clock: steadyClock,
 *     fetcher: new HttpFetcher({ clock: steadyClock, agent }),
 *     robots: new RobotsCache(wallClock, agent.name),
 *   },
 *   { threads: 8, keyOf: (url) => queueKey(url, 'host'), politeness: { delayMs: 1_000 } },
 * )
 * const result = await fetcher.fetch({ request: { url: 'https://example.org/' } })
 * if (result.kind === 'fetched') {
 *   console.log(result.outcome.kind)
 *   result.release()
 * }
 * await fetcher.close()
 */
export class PoliteFetcher {
  readonly #clock: Clock
  readonly #fetcher: Fetcher
  readonly #slots: FetchSlots
  readonly #robots: RobotsCheck
  readonly #keyOf: (url: string) => string
  readonly #ownership: HostOwnership | undefined
  readonly #observer: RequestObserver | undefined
  #retries = 0
  #isStopped = false
  #finishReason: string | undefined

  constructor(parts: PoliteFetcherParts, options: PoliteFetcherOptions) {
    const { clock, fetcher, robots, ownership, observer } = parts
    const { keyOf } = options
    this.#clock = clock
    this.#fetcher = fetcher
    this.#keyOf = keyOf
    this.#ownership = ownership
    this.#observer = observer
    const mayRequest = ownership && ((host: string) => ownership.holds(host))
    const slots = new FetchSlots(clock, fetcher, {
      ...options,
      ...withoutUndefined({ mayRequest, observer }),
    })
    this.#slots = slots
    // A robots.txt may redirect to a host that another worker owns.
    const fetchSiteFile: SendSiteRequest = (request, permission) => {
      const key = keyOf(request.url)
      const send = () => {
        if (permission === undefined) return slots.fetchRobots(request)
        slots.setCrawlDelay(key, permission.crawlDelayMs)
        return slots.fetchData(request, permission.robots)
      }
      return ownership === undefined ? send() : fetchOnClaim(ownership, clock, slots, key, request, send)
    }
    const maxCrawlDelayMs = (key: string) => slots.maxDelayMs(key)
    const hasRobots = fetcher.hasRobots?.bind(fetcher)
    this.#robots = new RobotsCheck(robots, fetchSiteFile, {
      keyOf,
      maxCrawlDelayMs,
      ...withoutUndefined({ hasRobots }),
    })
  }

  /**
   * Queues a request and resolves when it has a result. Call `release` of a `fetched` result exactly once: the slot of the host is taken
   * until then.
   */
  fetch(task: PoliteTask): Promise<PoliteResult> {
    return new Promise((resolve, reject) => {
      const queued = new QueuedTask(this.#keyOf(task.request.url), task, this.#steps, resolve, reject)
      queued.queuedAt = this.#clock.now()
      this.#queue(queued)
    })
  }

  /**
   * Sends a task that is not in the frontier, such as a login: in a fleet, its host is claimed for it. `undefined`: another worker has the host for
   * too long. The results of the task may not be processed in its slot: call `release` at once.
   */
  async fetchOnClaim(task: PoliteTask): Promise<PoliteResult | undefined> {
    if (this.#ownership === undefined) return this.fetch(task)
    const key = this.#keyOf(task.request.url)
    return onClaim(this.#ownership, this.#clock, this.#slots, key, () => this.fetch(task))
  }

  /**
   * Sends a request of a page that is being rendered: robots.txt and the delay of its host apply. An asset waits for no delay: it belongs to
   * the request of its page.
   */
  async fetchPart(request: FetchRequest, isAsset: boolean): Promise<PartResult> {
    const { url } = request
    const key = this.#keyOf(url)
    if (this.whyEnding !== undefined) return INTERRUPTED_PART
    if (!isWebUrl(url)) return { kind: 'refused', reason: 'pages of the web may not request other protocols' }
    const decision = this.#robots.peek(url) ?? (await this.#robots.load(url))
    if (this.whyEnding !== undefined) return INTERRUPTED_PART
    if (decision.kind === 'host-failed') return { kind: 'fetched', outcome: decision.outcome }
    if (decision.kind === 'disallowed') this.#observer?.disallowed?.(url, key, decision.robots)
    if (decision.kind !== 'allowed') return { kind: 'refused', reason: decision.reason }
    const { robots, crawlDelayMs } = decision
    const slots = this.#slots
    const ownership = this.#ownership
    const send = (): Promise<FetchOutcome> => {
      slots.setCrawlDelay(key, crawlDelayMs)
      return isAsset ? slots.fetchAsset(request, robots) : slots.fetchData(request, robots)
    }
    const outcome = await (ownership === undefined
      ? send()
      : fetchOnClaim(ownership, this.#clock, slots, key, request, send))
    if (isAborted(outcome) || this.whyEnding !== undefined) return INTERRUPTED_PART
    return { kind: 'fetched', outcome }
  }

  /** The result of tasks while the fetcher is stopped or finishing; `undefined`: it is not. */
  get whyEnding(): Extract<PoliteResult, { kind: 'interrupted' | 'rejected' }> | undefined {
    if (this.#isStopped) return INTERRUPTED
    return this.#finishReason === undefined ? undefined : { kind: 'rejected', reason: this.#finishReason }
  }

  /** Requests that are being sent, and responses that are being processed. */
  get active(): number {
    return this.#slots.active
  }

  /** Requests that wait for a slot. */
  get queued(): number {
    return this.#slots.queued
  }

  /** Figures of all queues together. */
  counts(): HostCounts {
    return this.#slots.counts()
  }

  /** Retries of tasks so far. */
  get retries(): number {
    return this.#retries
  }

  /** The keys of all hosts whose throttle state is kept. */
  hosts(): Iterable<string> {
    return this.#slots.hosts()
  }

  /** Whether the host has queued tasks, active requests or a throttle state. */
  hasHost(key: string): boolean {
    return this.#slots.hasHost(key)
  }

  /** One host, for display. */
  host(key: string): QueuedHost {
    return this.#slots.host(key)
  }

  /** One figure of a host, for sorting. */
  hostFigure(key: string, name: HostFigure): number {
    return this.#slots.hostFigure(key, name)
  }

  /** Whether `pause` was called, and not `unpause` since. */
  get isPaused(): boolean {
    return this.#slots.isPaused
  }

  /** Sends no request until `unpause`. Requests in flight are finished; all tasks stay queued. */
  pause(): void {
    this.#slots.pause()
  }

  /** Sends requests again after `pause`. */
  unpause(): void {
    this.#slots.unpause()
  }

  /** Replaces the configured delay of a host; `undefined` restores it. It never shortens a delay that the host demands. */
  setOperatorDelay(key: string, ms: number | undefined): void {
    this.#slots.setOperatorDelay(key, ms)
  }

  /** Grows by 1 when a host requests a different delay. */
  get delayChanges(): number {
    return this.#slots.delayChanges
  }

  /** The throttle state of all hosts, so that a restart shortens no delay. */
  hostStates(): HostState[] {
    return this.#slots.hostStates()
  }

  /** The throttle state of a host; `undefined` if it has none. */
  stateOf(key: string): HostState | undefined {
    return this.#slots.stateOf(key)
  }

  /** Restores the throttle states of another process. */
  restore(states: Iterable<HostState>): void {
    this.#slots.restore(states)
  }

  /** Rejects the tasks that wait, and all later ones, with `reason`. Requests in flight are finished. */
  finish(reason: string): void {
    this.#finishReason ??= reason
    this.#slots.cancelWaiting(reason)
  }

  /** Interrupts the tasks that wait, and all later ones, until `resume`. Requests in flight are finished. */
  stop(): void {
    this.#isStopped = true
    this.#slots.cancelWaiting('interrupted')
  }

  /** Accepts tasks again after `stop`. */
  resume(): void {
    this.#isStopped = false
  }

  /** Interrupts all tasks, aborts the requests in flight and closes every connection. */
  async close(): Promise<void> {
    this.stop()
    this.abort()
    await this.#fetcher.close()
  }

  /** Aborts every request in flight. */
  abort(): void {
    this.#slots.abort()
  }

  /** Aborts requests that take too long, and those to hosts that this worker no longer owns. Call it every second. */
  abortHung(): void {
    this.#slots.abortHung()
  }

  /** Bound once, so that waiting tasks need no closures. */
  readonly #steps: QueueSteps = {
    granted: (queued, slot) => this.#granted(queued, slot).catch(queued.reject),
    rejected: (queued, reason, retryAt) => {
      if (retryAt !== undefined) this.#unsent(queued, { kind: 'host-parked', reason, retryAt })
      queued.resolve(this.#rejection(queued, reason, retryAt))
    },
  }

  #queue(queued: QueuedTask, priority = queued.task.priority ?? 0): void {
    const unsent = this.#whyNotSent(queued)
    queued.priority = priority
    if (unsent === undefined) this.#slots.add(queued)
    else queued.resolve(unsent)
  }

  async #granted(queued: QueuedTask, slot: Slot): Promise<void> {
    const { url } = queued.task.request
    // The rules may expire, or leave the cache, while a task waits. They are loaded again, but not forever.
    const last = queued.robotsLoads < MAX_ROBOTS_LOADS ? undefined : queued.robots
    const decision = this.#robots.peekPage(url) ?? last
    const unsent = this.#whyNotSent(queued)
    if (unsent === undefined && decision?.kind === 'allowed') {
      this.#slots.setCrawlDelay(queued.key, decision.crawlDelayMs)
      return this.#send(queued, slot, decision)
    }
    slot.pass()
    if (unsent !== undefined) queued.resolve(unsent)
    else if (decision === undefined) void this.#loadRobots(queued)
    else this.#obey(queued, decision)
  }

  async #send(queued: QueuedTask, slot: Slot, { robots, aiUse = [] }: Allowed): Promise<void> {
    const { prepare, request: plain } = queued.task
    const request = prepare === undefined ? plain : await prepare()
    const unsent = request === undefined ? DROPPED : this.#whyNotSent(queued)
    if (request === undefined || unsent !== undefined) {
      slot.pass()
      queued.resolve(unsent ?? DROPPED)
      return
    }
    let outcome: FetchOutcome
    try {
      outcome = await slot.send(request, { robots })
    } catch (error) {
      queued.resolve({ kind: 'unsendable', error })
      return
    }
    // Only this process aborts requests: when it stops, or when it loses the host.
    if (isAborted(outcome)) queued.resolve(this.#whyNotSent(queued) ?? INTERRUPTED)
    else if (!this.#slots.mayRequest(queued.key)) queued.resolve(NOT_OWNED)
    else if (!this.#retry(queued, outcome))
      await new Promise<void>((release) => queued.resolve({ kind: 'fetched', outcome, aiUse, release }))
  }

  /** Called without an active slot: robots.txt is fetched in its own slots, and two files that redirect to each other would wait forever. */
  async #loadRobots(queued: QueuedTask): Promise<void> {
    const { url } = queued.task.request
    queued.robotsLoads++
    try {
      const decision = await this.#robots.loadPage(url)
      // The request for robots.txt was not sent, or was aborted.
      const isUnknown = decision.kind === 'robots-unreachable' && this.#robots.peek(url) === undefined
      const mayTryAgain = queued.robotsLoads < MAX_ROBOTS_LOADS || this.#whyNotSent(queued) !== undefined
      if (isUnknown && mayTryAgain) this.#queue(queued)
      else this.#obey(queued, decision)
    } catch (error) {
      queued.reject(error)
    }
  }

  #obey(queued: QueuedTask, decision: RobotsDecision): void {
    if (decision.kind === 'allowed') {
      queued.robots = decision
      // Before the task is queued again: the delay after robots.txt is the first that must be kept.
      this.#slots.setCrawlDelay(queued.key, decision.crawlDelayMs)
      this.#queue(queued)
      return
    }
    if (decision.kind === 'disallowed') this.#skip(queued, decision)
    else if (!this.#slots.mayRequest(queued.key)) queued.resolve(NOT_OWNED)
    else if (decision.kind !== 'host-failed' || !this.#retry(queued, decision.outcome)) {
      this.#unsent(queued, unsentBy(decision))
      queued.resolve(decision)
    }
  }

  #unsent({ key, task }: QueuedTask, why: Omit<UnsentRequest, 'url' | 'key'>): void {
    this.#observer?.unsent?.({ url: task.request.url, key, ...why })
  }

  #skip(queued: QueuedTask, { reason, crawlDelayMs, robots }: Disallowed): void {
    const { key, task } = queued
    const isOurs = this.#slots.mayRequest(key)
    // The next URL of the host may be allowed, and be requested before its own check sets the Crawl-delay.
    if (isOurs) this.#slots.setCrawlDelay(key, crawlDelayMs)
    if (isOurs) this.#observer?.disallowed?.(task.request.url, key, robots)
    queued.resolve(isOurs ? { kind: 'disallowed', reason } : NOT_OWNED)
  }

  /** Queues a task again after a transient failure, if it has a retry left. */
  #retry(queued: QueuedTask, outcome: FetchOutcome): boolean {
    if (queued.retriesLeft === 0 || !isRetryable(outcome)) return false
    queued.retriesLeft--
    this.#retries++
    queued.failed = outcome
    queued.queuedAt = this.#clock.now()
    this.#queue(queued, Number.NEGATIVE_INFINITY)
    return true
  }

  /** The result of a task that must not be sent now; `undefined` if it may. */
  #whyNotSent(queued: QueuedTask): PoliteResult | undefined {
    if (this.#isStopped || queued.task.isCancelled?.()) return INTERRUPTED
    if (!this.#slots.mayRequest(queued.key)) return NOT_OWNED
    return this.#finishReason === undefined ? undefined : this.#rejection(queued, this.#finishReason)
  }

  #rejection({ failed }: QueuedTask, reason: string, retryAt?: number): PoliteResult {
    if (this.#isStopped) return INTERRUPTED
    return { kind: 'rejected', reason, ...withoutUndefined({ retryAt, failed }) }
  }
}

/** A task between `fetch` and its result. Tens of thousands may wait at once, so it stays small. */
class QueuedTask implements Waiter {
  readonly key: string
  readonly task: PoliteTask
  readonly resolve: (result: PoliteResult) => void
  readonly reject: (error: unknown) => void
  readonly #steps: QueueSteps
  priority = 0
  queuedAt = 0
  retriesLeft: number
  robotsLoads = 0
  /** The last decision that allowed it. */
  robots: RobotsDecision | undefined = undefined
  /** The outcome of the last attempt. */
  failed: FetchOutcome | undefined = undefined

  constructor(
    key: string,
    task: PoliteTask,
    steps: QueueSteps,
    resolve: (result: PoliteResult) => void,
    reject: (error: unknown) => void,
  ) {
    this.key = key
    this.task = task
    this.#steps = steps
    this.resolve = resolve
    this.reject = reject
    this.retriesLeft = task.retries ?? 0
  }

  granted(slot: Slot): Promise<void> {
    return this.#steps.granted(this, slot)
  }

  rejected(reason: string, until?: number): void {
    this.#steps.rejected(this, reason, until)
  }
}

type Allowed = Extract<RobotsDecision, { kind: 'allowed' }>
type Disallowed = Extract<RobotsDecision, { kind: 'disallowed' }>

function unsentBy(
  decision: Exclude<RobotsDecision, { kind: 'allowed' | 'disallowed' }>,
): Omit<UnsentRequest, 'url' | 'key'> {
  if (decision.kind !== 'host-failed') return decision
  return { kind: 'host-failed', reason: 'robots.txt could not be requested', outcome: decision.outcome }
}

interface QueueSteps {
  granted(queued: QueuedTask, slot: Slot): Promise<void>
  rejected(queued: QueuedTask, reason: string, until?: number): void
}

const INTERRUPTED = Object.freeze({ kind: 'interrupted' as const })
const INTERRUPTED_PART: PartResult = INTERRUPTED
const NOT_OWNED: PoliteResult = Object.freeze({ kind: 'not-owned' })
const DROPPED: PoliteResult = Object.freeze({ kind: 'dropped' })

const MAX_ROBOTS_LOADS = 3
