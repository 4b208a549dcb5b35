import type { HostState } from './host-pace.ts'

/** What one process knew about its hosts. */
export interface HostMemories {
  readonly states: readonly HostState[]
  /** When it was written (ms since the epoch). */
  readonly savedAt: number
  /** `false`: the process was at work then, and may have asked hosts afterwards. */
  readonly ended: boolean
}

/** Where the pace of hosts outlives a process, so that no restart shortens a delay. */
export interface HostMemory {
  /** `undefined`: nobody has crawled here. */
  load(): Promise<HostMemories | undefined>
  save(memories: HostMemories): Promise<void>
}
