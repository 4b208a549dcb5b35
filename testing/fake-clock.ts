import type { Clock } from '../src/base/clock.ts'

/** A clock that a test advances. Timers that come due run in order, each at its own time. */
export class FakeClock implements Clock {
  #now: number
  #timers: Array<{ readonly at: number; readonly run: () => void }> = []

  constructor(startMs = 1_800_000_000_000) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  /** Time until the next timer runs. 0 without timers. */
  get untilNextMs(): number {
    const next = Math.min(...this.#timers.map(({ at }) => at))
    return Number.isFinite(next) ? Math.max(0, next - this.#now) : 0
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.#timers = this.#timers.filter((timer) => timer !== due)
      this.#now = Math.max(this.#now, due.at)
      due.run()
    }
    this.#now = end
  }
}
