/** Source of time, passed as an argument so that tests can control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `run` once, `ms` from now, unless the returned function is called first. */
  after(ms: number, run: () => void): () => void
}

function after(ms: number, run: () => void): () => void {
  let timer = setTimeout(next, Math.min(ms, MAX_TIMER_MS))
  let leftMs = ms - MAX_TIMER_MS
  return () => clearTimeout(timer)

  function next(): void {
    if (leftMs > 0) {
      timer = setTimeout(next, Math.min(leftMs, MAX_TIMER_MS))
      leftMs -= MAX_TIMER_MS
    } else run()
  }
}

/** About 25 days. Node.js runs a longer timer at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The time of day. It may jump when the machine's clock is set; store times with it. */
export const wallClock: Clock = { now: () => Date.now(), after }

const { timeOrigin } = performance

/** Starts at the time of day and never jumps; measure delays with it. */
export const steadyClock: Clock = { now: () => timeOrigin + performance.now(), after }

/** Resolves after one second, or earlier when `signal` is aborted. For polling loops. */
export async function nextSecond(clock: Clock, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const wake = () => resolve()
  const cancel = clock.after(1_000, wake)
  signal.addEventListener('abort', wake)
  await promise
  signal.removeEventListener('abort', wake)
  cancel()
}

/** Resolves after `ms`, or earlier when `signal` is aborted. */
export function wait(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel()
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(ms, wake)
    signal?.addEventListener('abort', wake)
  })
}
