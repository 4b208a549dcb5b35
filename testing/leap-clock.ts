import { setImmediate as nextTurn } from 'node:timers/promises'
import { FakeClock } from './fake-clock.ts'

/** A clock that can be moved to its next timer: hours of waiting take no time, and a wait without a timer is detected at once. */
export class LeapClock extends FakeClock {
  readonly #due = new Set<{ readonly at: number }>()

  /** Timers that have neither run nor been cancelled. */
  get timers(): number {
    return this.#due.size
  }

  override after(ms: number, run: () => void): () => void {
    const timer = { at: this.now() + ms }
    this.#due.add(timer)
    const cancel = super.after(ms, () => {
      this.#due.delete(timer)
      run()
    })
    return () => {
      this.#due.delete(timer)
      cancel()
    }
  }

  /** Runs the next timer; `false` if there is none. */
  leap(): boolean {
    if (this.#due.size === 0) return false
    const next = Math.min(...[...this.#due].map(({ at }) => at))
    this.advance(Math.max(0, next - this.now()))
    return true
  }

  /** Advances the clock until `work` is settled, and returns its result. Fails if no timer is left, or after `maxMs` of this clock. */
  async run<T>(work: Promise<T>, maxMs = 4 * 3_600_000): Promise<T> {
    let done = false
    const settled = work.finally(() => {
      done = true
    })
    settled.catch(() => {})
    const end = this.now() + maxMs
    for (await quiet(); !done && this.now() < end; await quiet())
      if (!this.leap()) throw new Error('it hangs: nothing is waited for that could happen')
    if (!done) throw new Error(`not done within ${maxMs} ms`)
    return settled
  }
}

/** Waits until no more work can be done without advancing the clock. A page takes a few turns of the event loop: its handler, the rules, an error handler. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await nextTurn()
}
