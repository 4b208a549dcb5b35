import type { Clock } from '../src/base/clock.ts'

/** A clock on which every wait is over in the next turn of the event loop. For code that waits between real requests. */
export class InstantClock implements Clock {
  /** The requested delays, in order. */
  readonly waitsMs: number[] = []
  #now = 1_800_000_000_000

  now(): number {
    return this.#now
  }

  after(ms: number, run: () => void): () => void {
    this.waitsMs.push(ms)
    const turn = setImmediate(() => {
      this.#now += ms
      run()
    })
    return () => clearImmediate(turn)
  }
}
