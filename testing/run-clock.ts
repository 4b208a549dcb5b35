import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FakeClock } from './fake-clock.ts'

/** Turns a clock by hand until `work` is done, and gives what came of it. Fails after `maxMs` of its time. */
export async function runClock<T>(clock: FakeClock, work: Promise<T>, maxMs = 3_600_000): Promise<T> {
  let done = false
  const settled = work.finally(() => {
    done = true
  })
  settled.catch(() => {})
  const end = clock.now() + maxMs
  // All promises that can be fulfilled are, before the clock moves on.
  for (await nextTurn(); !done && clock.now() < end; await nextTurn()) clock.advance(STEP_MS)
  if (!done) throw new Error(`not done within ${maxMs} ms`)
  return settled
}

const STEP_MS = 10
