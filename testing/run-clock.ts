import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FakeClock } from './fake-clock.ts'

/** Advances a clock until `work` is settled, and returns its result. Fails after `maxMs` of the clock. */
export async function runClock<T>(clock: FakeClock, work: Promise<T>, maxMs = 3_600_000): Promise<T> {
  let done = false
  const settled = work.finally(() => {
    done = true
  })
  settled.catch(() => {})
  const end = clock.now() + maxMs
  // Settles all promises that do not need the clock.
  for (await nextTurn(); !done && clock.now() < end; await nextTurn()) clock.advance(STEP_MS)
  if (!done) throw new Error(`not done within ${maxMs} ms`)
  return settled
}

const STEP_MS = 10
