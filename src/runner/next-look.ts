import type { Clock } from '../base/clock.ts'

/** Waits a second, or until the user has had enough. */
export async function nextLook(clock: Clock, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => resolve()
  const cancel = clock.after(LOOK_EVERY_MS, look)
  signal.addEventListener('abort', look)
  await promise
  signal.removeEventListener('abort', look)
  cancel()
}

const LOOK_EVERY_MS = 1_000
