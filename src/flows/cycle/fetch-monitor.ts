import type { Clock } from '../../base/clock.ts'
import type { PoliteFetcher } from '../../domain/politeness/polite-fetcher.ts'
import type { FetchRow } from '../../domain/segment/segment-rows.ts'
import { FetchCounters, type FetchProgress } from './fetch-progress.ts'

/** The limits of a fetch. */
export interface FetchLimits {
  /** @default none */
  readonly timeLimitMs?: number
  /** The run ends after `slowSeconds` in a row with fewer pages per second than this. @default none */
  readonly minPagesPerSecond?: number
  /** @default 5 */
  readonly slowSeconds?: number
  /** Milliseconds from the start before the rate is checked. @default 300000 */
  readonly rateCheckAfterMs?: number
}

/** The limit that stopped a run. */
export type LimitReached = 'time limit' | 'too few pages per second'

/** Checks the limits of a run every second. */
export class LimitWatch {
  readonly #limits: FetchLimits
  #slowSeconds = 0

  constructor(limits: FetchLimits) {
    this.#limits = limits
  }

  /**
   * The limit that was reached, or `undefined`. To be called every second.
   * @param isPaused a paused run is not slow
   */
  verdict(elapsedMs: number, pagesLastSecond: number, isPaused = false): LimitReached | undefined {
    const { timeLimitMs = Number.POSITIVE_INFINITY, minPagesPerSecond = 0 } = this.#limits
    const { slowSeconds = 5, rateCheckAfterMs = 300_000 } = this.#limits
    if (elapsedMs >= timeLimitMs) return 'time limit'
    const isSlow = !isPaused && elapsedMs >= rateCheckAfterMs && pagesLastSecond < minPagesPerSecond
    this.#slowSeconds = isSlow ? this.#slowSeconds + 1 : 0
    return this.#slowSeconds >= slowSeconds ? 'too few pages per second' : undefined
  }
}

export interface FetchMonitorOptions extends FetchLimits {
  readonly threads: number
  readonly onProgress: (progress: FetchProgress) => void
}

/** Checks a run every second: aborts hung requests, stops the run at its limits, and reports the progress. */
export class FetchMonitor {
  readonly #clock: Clock
  readonly #fetcher: PoliteFetcher
  readonly #options: FetchMonitorOptions
  readonly #finish: (reason: LimitReached) => void
  readonly #counters: FetchCounters
  readonly #limits: LimitWatch
  #cancelTick = (): void => {}

  /** @param finish stops the run; it may be called more than once */
  constructor(
    clock: Clock,
    fetcher: PoliteFetcher,
    options: FetchMonitorOptions,
    finish: (reason: LimitReached) => void,
  ) {
    this.#clock = clock
    this.#fetcher = fetcher
    this.#options = options
    this.#finish = finish
    this.#counters = new FetchCounters(clock.now())
    this.#limits = new LimitWatch(options)
  }

  start(): void {
    this.#cancelTick = this.#clock.after(1_000, () => {
      this.start()
      this.#fetcher.abortHung()
      this.#counters.tick(this.#clock.now())
      const progress = this.progress()
      const over = this.#limits.verdict(progress.elapsedMs, progress.pagesPerSecond, this.#fetcher.isPaused)
      if (over !== undefined) this.#finish(over)
      this.#options.onProgress(progress)
    })
  }

  stop(): void {
    this.#cancelTick()
  }

  get pages(): number {
    return this.#counters.pages
  }

  count(row: FetchRow): void {
    this.#counters.add(row)
  }

  progress(): FetchProgress {
    const { active } = this.#fetcher
    const { queues, parked, queued } = this.#fetcher.counts()
    const waiting = this.#options.threads - active
    return this.#counters.progress(this.#clock.now(), { active, waiting, queues, parked, queued })
  }
}
