import type { Clock } from '../base/clock.ts'
import type { HostMemories, HostMemory } from '../politeness/host-memory.ts'
import type { HostState } from '../politeness/host-pace.ts'
import type { FetchLoop } from './fetch-loop.ts'

const SAVE_EVERY_MS = 5_000

/**
 * Does `work` with a loop that knows how its hosts stood when the last process ended, and tells the next one.
 *
 * A process that was killed may have asked anybody until its last moment, which was at most one save later. So every host it knew rests
 * as if it had been asked just then, and those it had met since are covered by a first rest of the usual delay.
 * @param delayMs the usual rest between two requests to one host
 */
export async function keepHosts<T>(
  loop: FetchLoop,
  memory: HostMemory,
  clock: Clock,
  delayMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const last = await memory.load()
  if (last !== undefined) loop.restoreHosts(last.ended ? last.states : asIfAskedUntilTheEnd(last, delayMs))
  if (last?.ended === false) await rest(clock, delayMs)
  const save = (ended: boolean) => memory.save({ states: loop.hostStates(), savedAt: clock.now(), ended })
  await save(false)
  // One that fails is made up for by the next; the last one must not.
  let saving: Promise<void> = Promise.resolve()
  let cancel = clock.after(SAVE_EVERY_MS, function again() {
    saving = save(false).catch(() => {})
    cancel = clock.after(SAVE_EVERY_MS, again)
  })
  try {
    return await work()
  } finally {
    cancel()
    await saving
    await save(true)
  }
}

function asIfAskedUntilTheEnd({ states, savedAt }: HostMemories, delayMs: number): HostState[] {
  return states.map((state) => {
    const rest = Math.max(delayMs, state.crawlDelayMs)
    return { ...state, readyAt: Math.max(state.readyAt, savedAt + SAVE_EVERY_MS + rest) }
  })
}

function rest(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve))
}
