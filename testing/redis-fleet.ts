import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts'
import { RedisFrontier, type RedisFrontierOptions } from '../src/adapters/redis/redis-frontier.ts'
import type { Clock } from '../src/base/clock.ts'
import type { FakeClock } from './fake-clock.ts'

/** A worker of a fleet, in the process of a test: it can be suspended and killed. */
export class TestWorker {
  readonly frontier: RedisFrontier
  readonly #clock: MortalClock

  constructor(
    connection: RedisConnection,
    clock: FakeClock,
    crawl: string,
    options: RedisFrontierOptions = {},
  ) {
    this.#clock = new MortalClock(clock)
    this.frontier = new RedisFrontier(connection, this.#clock, crawl, { wallClock: clock, ...options })
  }

  get isRunning(): boolean {
    return !this.#clock.stopped
  }

  /** Suspends the worker, as SIGSTOP does; without `resume`, as SIGKILL does. */
  stop(): void {
    this.#clock.stopped = true
  }

  /** Runs the timers that expired in the meantime. */
  resume(): void {
    this.#clock.resume()
  }
}

/** Advances the clock of a fleet, in steps short enough for running workers to renew their leases. */
export async function passTime(clock: FakeClock, ms: number, workers: readonly TestWorker[]): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    clock.advance(Math.min(left, STEP_MS))
    for (const worker of workers) if (worker.isRunning) await worker.frontier.renew()
  }
}

const STEP_MS = 4_000

class MortalClock implements Clock {
  stopped = false
  readonly #base: Clock
  #missed: Array<() => void> = []

  constructor(base: Clock) {
    this.#base = base
  }

  now(): number {
    return this.#base.now()
  }

  after(ms: number, run: () => void): () => void {
    return this.#base.after(ms, () => {
      if (this.stopped) this.#missed.push(run)
      else run()
    })
  }

  resume(): void {
    this.stopped = false
    const missed = this.#missed
    this.#missed = []
    for (const run of missed) run()
  }
}
