import type { PageBudget } from '../../domain/frontier/page-budget.ts'

/**
 * The permits of a run with a page limit: each request takes one right before it is sent, and returns it if it brought no page. Permits are
 * reserved from the budget in small batches: as many as this worker uses in a second.
 */
export class PagePermits {
  readonly #budget: PageBudget
  readonly #onReached: () => void
  readonly #onFailed: (error: unknown) => void
  /** Request ids with a permit, and whether the request brought a page. */
  #inUse = new Map<string, { isPage: boolean }>()
  /** Requests whose permits expired before they ended. */
  readonly #lost = new Set<string>()
  #waiting: Array<{ readonly id: string; readonly resolve: (isGranted: boolean) => void }> = []
  /** Reserved and not in use. */
  #spare = 0
  /** Pages that the budget does not know. */
  #pages = 0
  #left = Number.POSITIVE_INFINITY
  /** Permits to have in advance, and permits taken since the last second. */
  #ahead = 0
  #taken = 0
  #exchange: Promise<void> | undefined
  #isChanged = false
  #isStopped = false

  /**
   * @param onReached called when the limit is reached, by all workers of the run together
   * @param onFailed called when the budget fails
   */
  constructor(budget: PageBudget, onReached: () => void, onFailed: (error: unknown) => void) {
    this.#budget = budget
    this.#onReached = onReached
    this.#onFailed = onFailed
  }

  /** Pages until the limit is reached, as far as known. */
  get left(): number {
    return this.#left - this.#pages
  }

  /** Waits for a permit. `false`: the run has ended. Then, or after the request, `ended` must be called. */
  take(id: string): Promise<boolean> {
    if (this.#isStopped) return Promise.resolve(false)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#taken++
    this.#waiting.push({ id, resolve })
    this.#grant()
    if (this.#spare <= this.#ahead / 2) this.#refreshLater()
    return promise
  }

  /** The request brought a page. */
  spend(id: string): void {
    const permit = this.#inUse.get(id)
    if (permit !== undefined) permit.isPage = true
  }

  /** The request has ended, with or without a permit. `false`: its permit expired, so its results must not be stored. */
  ended(id: string): boolean {
    if (this.#lost.delete(id)) return false
    const permit = this.#inUse.get(id)
    if (permit === undefined) return true
    this.#inUse.delete(id)
    if (permit.isPage) this.#pages++
    else this.#spare++
    this.#grant()
    return true
  }

  /** To be called every second. */
  tick(): void {
    this.#ahead = Math.min(this.#taken, MAX_AHEAD)
    this.#taken = 0
    this.#refreshLater()
  }

  /** Reports the pages so far, and adjusts the reservations. To be called before pages are stored: each stored page must be counted. */
  refresh(): Promise<void> {
    this.#isChanged = true
    this.#exchange ??= this.#exchangeAll()
    return this.#exchange
  }

  /** The run has ended: requests without a permit are not sent. */
  stop(): void {
    this.#isStopped = true
    for (const { resolve } of this.#waiting.splice(0)) resolve(false)
  }

  #refreshLater(): void {
    this.refresh().catch(this.#onFailed)
  }

  async #exchangeAll(): Promise<void> {
    try {
      while (this.#isChanged) {
        this.#isChanged = false
        await this.#exchangeOnce()
      }
    } finally {
      this.#exchange = undefined
    }
  }

  async #exchangeOnce(): Promise<void> {
    const pages = this.#pages
    const ahead = this.#isStopped ? 0 : this.#ahead
    // Permits above that are returned, so no request may take one meanwhile.
    this.#spare = Math.min(this.#spare, ahead)
    const kept = this.#inUse.size + this.#spare
    const wanted = this.#inUse.size + this.#waiting.length + Math.max(ahead, this.#spare)
    const { reserved, left, isLost } = await this.#budget.reserve({ pages, kept, wanted })
    this.#pages -= pages
    this.#left = left
    if (isLost) this.#loseAll()
    else this.#spare += reserved - kept
    this.#grant()
    if (left === 0) this.#onReached()
  }

  #loseAll(): void {
    for (const id of this.#inUse.keys()) this.#lost.add(id)
    this.#inUse = new Map()
    this.#spare = 0
    this.#isChanged = true
  }

  #grant(): void {
    const granted = this.#waiting.splice(0, this.#spare)
    this.#spare -= granted.length
    for (const { id, resolve } of granted) {
      this.#inUse.set(id, { isPage: false })
      resolve(true)
    }
  }
}

/** Calls to the budget are rare enough with that many. */
const MAX_AHEAD = 100
