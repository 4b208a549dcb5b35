import { SearchBusy } from './serve-ports.ts'

export interface ScanLimitOptions {
  /** Maximum number of concurrent scans. @default 2 */
  readonly atOnce?: number
  /** Maximum number of requests that wait for a slot. @default 16 */
  readonly waiting?: number
}

/**
 * Limits concurrent work that reads whole segments or tables, so that a crawl on the same machine keeps disk and memory bandwidth.
 * Requests beyond the limit wait; if too many wait, more are rejected with `SearchBusy`.
 */
export class ScanLimit {
  readonly #atOnce: number
  readonly #maxWaiting: number
  readonly #waiting: Array<() => void> = []
  #running = 0

  constructor({ atOnce = 2, waiting = 16 }: ScanLimitOptions = {}) {
    this.#atOnce = atOnce
    this.#maxWaiting = waiting
  }

  /** @param signal of the request; if it is aborted before the work starts, the work is skipped */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= this.#maxWaiting)
        throw new SearchBusy('Too many requests are running. Try again in a moment.')
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#running++
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      // The slot goes to the next waiting request, or is free.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
