import type { Clock } from '../../base/clock.ts'
import { DropCounter, type DropCounts } from '../../base/drop-counts.ts'
import { Interrupted } from '../../base/interrupted.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlDb, HostWaits } from '../../domain/crawldb/crawl-db.ts'
import type { GenerateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import type { UpdateRules } from '../../domain/crawldb/update-record.ts'
import { type HostStateStore, persistHostStates } from '../../domain/politeness/persist-host-states.ts'
import { FailureTally, type FetchFailure } from '../../domain/segment/fetch-failure.ts'
import type { HostFigures } from '../../domain/segment/host-tally.ts'
import { CONTENT_STATUSES } from '../../domain/segment/segment-rows.ts'
import type { SegmentAppender, SegmentStore } from '../../domain/segment/segment-store.ts'
import type { FetchLoop } from './fetch-loop.ts'
import type { LimitReached } from './fetch-monitor.ts'
import type { FetchResult } from './fetch-result.ts'
import { freeLostSegments, UnfinishedSegments } from './unfinished-segments.ts'

export interface RoundParts {
  readonly db: CrawlDb
  readonly segments: SegmentStore
  readonly loop: FetchLoop
  /** Persists the throttle state of hosts. */
  readonly hostStateStore: HostStateStore
  readonly rules: UpdateRules
  /** The wall clock, for due times. */
  readonly clock: Clock
}

export interface RoundOptions {
  /** The usual delay between two requests to one host. */
  readonly delayMs: number
  /** Options of the fetch lists; the rules have the others. */
  readonly generate: Omit<GenerateRequest, 'now' | 'maxIntervalSeconds' | 'scoring'>
  /** Maximum number of rounds. @default no limit */
  readonly rounds?: number
  /** Maximum number of pages. @default no limit */
  readonly maxPages?: number
  /** Minimum time between two rounds, so that a slow crawl does not create many small segments. @default 10000 */
  readonly roundMs?: number
  /** Maximum wait for a host, if all due URLs are of hosts that must wait. @default 300000 */
  readonly maxWaitMs?: number
  /** Called for each fetch list, each update of the CrawlDb and each wait. */
  readonly onRound?: (report: RoundReport) => void
  /** Called after each update of the CrawlDb; the next fetch list waits for it. */
  readonly afterUpdate?: () => Promise<void>
  /** Called when the crawl waits for hosts. `resume` ends the wait, as other URLs have become due. */
  readonly onWait?: (resume: () => void) => void
  /** Called when a step begins; `undefined`: it ended. Pages are fetched meanwhile. */
  readonly onStep?: (step: CrawlStep | undefined) => void
}

/** A step of the crawl in addition to fetching. */
export type CrawlStep = 'generating' | 'updating the CrawlDb'

/** What happens in a round of {@link Crawl.run}, as it happens. `waiting`: no URL is due before `until` (ms since the epoch). */
export type RoundReport =
  | { readonly kind: 'generated'; readonly segment: string; readonly urls: number; readonly round: number }
  /** `urls`: to be fetched now; `left`: all URLs of the segment without a result. */
  | { readonly kind: 'resumed'; readonly segment: string; readonly urls: number; readonly left: number }
  | { readonly kind: 'fetched'; readonly result: FetchResult }
  | { readonly kind: 'updated'; readonly fetched: number; readonly added: number }
  | { readonly kind: 'waiting'; readonly waits: HostWaits; readonly until: number }

/** The reason why a crawl stopped. */
export type CrawlStopReason =
  | ('nothing due' | 'hosts waiting' | 'no progress' | 'rounds' | 'pages' | 'interrupted')
  | LimitReached

/** The sums over all rounds of a crawl, and why it stopped. */
export interface CrawlResult {
  readonly ended: CrawlStopReason
  readonly rounds: number
  readonly segments: readonly string[]
  /** Results were merged into the CrawlDb, also if an earlier run fetched them and was killed before. */
  readonly hasMerged: boolean
  /** Pages fetched with success. */
  readonly pages: number
  /** URLs that were not known before. */
  readonly added: number
  readonly statuses: Readonly<Record<string, number>>
  /** Fetches without a page, by kind, most frequent first. */
  readonly failures: readonly FetchFailure[]
  readonly hosts: HostFigures
  /** URLs of fetch lists that were not requested, by reason. They stay due. */
  readonly notReached: Readonly<Record<string, number>>
  /** Links, redirect targets, bodies and texts that were dropped, by reason. */
  readonly dropped: DropCounts
  /** URLs that are due now and were not fetched: left out of the fetch lists, or found since. */
  readonly due: number
  /** Those among them that the last fetch list left out because a filter rejects them. */
  readonly rejected: number
  /** The same by the rule that rejects them. */
  readonly rejectedBy: DropCounts
  /** Those that the novelty budget held back. */
  readonly held: number
  readonly bytes: number
  readonly durationMs: number
  /** Hosts with due URLs that must wait, when the crawl ended. */
  readonly waiting: HostWaits
}

/**
 * Crawls in overlapping rounds until nothing is due or a limit is reached: while the slow hosts of one fetch list are still being
 * requested, the results of the others are merged into the CrawlDb and the next list joins the same host queues. Segments that an earlier
 * run left unfinished are finished first. After `signal` the next call resumes.
 */
export async function crawlInRounds(
  parts: RoundParts,
  options: RoundOptions,
  signal: AbortSignal,
): Promise<CrawlResult> {
  const updateEnd = new AbortController()
  const run = new CrawlRun(parts, options, signal, updateEnd.signal)
  let cancel = (): void => {}
  const stop = (): void => {
    cancel = parts.clock.after(UPDATE_GRACE_MS, () => updateEnd.abort())
    void parts.loop.stop()
  }
  signal.addEventListener('abort', stop)
  try {
    return await persistHostStates(parts.loop, parts.hostStateStore, parts.clock, options.delayMs, () =>
      run.run(),
    )
  } finally {
    signal.removeEventListener('abort', stop)
    cancel()
    await run.close()
  }
}

interface OpenList {
  readonly appender: SegmentAppender
  /** Resolves when its rows are on disk. */
  readonly done: Promise<void>
}

class CrawlRun {
  readonly #parts: RoundParts
  readonly #options: RoundOptions
  readonly #signal: AbortSignal
  /** Ends updates some time after the stop: the next run repeats what is left. */
  readonly #updateEnd: AbortSignal
  readonly #startedAt: number
  readonly #open = new Map<string, OpenList>()
  readonly #segments: string[] = []
  /** Segments with rows that are not merged into the CrawlDb yet. */
  readonly #unmerged = new Set<string>()
  /** Segments of an earlier run; the page limit may allow a part of their URLs. */
  readonly #unfinished: UnfinishedSegments
  readonly #statuses: Record<string, number> = {}
  readonly #failures = new FailureTally()
  readonly #notReached = new DropCounter()
  readonly #dropped = new DropCounter()
  #rejected: DropCounts = {}
  #held = 0
  #rounds = 0
  #pages = 0
  #added = 0
  #bytes = 0
  /** URLs on open lists, and on all lists. */
  #promised = 0
  #joined = 0
  /** Rows of the loop that are merged into the CrawlDb. */
  #rowsMerged = 0
  /** Results were merged into the CrawlDb, of this run or of an earlier one that was killed. */
  #hasMerged = false
  /** Consecutive rounds without a request and without a result. */
  #idleRounds = 0
  #progressed = true
  /** The error of a list; the crawl fails with it. */
  #failure: unknown

  constructor(parts: RoundParts, options: RoundOptions, signal: AbortSignal, updateEnd: AbortSignal) {
    this.#parts = parts
    this.#options = options
    this.#signal = signal
    this.#updateEnd = updateEnd
    this.#startedAt = parts.clock.now()
    this.#unfinished = new UnfinishedSegments(parts.db, parts.segments)
  }

  async run(): Promise<CrawlResult> {
    await this.#resume()
    let ended: CrawlStopReason | undefined
    while (ended === undefined) {
      await this.#update()
      ended = this.#limit()
      if (ended !== undefined) break
      const found = await this.#nextRound()
      // A list may have ended since the update: then its results are not merged yet.
      if (found || this.#unmerged.size > 0) await this.#waitForNextRound(found)
      else ended = await this.#waitForHosts()
    }
    await this.#waitForLists()
    await this.#update()
    await this.#planNextRun()
    const { db, clock, rules } = this.#parts
    return {
      ended: this.#signal.aborted ? 'interrupted' : ended,
      rounds: this.#rounds,
      segments: this.#segments,
      hasMerged: this.#hasMerged,
      pages: this.#pages,
      added: this.#added,
      statuses: this.#statuses,
      failures: this.#failures.failures(),
      hosts: this.#parts.loop.hostFigures(),
      notReached: this.#notReached.counts(),
      dropped: this.#dropped.counts(),
      due: await db.countDue(clock.now(), rules.schedule.maxIntervalSeconds),
      rejected: Object.values(this.#rejected).reduce((sum, n) => sum + n, 0),
      rejectedBy: this.#rejected,
      held: this.#held,
      bytes: this.#bytes,
      durationMs: clock.now() - this.#startedAt,
      waiting: await db.hostWaits(clock.now()),
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map(({ appender }) => appender.close()))
  }

  /** Resumes the segments of an earlier run. Their rows are merged first, so that no redirect leads to a URL that is fetched already. */
  async #resume(): Promise<void> {
    if ((await this.#unfinished.load()).length === 0) return
    await freeLostSegments(this.#parts.db, this.#parts.segments)
    for (const name of await this.#unfinished.load()) this.#unmerged.add(name)
    if (this.#unmerged.size === 0) return
    await this.#update()
    await this.#unfinished.load()
    await this.#joinUnfinished()
  }

  /** Adds unfinished segments to the loop, as far as the page limit allows; `false` if it allows none now. */
  async #joinUnfinished(): Promise<boolean> {
    let isJoined = false
    for (let max = this.#pagesLeft(); max > 0; max = this.#pagesLeft()) {
      const next = await this.#unfinished.take(max)
      if (next === undefined) break
      this.#options.onRound?.({ kind: 'resumed', ...next })
      await this.#join(next.segment, next.urls, next.urls < next.left ? next.urls : undefined)
      isJoined = true
    }
    return isJoined
  }

  #limit(): CrawlStopReason | undefined {
    if (this.#signal.aborted) return 'interrupted'
    // A list that joined now would not be fetched.
    if (this.#parts.loop.ending !== undefined) return this.#parts.loop.ending
    if (this.#rounds >= (this.#options.rounds ?? Number.POSITIVE_INFINITY)) return 'rounds'
    if (this.#open.size === 0 && this.#idleRounds >= MAX_IDLE_ROUNDS) return 'no progress'
    return this.#pagesLeft() <= 0 && this.#open.size === 0 ? 'pages' : undefined
  }

  /** Pages that the limit allows in addition to the URLs on open lists. */
  #pagesLeft(): number {
    return (this.#options.maxPages ?? Number.POSITIVE_INFINITY) - this.#pages - this.#promised
  }

  /** Adds a fetch list of due URLs to the loop; `false` if none are due. */
  async #nextRound(): Promise<boolean> {
    const { db, rules, clock } = this.#parts
    const { generate, onRound } = this.#options
    if (this.#unfinished.size > 0) return this.#joinUnfinished()
    const topN = Math.min(generate.topN ?? Number.POSITIVE_INFINITY, this.#pagesLeft())
    if (topN <= 0) return false
    const request = {
      ...generate,
      ...(Number.isFinite(topN) && { topN }),
      now: clock.now(),
      maxIntervalSeconds: rules.schedule.maxIntervalSeconds,
      scoring: rules.scoring,
      signal: this.#signal,
    }
    const generated = await this.#step('generating', () => db.generate(request)).catch((error: unknown) => {
      if (!(error instanceof Interrupted)) throw error
    })
    if (generated === undefined) return false
    const { segments, selected, rejected } = generated
    this.#rejected = rejected
    this.#held = generated.held ?? 0
    if (selected === 0) return false
    this.#rounds++
    this.#idleRounds = this.#progressed ? 0 : this.#idleRounds + 1
    this.#progressed = false
    for (const { name, urls } of segments) {
      onRound?.({ kind: 'generated', segment: name, urls, round: this.#rounds })
      await this.#join(name, urls)
    }
    return true
  }

  async #join(name: string, promised: number, maxUrls?: number): Promise<void> {
    const { segments, loop } = this.#parts
    const appender = await segments.append(name)
    if (!this.#segments.includes(name)) this.#segments.push(name)
    this.#unmerged.add(name)
    this.#promised += promised
    this.#joined += promised
    const rowsKnown = this.#rowsMerged
    const entries = segments.remaining(name)
    const fetching = loop.join({ name, entries, appender, rowsKnown, ...withoutUndefined({ maxUrls }) })
    // A list that joins after the stop is not stopped by it.
    if (this.#signal.aborted) void loop.stop()
    const done = fetching
      .then((result) => this.#count(result))
      .finally(() => appender.close())
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .then(() => {
        this.#promised -= promised
        this.#open.delete(name)
      })
    this.#open.set(name, { appender, done })
  }

  #count(result: FetchResult): void {
    for (const [status, n] of Object.entries(result.statuses))
      this.#statuses[status] = (this.#statuses[status] ?? 0) + n
    this.#failures.addAll(result.failures)
    this.#notReached.addAll(result.notReached)
    for (const status of PAGE_STATUSES) this.#pages += result.statuses[status] ?? 0
    this.#bytes += result.bytes
    if (Object.keys(result.statuses).some((status) => status !== 'not_reached')) this.#progressed = true
    this.#options.onRound?.({ kind: 'fetched', result })
  }

  /** Merges all rows on disk into the CrawlDb, those of running lists included. */
  async #update(): Promise<void> {
    if (this.#unmerged.size === 0) return
    const names = [...this.#unmerged]
    const { recorded } = this.#parts.loop
    for (const { appender } of this.#open.values()) await appender.flush()
    this.#unmerged.clear()
    for (const name of this.#open.keys()) this.#unmerged.add(name)
    const { db, rules, clock } = this.#parts
    const { novelty } = this.#options.generate
    const signal = this.#updateEnd
    const update = { segments: names, rules, now: clock.now(), signal, ...withoutUndefined({ novelty }) }
    const { fetched, added, dropped, hostsPutOff } = await this.#step('updating the CrawlDb', () =>
      db.update(update),
    )
    this.#hasMerged ||= fetched > 0
    this.#added += added
    this.#dropped.addAll(dropped)
    if (added + hostsPutOff > 0) this.#progressed = true
    this.#rowsMerged = recorded
    await this.#options.afterUpdate?.()
    if (fetched > 0) this.#options.onRound?.({ kind: 'updated', fetched, added })
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Updates the plan of the schedule with the last results, for the statistics and for the next run. */
  async #planNextRun(): Promise<void> {
    const { db, rules, clock } = this.#parts
    if (!this.#hasMerged || rules.schedule.planning === undefined) return
    await db.update({ segments: [], rules, now: clock.now(), replan: true, signal: this.#updateEnd })
  }

  async #step<T>(step: CrawlStep, work: () => Promise<T>): Promise<T> {
    const { onStep } = this.#options
    onStep?.(step)
    try {
      return await work()
    } finally {
      onStep?.(undefined)
    }
  }

  /**
   * Waits until half of the listed URLs are fetched, or until `roundMs` have passed and the queues run low: new hosts may have been found
   * while a slow host has all remaining URLs. Returns when all lists are done, as they soon are after an interruption.
   * @param found whether URLs were due in the last round; if not, half of the URLs is not enough
   */
  async #waitForNextRound(found: boolean): Promise<void> {
    const { loop, clock } = this.#parts
    const { roundMs = 10_000 } = this.#options
    const since = clock.now()
    const enough = found ? this.#urlsLeft() / 2 : -1
    const allDone = this.#waitForLists()
    while (this.#open.size > 0 && this.#urlsLeft() > enough && clock.now() - since < roundMs) {
      const second = Promise.withResolvers<void>()
      const cancel = clock.after(1_000, second.resolve)
      await Promise.race([allDone, second.promise])
      cancel()
    }
    if (this.#open.size > 0) await Promise.race([allDone, loop.runningLow])
  }

  /** Waits for hosts that may soon be requested again, or returns the reason to stop. */
  async #waitForHosts(): Promise<CrawlStopReason | undefined> {
    const { db, clock, loop } = this.#parts
    const { maxWaitMs = 300_000, onRound, onWait } = this.#options
    const waits = await db.hostWaits(clock.now())
    if (waits.nextAt === undefined || this.#pagesLeft() <= 0) return 'nothing due'
    const waitMs = Math.ceil(waits.nextAt - clock.now())
    if (waitMs > Math.min(maxWaitMs, loop.timeLeftMs)) return 'hosts waiting'
    onRound?.({ kind: 'waiting', waits, until: waits.nextAt })
    const waited = Promise.withResolvers<void>()
    onWait?.(waited.resolve)
    const cancel = clock.after(waitMs, waited.resolve)
    this.#signal.addEventListener('abort', () => waited.resolve())
    if (!this.#signal.aborted) await waited.promise
    cancel()
    return undefined
  }

  /** Approximate number of listed URLs without a row: redirect targets have rows, too. */
  #urlsLeft(): number {
    const rows = Object.values(this.#parts.loop.progress().statuses).reduce((sum, n) => sum + n, 0)
    return Math.max(0, this.#joined - rows)
  }

  async #waitForLists(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ done }) => done))
  }
}

/** An update of the CrawlDb ends so long after a stop. The last one starts when the requests in flight have ended. */
const UPDATE_GRACE_MS = 8_000

/** After so many idle rounds no URL on the lists can be fetched, and further rounds would not change that. */
const MAX_IDLE_ROUNDS = 2

/** The statuses that count as a page for `maxPages`. */
export const PAGE_STATUSES = [...CONTENT_STATUSES, 'fetch_notmodified'] as const
