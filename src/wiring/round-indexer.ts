import type { TargetResult } from '../flows/cycle/index-pages.ts'

/**
 * Indexes alongside a crawl, after each round. If indexing is still running at the end of a round, it runs once more afterwards. The crawl waits
 * for it only at its end.
 */
export class RoundIndexer {
  readonly #index: () => Promise<TargetResult[]>
  #running: Promise<void> | undefined
  #wanted = false
  readonly #results = new Map<string, TargetResult>()
  #failure: { readonly error: unknown } | undefined

  /** @param index updates the indexes */
  constructor(index: () => Promise<TargetResult[]>) {
    this.#index = index
  }

  roundEnded(): void {
    this.#wanted = true
    this.#running ??= this.#work()
  }

  /** Resolves when no indexing is running. */
  async idle(): Promise<void> {
    await this.#running
  }

  /** Indexes the last changes. The counts are those of the whole crawl. */
  async finish(): Promise<TargetResult[]> {
    this.roundEnded()
    await this.#running
    if (this.#failure !== undefined) throw this.#failure.error
    return [...this.#results.values()]
  }

  async #work(): Promise<void> {
    try {
      while (this.#wanted) {
        this.#wanted = false
        for (const result of await this.#index()) this.#add(result)
      }
    } catch (error) {
      this.#failure = { error }
    } finally {
      this.#running = undefined
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
    deleted: earlier.deleted + later.deleted,
    refused: earlier.refused + later.refused,
    unindexed,
    refusals: [...earlier.refusals, ...later.refusals],
  }
}
