import { Script } from 'node:vm'
import type { Clock } from '../../base/clock.ts'
import { CrawlError } from '../../base/crawl-error.ts'
import { processWatchdog } from './call-watchdog.ts'

/**
 * A handler, hook or pipeline did not finish within `limits.handlerSeconds`.
 * Remedy: Move slow work out of it, or raise the limit.
 */
export class TimeLimitExceeded extends CrawlError {
  readonly code = 'HANDLER_TIMEOUT'
  readonly retryable = false
  readonly limitMs: number

  constructor(limitMs: number) {
    super(`not finished after ${limitMs / 1000} s (limits.handlerSeconds)`)
    this.limitMs = limitMs
  }
}

/**
 * The thread of an isolated spider ended during a call: it ran out of memory, or a handler called `process.exit`.
 * Remedy: Raise `limits.handlerMemoryMb`, or fix the handler.
 */
export class HandlerThreadEnded extends CrawlError {
  readonly code = 'HANDLER_CRASHED'
  readonly retryable = false
}

/** The time that one call of a handler, hook or pipeline may take. */
export function handlerMs({ handlerSeconds = 30 }: { readonly handlerSeconds?: number }): number {
  return handlerSeconds === 0 ? Number.POSITIVE_INFINITY : handlerSeconds * 1_000
}

/** Calls functions of the user within a time limit. */
export interface CallLimit {
  /** The result of a synchronous function, or its error. */
  call<T>(work: () => T): Promise<T>
  /** The value of a promise that settles in time. */
  wait<T>(promise: Promise<T>): Promise<T>
  /** The result of a function that may return a promise. */
  run<T>(work: () => T | Promise<T>): Promise<T>
}

/**
 * Calls functions of the user within a time limit, including functions that loop endlessly. V8 can interrupt code that runs in a script of
 * its own, at the cost of a thread per script, 0.1 to 0.2 ms. So calls that come together share a script; when they take long, the remaining
 * ones wait for the next turn of the event loop. In a longer run, one thread watches all calls (`CallWatchdog`). An endless loop after an `await`
 * cannot be interrupted here: for that, the spider runs in a thread of its own (`isolated`).
 */
export class TimeLimit implements CallLimit {
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #waiting: Call[] = []
  #isScheduled = false
  #running: Call | undefined

  /** @param limitMs `Infinity`: none */
  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock
    this.#limitMs = limitMs
  }

  call<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ run: () => resolve(work()), fail: reject })
      this.#schedule()
    })
  }

  async wait<T>(promise: Promise<T>): Promise<T> {
    if (this.#limitMs === Number.POSITIVE_INFINITY) return promise
    const limit = Promise.withResolvers<never>()
    const cancel = this.#clock.after(this.#limitMs, () => limit.reject(new TimeLimitExceeded(this.#limitMs)))
    try {
      return await Promise.race([promise, limit.promise])
    } finally {
      cancel()
    }
  }

  async run<T>(work: () => T | Promise<T>): Promise<T> {
    const { result } = await this.call(() => ({ result: work() }))
    return isPromise(result) ? this.wait(Promise.resolve(result)) : result
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return
    this.#isScheduled = true
    const hasLimit = this.#limitMs !== Number.POSITIVE_INFINITY
    const watchdog = hasLimit ? processWatchdog(this.#limitMs) : undefined
    if (watchdog === undefined) setImmediate(() => this.#ended(this.#runInScript(hasLimit)))
    else
      watchdog.run({
        run: () => this.#runSome(),
        limitMs: this.#limitMs,
        ended: (isInterrupted) => this.#ended(isInterrupted),
      })
  }

  #ended(isInterrupted: boolean): void {
    if (isInterrupted) this.#running?.fail(new TimeLimitExceeded(this.#limitMs))
    this.#running = undefined
    this.#isScheduled = false
    this.#schedule()
  }

  /** As many as fit into a turn, and into a tenth of the limit, so that each has nearly all of it. */
  #runSome(): void {
    const until = performance.now() + Math.min(TURN_MS, this.#limitMs / 10)
    do {
      const call = this.#waiting.shift()
      if (call === undefined) return
      this.#running = call
      try {
        call.run()
      } catch (error) {
        call.fail(error)
      }
      this.#running = undefined
    } while (performance.now() <= until)
  }

  /** Whether it was interrupted. */
  #runInScript(hasLimit: boolean): boolean {
    if (!hasLimit) {
      this.#runSome()
      return false
    }
    const scope = globalThis as { [CALL]?: (() => void) | undefined }
    scope[CALL] = () => this.#runSome()
    try {
      SCRIPT.runInThisContext({ timeout: Math.ceil(this.#limitMs) })
      return false
    } catch (error) {
      if (!isScriptTimeout(error)) throw error
      return true
    } finally {
      scope[CALL] = undefined
    }
  }
}

/** Maximum time per turn of the event loop, unless a single call takes longer. */
const TURN_MS = 10

interface Call {
  run(): void
  fail(error: unknown): void
}

const CALL = Symbol.for('orbweaver.timeLimitedCall')
const SCRIPT = new Script(`globalThis[Symbol.for('orbweaver.timeLimitedCall')]()`)

/** Whether something is a promise, of any library. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function isScriptTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
