import type { Clock } from '../../base/clock.ts'
import { type EventLog, NO_LOG } from '../../base/event-log.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { Fetcher } from '../../domain/fetch/fetcher.ts'
import { allObservers, type RequestObserver } from '../../domain/fetch/request-observer.ts'
import type { Fleet } from '../../domain/frontier/fleet.ts'
import type { CrawlWatch, ReportSource } from '../../domain/live/report-source.ts'
import type { ParseRules } from '../../domain/parse/parse-rules.ts'
import type { PageParser } from '../../domain/parse/parsed-page.ts'
import type { HostState } from '../../domain/politeness/host-throttle.ts'
import type { HostStateStore } from '../../domain/politeness/persist-host-states.ts'
import { PoliteFetcher } from '../../domain/politeness/polite-fetcher.ts'
import type { PoliteResult } from '../../domain/politeness/polite-result.ts'
import {
  type PageRendering,
  RenderingFetcher,
  urgentThreads,
} from '../../domain/politeness/rendering-fetcher.ts'
import type { AiUseStatement } from '../../domain/robots/ai-use.ts'
import type { RobotsCache } from '../../domain/robots/robots-cache.ts'
import { SITEMAP_KEY } from '../../domain/schedule/listed-page.ts'
import { failureKind } from '../../domain/segment/fetch-failure.ts'
import { fetchRow, notReachedRow, robotsRow } from '../../domain/segment/fetch-row.ts'
import { type HostFigures, HostTally } from '../../domain/segment/host-tally.ts'
import type { FetchRow, PageRecord } from '../../domain/segment/segment-rows.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import { FetchFeeder } from './fetch-feeder.ts'
import { FetchList, type SegmentToFetch } from './fetch-list.ts'
import { FetchMonitor, type LimitReached } from './fetch-monitor.ts'
import { type FetchOptions, type ResolvedFetchOptions, withFetchDefaults } from './fetch-options.ts'
import type { FetchProgress } from './fetch-progress.ts'
import type { FetchResult } from './fetch-result.ts'
import { type FetchTask, fetchTask, redirectTask } from './fetch-task.ts'
import { OncePerRun } from './once-per-run.ts'
import { OutcomeRecorder } from './outcome-record.ts'
import { RedirectPolicy } from './redirect-policy.ts'
import { logRecord } from './row-events.ts'
import { SiteSitemaps } from './site-sitemaps.ts'

/** The parts of a fetch. */
export interface FetchParts {
  /** A monotonic clock. */
  readonly clock: Clock
  readonly fetcher: Fetcher
  readonly robots: RobotsCache
  /** For redirects; the parser has its own copy. */
  readonly rules: ParseRules
  /** Absent: pages are stored, and parsed by a later step. */
  readonly parser?: PageParser
  /**
   * Whether a redirect to this URL may be followed now: not if the URL was fetched and is not due, nor if it is on a fetch list.
   * @default every redirect may be followed
   */
  readonly shouldFollow?: (url: string) => boolean | Promise<boolean>
  /** Persists the throttle state of hosts across restarts, for `fetchSegment`. @default the state is not persisted */
  readonly hostStateStore?: HostStateStore
  /** For hosts that are shared with other processes. @default this process owns all hosts */
  readonly fleet?: Fleet
  /** Renders pages. @default none are rendered */
  readonly rendering?: PageRendering
  /** Gets failed URLs. @default none */
  readonly log?: EventLog
  /** Watches the requests. @default none */
  readonly watch?: CrawlWatch
  /** Is told about every request. @default none */
  readonly requestLog?: RequestObserver
}

/** The size that the sitemap protocol allows, decoded. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024

/**
 * Fetches the URLs of any number of fetch lists through the same host queues, like Nutch's Fetcher. A list may join while others
 * are being fetched. Each URL of a list ends with exactly one row, unless the run is stopped: then URLs that were not reached have none, and
 * the next run fetches them.
 */
export class FetchLoop implements ReportSource {
  readonly #clock: Clock
  readonly #options: ResolvedFetchOptions
  readonly fetcher: PoliteFetcher
  readonly #pages: RenderingFetcher
  readonly #rendering: PageRendering | undefined
  readonly robots: RobotsCache
  readonly #feeder: FetchFeeder
  readonly #recorder: OutcomeRecorder
  readonly #monitor: FetchMonitor
  readonly #log: EventLog
  readonly #hosts = new HostTally()
  readonly #lists = new Set<FetchList>()
  readonly #once = new OncePerRun(this.#lists)
  /** Give up pages that are being parsed. */
  readonly #giveUps = new Set<() => void>()
  /** Why the remaining URLs will not be fetched. */
  #ending: LimitReached | undefined
  #stopped = false

