import type { PageFilter } from './segment-store.ts'

/** Writes pages as one table, for programs that read tables. */
export interface PageTable {
  /**
   * One Parquet file with a row for each page, the newest version; it gets its name when it is whole. Returns the number of rows.
   * @throws when its directory is not there
   */
  exportParquet(names: readonly string[], file: string, filter?: PageFilter): Promise<number>
}
