import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { allObservers } from '../../domain/fetch/request-observer.ts'
import type { Fleet } from '../../domain/frontier/fleet.ts'
import type { Frontier } from '../../domain/frontier/frontier.ts'
import { LocalPageBudget } from '../../domain/frontier/page-budget.ts'
import type { ReportSource } from '../../domain/live/report-source.ts'
import type { HostState } from '../../domain/politeness/host-throttle.ts'
import { PoliteFetcher } from '../../domain/politeness/polite-fetcher.ts'
import { urgentThreads } from '../../domain/politeness/rendering-fetcher.ts'
import type { RobotsCache } from '../../domain/robots/robots-cache.ts'
import { HandlerErrors } from './handler-errors.ts'
import { HostPageLimit } from './host-page-limit.ts'
import type { ItemNotifier } from './item-notifier.ts'
import { PagePermits } from './page-permits.ts'
import { NO_OUTPUT, type PageProcessor } from './page-processor.ts'
import { createRequestPipeline, type EngineOptions, type EngineParts } from './request-pipeline.ts'
import { RequestSupply, type Supplied } from './request-supply.ts'
import { RunLimits } from './run-limits.ts'
import type { SessionPool } from './session-pool.ts'
import { Settler } from './settler.ts'
import type { AnySpider, SpiderEnd } from './spider-definition.ts'
import { RunEnd } from './spider-limits.ts'
import { type SpiderProgress, spiderProgress } from './spider-progress.ts'
import { type SpiderStats, StatsCounter } from './spider-stats.ts'
import { StartFeeder, type StartSource } from './start-feeder.ts'

/**
 * Runs a spider: takes requests from the frontier, passes them through the host queues to the handlers, and settles each with its items
 * and requests. It only sequences; each step is a file of its own.
 */