  constructor(parts: FetchParts, options: FetchOptions = {}) {
    const {
      clock,
      fetcher,
      robots,
      rules,
      parser,
      shouldFollow = () => true,
      fleet,
      watch,
      requestLog,
      rendering,
    } = parts
    this.#clock = clock
    this.#log = parts.log ?? NO_LOG
    this.#options = withFetchDefaults(options)
    const { threads, queueDepth, redirectMax } = this.#options
    const ownership = fleet
    const observer = allObservers([watch?.observer ?? [], requestLog ?? []].flat())
    this.fetcher = new PoliteFetcher(
      { clock, fetcher, robots, ...withoutUndefined({ ownership, observer }) },
      { ...this.#options, ...urgentThreads(rendering) },
    )
    this.#rendering = rendering
    this.#pages = new RenderingFetcher(clock, this.fetcher, rendering)
    this.robots = robots
    const isInRun = (url: string) => this.#once.has(url)
    const redirects = new RedirectPolicy(rules, { redirectMax, isInRun, shouldFollow })
    const sitemaps = rules.sitemaps === true ? new SiteSitemaps(robots) : undefined
    this.#recorder = new OutcomeRecorder(redirects, parser, rules, this.#log, sitemaps)
    this.#feeder = new FetchFeeder(threads * queueDepth, (list, entry) =>
      this.#enterListed(list, fetchTask(entry)),
    )
    this.#monitor = new FetchMonitor(clock, this.fetcher, this.#options, (reason) => this.finish(reason))
    watch?.attach(this)
  }

  /** Fetches a list. Rejects if it cannot be read or its rows cannot be written. The caller closes the appender. */
  async join(segment: SegmentToFetch): Promise<FetchResult> {
    const list = new FetchList(segment, this.#clock.now())
    this.#lists.add(list)
    if (this.#lists.size === 1) this.#monitor.start()
    this.#feeder.feed(list).then(
      (complete) => list.endOfList(complete, this.#clock.now()),
      (error: unknown) => list.fail(error),
    )
    try {
      return await list.finished
    } finally {
      this.#lists.delete(list)
      if (this.#lists.size === 0) this.#monitor.stop()
    }
  }

  /** Resolves when all lists are read completely and the queues run low: the next list may join. */
  get runningLow(): Promise<void> {
    return this.#feeder.runningLow()
  }

  progress(): FetchProgress {
    return this.#monitor.progress()
  }

  get pages(): number {
    return this.#monitor.pages
  }

  /** Retries in this run. */
  get retries(): number {
    return this.fetcher.retries
  }

  fetchedOf(segment: string): number | undefined {
    for (const list of this.#lists) if (list.name === segment) return list.recorded
    return undefined
  }

  /** Slow and failing hosts of all lists so far. */
  hostFigures(): HostFigures {
    return this.#hosts.figures()
  }

  /** Rows recorded so far, of all lists. */
  get recorded(): number {
    return this.#once.rows
  }

  /** Why the remaining URLs will not be fetched; `undefined`: they will. */
  get ending(): LimitReached | undefined {
    return this.#ending
  }

  /** Until the time limit; `Infinity` without one. */
  get timeLeftMs(): number {
    return (this.#options.timeLimitMs ?? Number.POSITIVE_INFINITY) - this.progress().elapsedMs
  }

  /** Stops the run: URLs that were not requested get rows with the reason. Requests in flight are finished. */
  finish(reason: LimitReached): void {
    if (this.#ending !== undefined) return
    this.#ending = reason
    this.fetcher.finish(reason)
    this.#feeder.readOn()
  }

  /**
   * Interrupts the run. Requests in flight have `graceMs` to finish and their pages to be parsed, and are then aborted; URLs without a row
   * keep none, so that the next run fetches them. Resolves when all lists have ended.
   */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#feeder.stop()
    this.fetcher.stop()
    const cancel = this.#clock.after(this.#options.graceMs, () => {
      this.fetcher.abort()
      for (const giveUp of this.#giveUps) giveUp()
    })
    await Promise.allSettled([...this.#lists].map((list) => list.finished))
    cancel()
  }

  /** The throttle state of all hosts, to be restored after a restart. */
  hostStates(): HostState[] {
    return this.fetcher.hostStates()
  }

  /** The throttle state of one host. */
  hostState(key: string): HostState | undefined {
    return this.fetcher.stateOf(key)
  }

  /** How often a host has requested another delay than before. */
  get delayChanges(): number {
    return this.fetcher.delayChanges
  }

  /** Restores the `hostStates()` of an earlier process; to be called before the first `join`. */
  restoreHosts(states: Iterable<HostState>): void {
    this.fetcher.restore(states)
  }

  #enterListed(list: FetchList, task: FetchTask): void {
    list.enter(task)
    this.#feeder.entered()
    this.#once.afterHop(task.url, () => this.#queueUnlessOvertaken(list, task))
  }

  /** A redirect of another list may have led to the URL while this list was generated. Then it is not fetched again. */
  #queueUnlessOvertaken(list: FetchList, task: FetchTask): void {
    const isOver = this.#stopped || list.closed
    if (!isOver && this.#once.isOvertaken(task.url, list.rowsKnown))
      this.#guarded(list, this.#recordRejected(list, task, { reason: 'a redirect led there before' }))
    else this.#queue(list, task)
  }

  #enterHop(list: FetchList, hop: FetchTask): void {
    list.enter(hop)
    this.#feeder.entered()
    this.#once.beginHop(hop.url)
    this.#queue(list, hop)
  }

  #queue(list: FetchList, task: FetchTask): void {
    this.#guarded(list, this.#fetch(list, task))
  }

  async #fetch(list: FetchList, task: FetchTask): Promise<void> {
    const { url, validators, priority } = task
    const render = this.#rendering?.modeOf(url)
    const maxBodyBytes = task.metadata[SITEMAP_KEY] === undefined ? undefined : MAX_SITEMAP_BYTES
    const result = await this.#pages.fetch({
      request: { url, ...withoutUndefined({ validators, maxBodyBytes }) },
      ...withoutUndefined({ render }),
      priority,
      retries: this.#options.retries,
      isCancelled: list.isClosed,
    })
    if (result.kind !== 'fetched') return this.#recordUnfetched(list, task, result)
    // Redirect targets are looked up in batches; the slot is free meanwhile.
    if (result.outcome.kind === 'moved') result.release()
    try {
      await this.#recordOutcome(list, task, result.outcome, result.aiUse)
    } finally {
      result.release()
    }
  }

