import type { Clock } from '../src/base/clock.ts'

/** The time of day, on which every wait is over at once. For clients of real servers that check the time. */
export class QuickClock implements Clock {
  /** The requested delays, in order. */
  readonly waitsMs: number[] = []
  /** How far it is ahead. */
  readonly #aheadMs: number

  constructor(aheadMs = 0) {
    this.#aheadMs = aheadMs
  }

  now(): number {
    return Date.now() + this.#aheadMs
  }

  after(ms: number, run: () => void): () => void {
    this.waitsMs.push(ms)
    const turn = setImmediate(run)
    return () => clearImmediate(turn)
  }
}
