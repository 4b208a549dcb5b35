import type { PageFilter, RecordedPage } from './segment-store.ts'

/** Destination of exported pages in one format. */
export interface PageSink {
  write(page: RecordedPage): Promise<void>
  /** Resolves when all pages are written. No `write` may follow. */
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
