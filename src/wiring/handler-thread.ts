import { Worker } from 'node:worker_threads'
import type { Clock } from '../base/clock.ts'
import { programModule } from '../base/program-files.ts'
import { HandlerThreadEnded, TimeLimitExceeded } from '../flows/spider/time-limit.ts'
import {
  BEATS,
  type CallMessage,
  type CallReply,
  CURRENT_CALL,
  receivedFailure,
  type ThreadData,
  type ThreadMessage,
} from './call-messages.ts'

export interface HandlerThreadOptions extends Omit<ThreadData, 'marks'> {
  /** Heap limit of the thread in megabytes, without the bodies of pages. */
  readonly memoryMb: number
}

export interface HandlerThreadEvents {
  /** Whether calls are pending. */
  readonly isBusy: () => boolean
  readonly onReady: () => void
  readonly onReplies: (replies: readonly CallReply[]) => void
  /** Called once, when the thread ends. @param current the call whose function was running; 0: unknown */
  readonly onEnd: (reason: unknown, current: number) => void
}

/** A thread that runs the functions of a spider, with a watchdog that ends it if it is blocked for longer than the limit. */
export class HandlerThread {
  readonly #worker: Worker
  readonly #clock: Clock
  readonly #options: HandlerThreadOptions
  readonly #events: HandlerThreadEvents
  readonly #marks = new Int32Array(new SharedArrayBuffer(8))
  #isReady = false
  #reason: unknown
  #beats = 0
  #quietTicks = 0
  #cancelTick = (): void => {}

  constructor(clock: Clock, options: HandlerThreadOptions, events: HandlerThreadEvents) {
    this.#clock = clock
    this.#options = options
    this.#events = events
    const { memoryMb, ...data } = options
    const marks = this.#marks.buffer as SharedArrayBuffer
    this.#worker = new Worker(WORKER_FILE, {
      workerData: { ...data, marks } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    })
    this.#worker.on('message', (message: ThreadMessage) => this.#receive(message))
    this.#worker.on('error', (error) => {
      this.#reason ??= this.#describe(error)
    })
    this.#worker.on('exit', (code) => {
      this.#cancelTick()
      this.#reason ??= new HandlerThreadEnded(
        `process.exit(${code}) was called: a spider must not end its thread`,
      )
      events.onEnd(this.#reason, Atomics.load(this.#marks, CURRENT_CALL))
    })
  }

  get isReady(): boolean {
    return this.#isReady
  }

  send(calls: ReadonlyArray<{ readonly id: number; readonly message: CallMessage }>): void {
    const bodies = calls.flatMap(({ message }) => ('page' in message ? [message.page.bytes.buffer] : []))
    this.#worker.postMessage(calls, bodies)
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #receive(message: ThreadMessage): void {
    if (message.kind === 'ready') {
      this.#isReady = true
      this.#watch()
      this.#events.onReady()
    } else if (message.kind === 'replies') this.#events.onReplies(message.replies)
    else {
      this.#reason = receivedFailure(message.failure)
      void this.end()
    }
  }

  /** Checks the heartbeats in steps, so that the time in which the whole process was suspended does not count. */
  #watch(): void {
    const { limitMs } = this.#options
    if (limitMs === Number.POSITIVE_INFINITY) return
    this.#cancelTick = this.#clock.after(limitMs / TICKS, () => {
      const beats = Atomics.load(this.#marks, BEATS)
      this.#quietTicks = beats === this.#beats && this.#events.isBusy() ? this.#quietTicks + 1 : 0
      this.#beats = beats
      if (this.#quietTicks < TICKS) this.#watch()
      else {
        this.#reason = new TimeLimitExceeded(limitMs)
        void this.end()
      }
    })
  }

  #describe(error: Error): HandlerThreadEnded {
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      return new HandlerThreadEnded(
        `out of memory, more than ${this.#options.memoryMb} MB (limits.handlerMemoryMb)`,
        { cause: error },
      )
    return new HandlerThreadEnded(
      `an error was thrown that nothing caught: ${error.stack ?? error.message}`,
      {
        cause: error,
      },
    )
  }
}

const WORKER_FILE = programModule('wiring/handler-worker')
const TICKS = 20
/** For garbage of pages: two spaces of 8 MB, and large objects. The default is up to 96. */
const YOUNG_MEGABYTES = 24
