import type { Clock } from '../base/clock.ts'
import type { TargetResult } from '../flows/cycle/index-pages.ts'

/** `round`: a round has ended. `pages`: only some time has passed, in which pages may have been stored. */
export type IndexOccasion = 'round' | 'pages'

export interface RoundIndexerOptions {
  readonly clock: Clock
  /** Time from the end of one indexing to the next while a round runs. */
  readonly everyMs: number
}

/**
 * Indexes alongside a crawl, after each round, and with options also within rounds. If indexing is still running at the end of a round, it runs
 * once more afterwards. The crawl waits for it only at its end.
 */
export class RoundIndexer {
  readonly #index: (occasion: IndexOccasion) => Promise<TargetResult[]>
  readonly #options: RoundIndexerOptions | undefined
  #running: Promise<void> | undefined
  #wanted: IndexOccasion | undefined
  #cancelTimer = () => {}
  #isEnding = false
  readonly #results = new Map<string, TargetResult>()
  #failure: { readonly error: unknown } | undefined

  /**
   * @param index updates the indexes
   * @param options of indexing within rounds. @default only after rounds
   */
  constructor(
    index: (occasion: IndexOccasion) => Promise<TargetResult[]>,
    options: RoundIndexerOptions | undefined = undefined,
  ) {
    this.#index = index
    this.#options = options
    this.#startTimer()
  }

  roundEnded(): void {
    this.#want('round')
  }

  /** Resolves when no indexing is running; none is started by time after it. */
  async idle(): Promise<void> {
    this.#isEnding = true
    this.#cancelTimer()
    await this.#running
  }

  /** Indexes the last changes. The counts are those of the whole crawl. */
  async finish(): Promise<TargetResult[]> {
    this.roundEnded()
    await this.idle()
    if (this.#failure !== undefined) throw this.#failure.error
    return [...this.#results.values()]
  }

  #want(occasion: IndexOccasion): void {
    if (this.#wanted !== 'round') this.#wanted = occasion
    this.#cancelTimer()
    this.#running ??= this.#work()
  }

  #startTimer(): void {
    if (this.#options === undefined || this.#isEnding) return
    const { clock, everyMs } = this.#options
    this.#cancelTimer = clock.after(everyMs, () => this.#want('pages'))
  }

  async #work(): Promise<void> {
    try {
      while (this.#wanted !== undefined) {
        const occasion = this.#wanted
        this.#wanted = undefined
        for (const result of await this.#index(occasion)) this.#add(result)
      }
    } catch (error) {
      this.#failure = { error }
    } finally {
      this.#running = undefined
      this.#startTimer()
    }
  }

  #add(result: TargetResult): void {
    const earlier = this.#results.get(result.target)
    this.#results.set(result.target, earlier === undefined ? result : sum(earlier, result))
  }
}

/** `ended` is that of the last time. */
function sum(earlier: TargetResult, later: TargetResult): TargetResult {
  const unindexed = { ...earlier.unindexed }
  for (const [reason, n] of Object.entries(later.unindexed) as [keyof typeof unindexed, number][])
    unindexed[reason] = (unindexed[reason] ?? 0) + n
  return {
    ...later,
    put: earlier.put + later.put,
    updated: earlier.updated + later.updated,
    deleted: earlier.deleted + later.deleted,
    refused: earlier.refused + later.refused,
    unindexed,
    refusals: [...earlier.refusals, ...later.refusals],
  }
}
