import type { Clock } from '../../base/clock.ts'

/** One timer that is set to another time again and again. */
export class WakeTimer {
  readonly #clock: Clock
  readonly #wake: () => void
  #cancel = (): void => {}
  #wakeAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock
    this.#wake = wake
  }

  /** Sets the timer, unless it has this time already, as in most cases. `Infinity` cancels it. */
  set(time: number): void {
    if (time === this.#wakeAt) return
    this.#cancel()
    this.#wakeAt = time
    if (time === Number.POSITIVE_INFINITY) return
    // Rounded up: a timer that fires a fraction of a millisecond early would have to be set again.
    const ms = Math.max(0, Math.ceil(time - this.#clock.now()))
    this.#cancel = this.#clock.after(ms, () => {
      this.#wakeAt = Number.POSITIVE_INFINITY
      this.#wake()
    })
  }
}
