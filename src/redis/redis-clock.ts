import type { Clock } from '../base/clock.ts'
import type { RedisConnection } from './connection.ts'
import type { JobKeys } from './keys.ts'
import { serverFacts } from './server-facts.ts'

/**
 * The time of the Redis that holds the crawl, so that all machines of a fleet agree when a host may be asked and when a lease has ended,
 * however their own clocks are set. It never goes back.
 */
export class RedisClock implements Clock {
  readonly #base: Clock
  readonly #measure: () => Promise<number>
  #offsetMs = 0
  #latest = Number.NEGATIVE_INFINITY
  #cancelTimer = (): void => {}
  #stopped = false

  /** @param base a steady one */
  constructor(base: Clock, connection: RedisConnection, keys: JobKeys) {
    this.#base = base
    this.#measure = async () => (await serverFacts(connection, keys)).now
  }

  now(): number {
    this.#latest = Math.max(this.#latest, this.#base.now() + this.#offsetMs)
    return this.#latest
  }

  after(ms: number, run: () => void): () => void {
    return this.#base.after(ms, run)
  }

  /** Asks Redis for the time, and again every minute. */
  async start(): Promise<void> {
    await this.sync()
    if (this.#stopped) return
    this.#cancelTimer = this.#base.after(SYNC_EVERY_MS, () => void this.start().catch(() => {}))
  }

  /** The quickest of some replies is believed: it says most exactly when the server looked at its clock. */
  async sync(): Promise<void> {
    let quickest = Number.POSITIVE_INFINITY
    // Set when all are in: one that Redis was away for is off by half of that time, and the clock cannot go back afterwards.
    let offsetMs = this.#offsetMs
    for (let i = 0; i < SAMPLES; i++) {
      const asked = this.#base.now()
      const server = await this.#measure()
      const answered = this.#base.now()
      if (answered - asked >= quickest) continue
      quickest = answered - asked
      offsetMs = server - (asked + answered) / 2
    }
    this.#offsetMs = offsetMs
  }

  stop(): void {
    this.#stopped = true
    this.#cancelTimer()
  }
}

const SAMPLES = 5
const SYNC_EVERY_MS = 60_000