  async #recordUnfetched(
    list: FetchList,
    task: FetchTask,
    result: Exclude<PoliteResult, { kind: 'fetched' }>,
  ): Promise<void> {
    switch (result.kind) {
      case 'host-failed':
        return this.#recordOutcome(list, task, result.outcome)
      case 'rejected':
        return this.#recordRejected(list, task, result)
      case 'unsendable':
        throw result.error
      case 'interrupted':
      case 'not-owned':
      case 'dropped':
        return this.#leave(list, task)
      default:
        return this.#record(list, { fetch: robotsRow(task, result, this.#clock.now()) })
    }
  }

  async #recordOutcome(
    list: FetchList,
    task: FetchTask,
    outcome: FetchOutcome,
    aiUse: readonly AiUseStatement[] = [],
  ): Promise<void> {
    const record = await this.#unlessAborted(this.#recorder.recordOf(task, outcome, aiUse))
    if (record === undefined) return this.#leave(list, task)
    const { page, follow } = record
    // Before this task leaves, because the list might end with it.
    if (follow !== undefined && !list.isShared && !this.#once.has(follow))
      this.#enterHop(list, redirectTask(task, follow))
    await this.#record(list, page)
  }

  /** `undefined` if the run is stopped and `graceMs` have passed before `work` is done. */
  #unlessAborted<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const giveUp = () => resolve(undefined)
      this.#giveUps.add(giveUp)
      work.then(resolve, reject).finally(() => this.#giveUps.delete(giveUp))
    })
  }

  async #recordRejected(
    list: FetchList,
    task: FetchTask,
    { reason, retryAt, failed }: Omit<Extract<PoliteResult, { kind: 'rejected' }>, 'kind'>,
  ): Promise<void> {
    const fetch =
      failed === undefined ? notReachedRow(task, reason, this.#clock.now(), retryAt) : fetchRow(task, failed)
    // A redirect target that is not on a list needs no row: the CrawlDb gets it as a link.
    if (task.listed || failed !== undefined) await this.#record(list, { fetch })
    else this.#leave(list, task)
  }

  async #record(list: FetchList, page: PageRecord): Promise<void> {
    this.#monitor.count(page.fetch)
    logRecord(this.#log, page)
    this.#countHost(page.fetch)
    this.#once.count(page.fetch.url)
    const recorded = list.record(page)
    this.#once.endHop(page.fetch.url)
    await recorded
    this.#left(list)
  }

  #countHost(row: FetchRow): void {
    if (row.status === 'not_reached' || row.protocolStatus === 'ROBOTS_DENIED') return
    this.#hosts.add(hostOf(row.url), row.responseMs, failureKind(row))
  }

  /** A task ends without a row. */
  #leave(list: FetchList, task: FetchTask): void {
    if (task.from !== undefined) {
      list.hops.delete(task.url)
      this.#once.endHop(task.url)
    }
    if (task.listed) list.leaveForLater(task.url)
    this.#left(list)
  }

  #left(list: FetchList): void {
    list.leave(this.#clock.now())
    this.#feeder.left()
  }

  /** An error here is not the failure of a server, so the whole list fails. */
  #guarded(list: FetchList, step: Promise<void>): void {
    step.catch((error: unknown) => {
      list.fail(error)
      this.#left(list)
    })
  }
}
