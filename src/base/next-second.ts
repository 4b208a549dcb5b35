import type { Clock } from './clock.ts'

/** Fulfilled in a second, or as soon as `signal` is given: for whoever looks again and again until somebody has had enough. */
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
