import { isMainThread, MessageChannel, Worker } from 'node:worker_threads'
import { programModule } from '../../base/program-files.ts'

/** A task that the watchdog runs. */
export interface WatchedTask {
  /** Must not throw. */
  run(): void
  /** Maximum time of `run`. */
  readonly limitMs: number
  /** Called once, after `run`. @param isInterrupted `run` took too long, and was interrupted somewhere */
  ended(isInterrupted: boolean): void
}

/** The data that the thread of a watchdog is started with. */
export interface WatchdogData {
  /** One number, that of the running task; 0: none; negative: it is being interrupted. */
  readonly current: Int32Array<SharedArrayBuffer>
  /** One number, the limit of the running task. */
  readonly limitMs: Int32Array<SharedArrayBuffer>
  /** Time between two checks. */
  readonly tickMs: number
}

/**
 * Runs functions in the main thread, and interrupts those that take too long, endless loops included. A thread watches the main thread, and
 * makes V8 end the code that is running (`Runtime.terminateExecution` of the inspector). V8 then leaves all functions down to the event
 * loop, without `catch` and `finally`, those of Node.js included. So tasks run in the event of a message port: there, Node.js has nothing left
 * to do.
 */
export class CallWatchdog {
  readonly #current = sharedNumber()
  readonly #limitMs = sharedNumber()
  readonly #channel = new MessageChannel()
  readonly #queue: WatchedTask[] = []
  #count = 0

  private constructor() {
    this.#channel.port2.on('message', () => this.#runFirst())
    this.#channel.port2.unref()
  }

  /**
   * Starts the thread, which does not keep the process alive. Call it in the main thread. Rejects if the thread cannot use the inspector.
   * @param onEnded called if the thread ends: then nothing is interrupted any more
   */
  static async start(tickMs: number, onEnded: () => void): Promise<CallWatchdog> {
    const watchdog = new CallWatchdog()
    const thread = new Worker(programModule('flows/spider/call-watchdog-thread'), {
      workerData: {
        current: watchdog.#current,
        limitMs: watchdog.#limitMs,
        tickMs,
      } satisfies WatchdogData,
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    })
    thread.unref()
    await new Promise<void>((resolve, reject) => {
      thread.once('message', resolve)
      thread.on('error', reject)
    })
    thread.once('exit', onEnded)
    thread.on('message', () => watchdog.#interrupted())
    // Again: a new listener keeps the process alive.
    thread.unref()
    return watchdog
  }

  /** Runs `task` in one of the next turns of the event loop. */
  run(task: WatchedTask): void {
    this.#queue.push(task)
    if (this.#queue.length > 1) return
    this.#channel.port2.ref()
    this.#trigger()
  }

  #runFirst(): void {
    const task = this.#queue[0]
    if (task === undefined) return
    const number = (this.#count % MAX_NUMBER) + 1
    this.#count = number
    Atomics.store(this.#limitMs, 0, Math.min(Math.ceil(task.limitMs), MAX_NUMBER))
    Atomics.store(this.#current, 0, number)
    task.run()
    // V8 is about to interrupt this: it must not happen later, in other code. The number is positive again if it could not be interrupted.
    while (Atomics.compareExchange(this.#current, 0, number, 0) !== number);
    this.#end(false)
  }

  #interrupted(): void {
    Atomics.store(this.#current, 0, 0)
    this.#end(true)
  }

  #end(isInterrupted: boolean): void {
    const task = this.#queue.shift()
    if (this.#queue.length > 0) this.#trigger()
    else this.#channel.port2.unref()
    task?.ended(isInterrupted)
  }

  /** In another turn of the event loop: a port passes on all messages that arrive during a message, too. */
  #trigger(): void {
    setImmediate(() => this.#channel.port1.postMessage(undefined))
  }
}

function sharedNumber(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
}

const MAX_NUMBER = 2 ** 31 - 1

/**
 * The watchdog of this process, which starts when it is wanted often enough to pay for its thread. `undefined`: not started yet, or
 * this is another thread, which no inspector can interrupt alone.
 */
export function processWatchdog(limitMs: number): CallWatchdog | undefined {
  if (isMainThread && process.features.inspector && ++demand === DEMAND_TO_START)
    CallWatchdog.start(Math.min(MAX_TICK_MS, limitMs / TICKS), () => {
      running = undefined
    }).then(
      (started) => {
        running = started
      },
      // Calls are interrupted as before.
      () => {},
    )
  return running
}

let demand = 0
let running: CallWatchdog | undefined

/**
 * The thread takes 30 ms of CPU time to start, while the main thread continues. A script with a limit takes less, but the main thread waits for it:
 * 0.4 ms when the machine is idle, several when it is busy.
 */
const DEMAND_TO_START = 10
/** Checks in the time of the limit. */
const TICKS = 20
const MAX_TICK_MS = 250
