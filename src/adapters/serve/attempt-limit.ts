import type { Clock } from '../../base/clock.ts'

/** Blocks clients that send invalid tokens: at most ten per minute and client, and a hundred per minute in total. */
export class AttemptLimit {
  readonly #clock: Clock
  readonly #failures = new Map<string, number>()
  #total = 0
  #since = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  isBlocked(client: string): boolean {
    this.#startMinute()
    return (this.#failures.get(client) ?? 0) >= PER_CLIENT || this.#total >= IN_TOTAL
  }

  failed(client: string): void {
    this.#startMinute()
    this.#failures.set(client, (this.#failures.get(client) ?? 0) + 1)
    this.#total++
  }

  #startMinute(): void {
    if (this.#clock.now() - this.#since < MINUTE_MS) return
    this.#since = this.#clock.now()
    this.#failures.clear()
    this.#total = 0
  }
}

const PER_CLIENT = 10
const IN_TOTAL = 100
const MINUTE_MS = 60_000