export class SpiderEngine implements ReportSource {
  readonly #clock: Clock
  readonly #spider: AnySpider
  readonly #options: EngineOptions
  readonly #frontier: Frontier
  readonly #stats = new StatsCounter()
  readonly fetcher: PoliteFetcher
  readonly robots: RobotsCache
  readonly #handlerErrors: HandlerErrors
  readonly #pages: PageProcessor
  readonly #limited: HostPageLimit
  readonly #limits: RunLimits
  readonly #permits: PagePermits | undefined
  readonly #notifier: ItemNotifier
  readonly #sessions: SessionPool | undefined
  readonly #settler: Settler
  readonly #starts: StartFeeder
  readonly #supply: RequestSupply
  readonly #strict: boolean
  readonly #startSource: StartSource | undefined
  readonly #fleet: Fleet | undefined
  readonly #startedAt: number
  readonly #end = new RunEnd(() => {
    this.#starts.stop()
    this.#notifier.release()
    this.#permits?.stop()
    this.#sessions?.stop()
    this.#supply.mayHaveMore()
  })
  #startsRunning = true
  /** Requests were added since the last check whether the queue is empty. */
  #hasMore = false
  #cancelWatch = (): void => {}

  constructor(parts: EngineParts, spider: AnySpider, options: EngineOptions) {
    const { clock, frontier, fetcher, robots, scope, cache, fleet, watch, requestLog, rendering } = parts
    const { keyOf, threads, politeness, hungAfterMs = 300_000, settleEveryMs = 1_000 } = options
    const { limits = {} } = spider
    this.#clock = clock
    this.#spider = spider
    this.#options = options
    this.#frontier = frontier
    this.#startSource = parts.startSource
    this.#fleet = fleet
    this.#startedAt = clock.now()
    const stats = this.#stats
    const ownership = fleet
    const observer = allObservers([watch?.observer ?? [], requestLog ?? []].flat())
    this.fetcher = new PoliteFetcher(
      { clock, fetcher, robots, ...withoutUndefined({ ownership, observer }) },
      { threads, hungAfterMs, keyOf, politeness, ...urgentThreads(rendering) },
    )
    this.#handlerErrors = new HandlerErrors(
      limits.maxHandlerErrorsInRow ?? 20,
      (error) => this.#end.fail(error),
      options.onHandlerError ?? (() => {}),
    )
    this.#permits = this.#pagePermits(parts)
    const permits = this.#permits
    const own = {
      ...{ fetcher: this.fetcher, stats, handlerErrors: this.#handlerErrors, permits },
      onLoginFailed: (error: unknown) => this.#end.fail(error),
    }
    const { admission, pages, requests, downloads, notifier, known, sessions } = createRequestPipeline(
      ...([parts, spider, options, own] as const),
    )
    this.#sessions = sessions
    this.#pages = pages
    this.#limited = new HostPageLimit(clock, requests, stats, {
      ...limits,
      hostPages: options.hostPages ?? [],
    })
    this.#notifier = notifier
    this.#settler = new Settler(frontier, clock, stats, {
      everyMs: settleEveryMs,
      maxWaiting: 50_000,
      onSettled: (items, queued) => {
        this.#supply.settled(queued)
        options.onSettled?.()
        notifier.notify(items)
      },
      onFailed: (error) => this.#end.fail(error),
      ...withoutUndefined({ known, onStored: options.onStored }),
      ...((permits !== undefined || sessions !== undefined) && {
        beforeStoring: async () => {
          await sessions?.save()
          await permits?.refresh()
        },
      }),
      ...(fleet !== undefined && { throttleOf: (host: string) => this.fetcher.stateOf(host) }),
    })
    const strict = (spider.order ?? 'hosts') !== 'hosts'
    // Cached responses do not wait for slots: requests taken in advance would hold their pages in memory.
    const ahead = fleet === undefined ? 50 : FLEET_AHEAD
    const depth = strict || cache !== undefined ? threads : (options.queueDepth ?? threads * ahead)
    this.#strict = strict
    this.#supply = new RequestSupply(clock, frontier, {
      ...{ depth, strict },
      ...(fleet !== undefined && !strict && { perHost: FLEET_PER_HOST }),
      isHalted: () => fleet?.state !== undefined,
      onLease: (lease) => {
        if (lease.throttle !== undefined) this.fetcher.restore([lease.throttle])
        this.#limited.restore(lease)
      },
    })
    this.#starts = new StartFeeder({
      ...{ clock, frontier, admission, scope, stats },
      room: () => this.#supply.room(),
      hasRoom: () => this.#supply.hasRoom(),
      onAdded: () => this.#supply.mayHaveMore(),
    })
    this.#limits = new RunLimits(clock, limits, {
      ...{ permits, downloads, isFleet: fleet !== undefined },
      items: () => stats.items + this.#settler.unstoredItems,
      onReached: (limit) => this.#end.because(limit),
      onCompleting: () => this.#supply.mayHaveMore(),
    })
    this.robots = robots
    watch?.attach(this)
  }

  get pages(): number {
    return this.#stats.pages
  }

  get items(): number {
    return this.#stats.items
  }

  get rejectedItems(): number {
    return this.#stats.rejected
  }

  get retries(): number {
    return this.#stats.retries
  }

  /** Requests were added to the frontier by another part of this process. */
  requestsAdded(): void {
    this.#hasMore = true
    this.#supply.mayHaveMore()
  }

  /** Crawls until the queue is empty, a limit is reached or `signal` is aborted. Requests in flight are finished first. */
  async run(signal: AbortSignal): Promise<SpiderEnd> {
    const interrupt = () => this.#end.because('interrupted')
    signal.addEventListener('abort', interrupt)
    if (signal.aborted) interrupt()
    this.#checkFleetState()
    const starts = this.#feedStarts()
    const reading = this.#startSource && this.#starts.readFrom(this.#startSource)
    reading?.catch((error: unknown) => this.#end.fail(error))
    this.#watch()
    await this.#permits?.refresh().catch((error: unknown) => this.#end.fail(error))
    await this.#crawlUntilEmpty().catch((error: unknown) => this.#end.fail(error))
    this.#starts.stop()
    await this.#finishRequests()
    await Promise.allSettled([starts, reading, this.#notifier.finished()])
    this.#cancelWatch()
    signal.removeEventListener('abort', interrupt)
    return this.#end.result()
  }

  progress(): SpiderProgress {
    return spiderProgress({
      ...{ stats: this.stats(), fetcher: this.fetcher, supply: this.#supply, now: this.#clock.now() },
      ...{ fleet: this.#fleet, startsRunning: this.#startsRunning },
    })
  }

  stats(): SpiderStats {
    return this.#stats.snapshot(this.#clock.now() - this.#startedAt)
  }

  hostStates(): HostState[] {
    return this.fetcher.hostStates()
  }

  get delayChanges(): number {
    return this.fetcher.delayChanges
  }

  restoreHosts(states: Iterable<HostState>): void {
    this.fetcher.restore(states)
  }

  /** Once per second: aborts hung requests and checks the time limit. */
  #watch(): void {
    this.#cancelWatch = this.#clock.after(1_000, () => {
      this.#watch()
      this.fetcher.abortHung()
      this.#checkFleetState()
      this.#permits?.tick()
      this.#sessions?.tick().catch((error: unknown) => this.#end.fail(error))
      this.#limits.check()
    })
  }

  #checkFleetState(): void {
    const state = this.#fleet?.state
    if (this.#end.reason !== undefined) return
    if (state === 'draining') this.#end.because('drained')
    else if (state === 'paused') this.fetcher.stop()
    else this.fetcher.resume()
  }

  #pagePermits({ pageBudget }: EngineParts): PagePermits | undefined {
    const { maxPages } = this.#spider.limits ?? {}
    if (maxPages === undefined) return undefined
    return new PagePermits(
      pageBudget ?? new LocalPageBudget(maxPages),
      () => this.#limits.reached('pages'),
      (error) => this.#end.fail(error),
    )
  }

  /** Whether other programs may still push start requests. */
  #isWaitingForStarts(): boolean {
    const { idleMs = 0 } = this.#options
    return this.#startSource !== undefined && this.#clock.now() < (this.#fleet?.activeAt ?? 0) + idleMs
  }

  async #feedStarts(): Promise<void> {
    try {
      const { startsComplete } = await this.#frontier.pending(this.#clock.now())
      if (startsComplete) await this.#starts.skip(this.#spider)
      else if (this.#end.reason === undefined) await this.#starts.feed(this.#spider)
    } catch (error) {
      this.#end.fail(error)
    } finally {
      this.#startsRunning = false
      this.#supply.mayHaveMore()
    }
  }

  async #crawlUntilEmpty(): Promise<void> {
    while (this.#end.reason === undefined) {
      // Taken first, so that changes during the checks are not missed.
      const change = this.#supply.change()
      this.#limits.check()
      if (this.#end.reason !== undefined) return
      // In a strict order, the requests of the last pages may precede all others.
      if (this.#strict) await this.#settler.flush()
      if (!(await this.#takeRequests()) && this.#needsRequests() && !this.#takeUnstored()) {
        await this.#settler.flush()
        await this.#takeRequests()
      }
      if (this.#supply.underWay > 0 || this.#startsRunning) await change
      else {
        this.#hasMore = false
        if (!(await this.#continues(change)) && !this.#hasMore) return this.#permits?.refresh()
      }
    }
  }

  /** The queues are empty, and the last pages may have requests. */
  #needsRequests(): boolean {
    return this.#settler.waiting > 0 && this.fetcher.queued === 0
  }

  /** Takes requests of the last pages without storing these first; `false` if that is not possible. */
  #takeUnstored(): boolean {
    if (!this.#supply.isDry) return false
    const supplied = this.#supply.takeUnstored(
      this.#settler.takeNew(),
      this.#limits.maxRequests(this.#supply.underWay),
    )
    for (const one of supplied ?? []) void this.#process(one)
    return supplied !== undefined
  }

  /** Whether there were some. */
  async #takeRequests(): Promise<boolean> {
    const supplied = await this.#supply.take(this.#limits.maxRequests(this.#supply.underWay))
    for (const one of supplied) void this.#process(one)
    return supplied.length > 0
  }

  async #process({ leased, host }: Supplied): Promise<void> {
    try {
      this.#settler.add(this.#limits.putOff(leased) ?? (await this.#limited.process(leased)), host)
    } catch (error) {
      this.#end.fail(error)
    } finally {
      this.#supply.ended()
    }
  }

  /** Called without requests in flight. Whether the crawl continues. */
  async #continues(change: Promise<void>): Promise<boolean> {
    await this.#settler.flush()
    // Counted first: a start message that is taken meanwhile is then found in the frontier.
    const starts = (await this.#startSource?.count()) ?? 0
    const { ready, delayed, elsewhere = 0, startsComplete } = await this.#supply.left()
    if (ready > 0 && this.#fleet?.state === undefined) return true
    if (starts + ready + delayed + elsewhere > 0 || this.#isWaitingForStarts()) {
      await change
      return true
    }
    // A Redis that lost its last writes in a restart may have lost the start requests.
    if (!startsComplete) {
      await this.#feedStarts()
      return this.#end.reason === undefined
    }
    if (this.#spider.onIdle === undefined) return false
    const { requests } = await this.#pages.idle(this.stats()).catch((error: unknown) => {
      this.#handlerErrors.failed('onIdle', error)
      return NO_OUTPUT
    })
    const { added, duplicates } = await this.#frontier.add(requests)
    this.#stats.duplicates += duplicates
    this.#supply.mayHaveMore()
    return added > 0
  }

  async #finishRequests(): Promise<void> {
    this.fetcher.stop()
    const { graceMs = 5_000, hungAfterMs = 300_000 } = this.#options
    // Draining waits for requests in flight.
    const maxWaitMs = this.#end.reason === 'drained' ? hungAfterMs : graceMs
    const cancel = this.#clock.after(maxWaitMs, () => this.fetcher.abort())
    while (this.#supply.underWay > 0) await this.#supply.change()
    cancel()
    this.#supply.close()
    await this.#settler.flush().catch((error: unknown) => this.#end.fail(error))
    await this.#sessions?.close().catch((error: unknown) => this.#end.fail(error))
    this.#permits?.stop()
    await this.#permits?.refresh().catch((error: unknown) => this.#end.fail(error))
  }
}

/** Requests that a worker of a fleet takes ahead for each thread, and of one host: as many as it can keep busy. */
const FLEET_AHEAD = 8
const FLEET_PER_HOST = 2
