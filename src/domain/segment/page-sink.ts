import type { PageFilter, RecordedPage } from './segment-store.ts'

/** Where exported pages go: one format, one place. */
export interface PageSink {
  write(page: RecordedPage): Promise<void>
  /** Nothing may be written after it; what was is complete when it is fulfilled. */
  close(): Promise<void>
}

/** Writes pages as one table, for programs that read tables. */
export interface PageTable {
  /**
   * One Parquet file with a row for each page, the newest version; it gets its name when it is whole. Returns the number of rows.
   * @throws when its directory is not there
   */
  exportParquet(names: readonly string[], file: string, filter?: PageFilter): Promise<number>
}
