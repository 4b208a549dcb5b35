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
