import { type Clock, wallClock } from '../../base/clock.ts'
import type { JobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { serverFacts } from './server-facts.ts'

/**
 * The time of the crawl, by the Redis that holds it, so that all machines of a fleet agree when a host may be requested, however their own clocks
 * are set. It never goes back. Who owns a host is not decided by it, but by Redis itself.
 */
export class RedisClock implements Clock {
  readonly #base: Clock
  readonly #wall: Clock
  readonly #measure: () => Promise<number>
  #offsetMs = 0
  /** How far `#offsetMs` may be off, and since when. */
  #errorMs = Number.POSITIVE_INFINITY
  #syncedAt = 0
  /** Of the time of day to the steady clock, when Redis last told its time. */
  #wallAheadMs: number
  #latest = Number.NEGATIVE_INFINITY
  #cancelTimer = (): void => {}
  #syncing: Promise<void> | undefined
  #stopped = false

  /**
   * @param base a steady one
   * @param wall the time of day of this machine: when it runs away from `base`, the machine was suspended
   */
  constructor(base: Clock, connection: RedisConnection, keys: JobKeys, wall: Clock = wallClock) {
    this.#base = base
    this.#wall = wall
    this.#wallAheadMs = wall.now() - base.now()
    this.#measure = async () => (await serverFacts(connection, keys)).now
  }

  now(): number {
    const base = this.#base.now()
    if (Math.abs(this.#wall.now() - base - this.#wallAheadMs) > SUSPENDED_MS) this.resync()
    this.#latest = Math.max(this.#latest, base + this.#offsetMs)
    return this.#latest
  }

  after(ms: number, run: () => void): () => void {
    return this.#base.after(ms, run)
  }

  /** Reads the time of Redis now and every minute. */
  async start(): Promise<void> {
    await this.sync()
    if (this.#stopped) return
    this.#cancelTimer = this.#base.after(SYNC_EVERY_MS, () => void this.start().catch(() => {}))
  }

  /** Reads it again soon: Redis was unreachable, or another server has taken over. */
  resync(): void {
    this.#syncing ??= this.sync()
      .catch(() => {})
      .finally(() => {
        this.#syncing = undefined
      })
  }

  /**
   * The quickest of some replies is believed: it says most exactly when the server looked at its clock. An earlier sync that was more exact is
   * kept as long as the new one does not contradict it: on a busy machine, workers would otherwise differ by milliseconds.
   */
  async sync(): Promise<void> {
    this.#wallAheadMs = this.#wall.now() - this.#base.now()
    let quickest = Number.POSITIVE_INFINITY
    // Set when all are in: one that Redis was away for is off by half of that time, and the clock cannot go back afterwards.
    let offsetMs = this.#offsetMs
    for (let i = 0; i < SAMPLES; i++) {
      const sentAt = this.#base.now()
      const server = await this.#measure()
      const receivedAt = this.#base.now()
      if (receivedAt - sentAt >= quickest) continue
      quickest = receivedAt - sentAt
      offsetMs = server - (sentAt + receivedAt) / 2
    }
    const errorMs = quickest / 2
    const now = this.#base.now()
    const earlierErrorMs = this.#errorMs + (now - this.#syncedAt) * MAX_DRIFT
    const isContradicted = Math.abs(offsetMs - this.#offsetMs) > errorMs + earlierErrorMs
    if (errorMs > earlierErrorMs && !isContradicted) return
    this.#offsetMs = offsetMs
    this.#errorMs = errorMs
    this.#syncedAt = now
  }

  stop(): void {
    this.#stopped = true
    this.#cancelTimer()
  }
}

const SAMPLES = 5
const SYNC_EVERY_MS = 60_000
/** How much two clocks drift apart at most, for each millisecond. */
const MAX_DRIFT = 1e-4
/** How far the two clocks of a machine may differ more than before: the time of day is corrected now and then. */
const SUSPENDED_MS = 1_000
