import type { Clock } from '../../base/clock.ts'
import { cachedFor } from './cached-for.ts'

/** Results that all clients share for almost a second, so that many clients cost as much as one. */
export class SharedResults {
  readonly #clock: Clock
  readonly #loads = new Map<string, () => Promise<unknown>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param key must determine `load` */
  get<T>(key: string, load: () => Promise<T>): Promise<T> {
    let shared = this.#loads.get(key)
    if (shared === undefined) {
      shared = cachedFor(this.#clock, SHARED_MS, load)
      const [oldest] = this.#loads.keys()
      if (oldest !== undefined && this.#loads.size >= MAX_RESULTS) this.#loads.delete(oldest)
      this.#loads.set(key, shared)
    }
    return shared() as Promise<T>
  }
}

/** Shorter than the interval of clients that update every second: each gets new figures. */
const SHARED_MS = 900
const MAX_RESULTS = 100
