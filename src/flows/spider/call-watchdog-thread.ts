import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import type { WatchdogData } from './call-watchdog.ts'

// Runs in the thread of `CallWatchdog`: interrupts the main thread.

const { current, limitMs, tickMs } = workerData as WatchdogData

let last = 0
let ticks = 0

/** Counts ticks, so that the time in which the whole process was suspended does not count. */
function check(): void {
  const number = Atomics.load(current, 0)
  ticks = number > 0 && number === last ? ticks + 1 : 0
  last = number
  if (ticks === 0 || ticks * tickMs < Atomics.load(limitMs, 0)) return
  // Work that has just ended is not interrupted.
  if (Atomics.compareExchange(current, 0, number, -number) === number) interrupt(number)
}

function interrupt(number: number): void {
  try {
    const session = connect()
    session.post('Runtime.terminateExecution', () => {
      session.disconnect()
      parentPort?.postMessage('interrupted')
    })
  } catch {
    // The main thread must not wait for it. It is tried again at the next tick.
    Atomics.store(current, 0, number)
  }
}

/** For a moment only: a process does not end while it has such a session. */
function connect(): Session {
  const session = new Session()
  session.connectToMainThread()
  return session
}

// If this is not allowed, the thread ends before it is ready.
connect().disconnect()
setInterval(check, tickMs)
parentPort?.postMessage('ready')
