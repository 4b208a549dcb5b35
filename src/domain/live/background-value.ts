import type { Clock } from '../../base/clock.ts'

/**
 * A value that takes long to compute. Readers get the last one at once; an old one is computed again in the background, so that a report
 * does not wait for a database.
 */
export class BackgroundValue<T> {
  readonly #clock: Clock
  readonly #load: () => Promise<T>
  #value: T | undefined
  #isClosed = false
  #loading: Promise<void> | undefined
  #nextLoadAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, load: () => Promise<T>) {
    this.#clock = clock
    this.#load = load
  }

  /** `undefined` until the first value is known. */
  get latest(): T | undefined {
    if (this.#loading === undefined && !this.#isClosed && this.#clock.now() >= this.#nextLoadAt)
      this.#loading = this.#reload()
    return this.#value
  }

  /** Fulfilled when no computation runs. None is started afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#loading
  }

  async #reload(): Promise<void> {
    const startedAt = this.#clock.now()
    try {
      this.#value = await this.#load()
    } catch {
      // The last value stays. If the store cannot be read, the crawl itself fails.
    }
    const now = this.#clock.now()
    // A computation that takes long runs rarely.
    this.#nextLoadAt = now + Math.max(MIN_AGE_MS, SHARE * (now - startedAt))
    this.#loading = undefined
  }
}

const MIN_AGE_MS = 3_000
/** At most one percent of the time: watching must not slow the crawl down. */
const SHARE = 100
