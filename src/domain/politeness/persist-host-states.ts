import { type Clock, wait } from '../../base/clock.ts'
import type { HostState } from './host-throttle.ts'

/** The throttle states that one process stored. */
export interface StoredHostStates {
  readonly states: readonly HostState[]
  /** When it was written (ms since the epoch). */
  readonly savedAt: number
  /** `false`: the process was still running and may have sent requests afterwards. */
  readonly ended: boolean
}

/** Stores the throttle state of hosts, so that a restart shortens no delay. */
export interface HostStateStore {
  /** `undefined`: no process has crawled here. */
  load(): Promise<StoredHostStates | undefined>
  save(stored: StoredHostStates): Promise<void>
}

/** A fetch loop or a spider engine. */
export interface HostStateSource {
  /** The throttle state of all hosts. */
  hostStates(): HostState[]
  /** Grows by 1 when a host requests a different delay. Such a change is saved at once. */
  readonly delayChanges: number
  /** Restores `hostStates()` of an earlier process. Call it before the first request. */
  restoreHosts(states: Iterable<HostState>): void
}

const SAVE_EVERY_MS = 5_000
/** How soon a change of a delay is saved. */
const CHECK_EVERY_MS = 100

/**
 * Runs `work` with the throttle state that the last process stored, and stores it for the next process.
 *
 * A killed process may have sent requests until at most one save interval after the last save. So every host in the store is delayed
 * as if it was requested just then, and an initial pause of the usual delay covers hosts that are not in the store.
 * @param delayMs the usual delay between two requests to one host
 */
export async function persistHostStates<T>(
  source: HostStateSource,
  store: HostStateStore,
  clock: Clock,
  delayMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const last = await store.load()
  if (last !== undefined) source.restoreHosts(last.ended ? last.states : delayedAfterKill(last, delayMs))
  if (last?.ended === false) await wait(clock, delayMs)
  const save = (ended: boolean) => store.save({ states: source.hostStates(), savedAt: clock.now(), ended })
  await save(false)
  let saved = { at: clock.now(), delayChanges: source.delayChanges }
  // A failed save is ignored, because the next one replaces it. The last save must not fail.
  let saving: Promise<void> | undefined
  let cancel = clock.after(CHECK_EVERY_MS, function again() {
    const isDue = source.delayChanges !== saved.delayChanges || clock.now() - saved.at >= SAVE_EVERY_MS
    if (isDue && saving === undefined) {
      saved = { at: clock.now(), delayChanges: source.delayChanges }
      saving = save(false)
        .catch(() => {})
        .finally(() => {
          saving = undefined
        })
    }
    cancel = clock.after(CHECK_EVERY_MS, again)
  })
  try {
    return await work()
  } finally {
    cancel()
    await saving
    await save(true)
  }
}

function delayedAfterKill({ states, savedAt }: StoredHostStates, delayMs: number): HostState[] {
  const lastMoment = savedAt + SAVE_EVERY_MS
  return states.map((state) => {
    const { readyAt, endedAt = readyAt } = state
    // The process cannot have requested a host whose delay lasted longer.
    if (readyAt >= lastMoment) return state
    const pauseMs = Math.max(delayMs, state.crawlDelayMs, readyAt - endedAt)
    // `endedAt` too: if this process is killed as well, the next one computes the delay from it.
    return { ...state, endedAt: lastMoment, readyAt: lastMoment + pauseMs }
  })
}
