import type { Clock } from '../../base/clock.ts'
import type { HostState } from './host-throttle.ts'

/** What one process knew about its hosts. */
export interface StoredHostStates {
  readonly states: readonly HostState[]
  /** When it was written (ms since the epoch). */
  readonly savedAt: number
  /** `false`: the process was at work then, and may have asked hosts afterwards. */
  readonly ended: boolean
}

/** Where the pace of hosts outlives a process, so that no restart shortens a delay. */
export interface HostStateStore {
  /** `undefined`: nobody has crawled here. */
  load(): Promise<StoredHostStates | undefined>
  save(memories: StoredHostStates): Promise<void>
}

/** Whoever asks hosts: a fetch loop, a spider's engine. */
export interface HostStateSource {
  /** How each host stands, for the next process: no restart shortens a delay. */
  hostStates(): HostState[]
  /** Grows when a host asks for another rest than before: that is saved at once, as nothing else would tell the next process. */
  readonly delayChanges: number
  /** Takes over `hostStates()` of an earlier process, before anything is asked. */
  restoreHosts(states: Iterable<HostState>): void
}

const SAVE_EVERY_MS = 5_000
/** How soon a demand is saved. */
const LOOK_EVERY_MS = 100

/**
 * Does `work` with an asker that knows how its hosts stood when the last process ended, and tells the next one.
 *
 * A process that was killed may have asked anybody until its last moment, which was at most one save later. So every host it knew rests
 * as if it had been asked just then, and those it had met since are covered by a first rest of the usual delay.
 * @param delayMs the usual rest between two requests to one host
 */
export async function persistHostStates<T>(
  asker: HostStateSource,
  memory: HostStateStore,
  clock: Clock,
  delayMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const last = await memory.load()
  if (last !== undefined) asker.restoreHosts(last.ended ? last.states : asIfAskedUntilTheEnd(last, delayMs))
  if (last?.ended === false) await rest(clock, delayMs)
  const save = (ended: boolean) => memory.save({ states: asker.hostStates(), savedAt: clock.now(), ended })
  await save(false)
  let saved = { at: clock.now(), delayChanges: asker.delayChanges }
  // One that fails is made up for by the next; the last one must not.
  let saving: Promise<void> | undefined
  let cancel = clock.after(LOOK_EVERY_MS, function again() {
    const isDue = asker.delayChanges !== saved.delayChanges || clock.now() - saved.at >= SAVE_EVERY_MS
    if (isDue && saving === undefined) {
      saved = { at: clock.now(), delayChanges: asker.delayChanges }
      saving = save(false)
        .catch(() => {})
        .finally(() => {
          saving = undefined
        })
    }
    cancel = clock.after(LOOK_EVERY_MS, again)
  })
  try {
    return await work()
  } finally {
    cancel()
    await saving
    await save(true)
  }
}

function asIfAskedUntilTheEnd({ states, savedAt }: StoredHostStates, delayMs: number): HostState[] {
  const lastMoment = savedAt + SAVE_EVERY_MS
  return states.map((state) => {
    const { readyAt, endedAt = readyAt } = state
    // A host that had to wait for longer was not requested.
    if (readyAt >= lastMoment) return state
    const rest = Math.max(delayMs, state.crawlDelayMs, readyAt - endedAt)
    // `endedAt` too: it is what the delay of the host is read from when this process is killed as well.
    return { ...state, endedAt: lastMoment, readyAt: lastMoment + rest }
  })
}

function rest(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve))
}
