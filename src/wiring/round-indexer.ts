import type { TargetResult } from '../flows/cycle/index-pages.ts'

/**
 * Indexes beside a crawl: after each round that came to its end, unless the last time is not over yet; then once more after it. The crawl
 * never waits for it but at its own end.
 */
export class RoundIndexer {
  readonly #index: () => Promise<TargetResult[]>
  #running: Promise<void> | undefined
  #wanted = false
  readonly #results = new Map<string, TargetResult>()
  #failure: { readonly error: unknown } | undefined

  /** @param index brings the indexes up to date */
  constructor(index: () => Promise<TargetResult[]>) {
    this.#index = index
  }

  roundEnded(): void {
    this.#wanted = true
    this.#running ??= this.#work()
  }

  /** Fulfilled when nothing is being indexed. */
  async idle(): Promise<void> {
    await this.#running
  }

  /** Brings the indexes up to date with all that the crawl has brought. The numbers are those of the whole crawl. */
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

/** How it ended is how it ended the last time. */
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
