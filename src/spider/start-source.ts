import type { RequestOutput } from './output.ts'

/** Where others leave start requests while the crawl goes on. */
export interface StartSource {
  /** Empty when there are none. What was taken and never acknowledged, because the process died, is handed out again. */
  take(): Promise<StartBatch>
  /** What waits, and what was taken and is not acknowledged yet; the crawl is not finished before. */
  count(): Promise<number>
}

export interface StartBatch {
  readonly requests: readonly RequestOutput[]
  /** They are in the frontier. */
  acknowledge(): Promise<void>
}
