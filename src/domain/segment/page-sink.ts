import type { RecordedPage } from './segment-store.ts'

/** Where exported pages go: one format, one place. */
export interface PageSink {
  write(page: RecordedPage): Promise<void>
  /** Nothing may be written after it; what was is complete when it is fulfilled. */
  close(): Promise<void>
}
