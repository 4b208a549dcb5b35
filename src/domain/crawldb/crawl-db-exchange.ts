import { CrawlError } from '../../base/crawl-error.ts'

/**
 * The tables of a CrawlDb with their columns, as engines exchange them: one folder of Parquet files for each table. Times are milliseconds
 * since the epoch, statuses Nutch's codes; `signature` has hex digits, `inputs` decimal ones.
 */
export const EXCHANGED_TABLES = {
  urls: [
    ...['url', 'host', 'status', 'fetch_time', 'fetch_interval', 'modified_time', 'last_fetch_time'],
    ...['content_time', 'retries', 'score', 'signature', 'etag', 'last_modified', 'metadata', 'generated_in'],
    ...['http_status', 'protocol_status'],
  ],
  hosts: ['host', 'domain', 'not_before', 'wait_reason'],
  seed_hosts: ['host', 'url'],
  segments: ['name', 'created_at', 'urls', 'state'],
  folded_parts: ['segment', 'part'],
  drops: ['reason', 'drops'],
  links: ['from_url', 'to_url', 'anchor', 'segment'],
  indexed_pages: ['target', 'url', 'inputs', 'indexed'],
  unfinished_indexes: ['target'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type ExchangedTable = keyof typeof EXCHANGED_TABLES

/** Numbers of rows. */
export type TableCounts = Readonly<Record<ExchangedTable, number>>

/** Moves a whole CrawlDb from one engine to another. */
export interface CrawlDbExchange {
  /** Writes all tables to `<folder>/<table>/*.parquet`. */
  exportTables(folder: string): Promise<TableCounts>

  /**
   * Replaces all tables by those in `folder`, in one change.
   * @throws RowsLost, and changes nothing, if other numbers of rows than `expected` were stored
   */
  importTables(folder: string, expected: TableCounts): Promise<void>

  close(): Promise<void>
}

/**
 * `orbweaver db convert` would lose rows. Nothing was changed.
 * Remedy: Run `orbweaver doctor <dir>`; if it finds nothing, please report the error.
 */
export class RowsLost extends CrawlError {
  readonly code = 'ROWS_LOST'
  readonly retryable = false

  constructor(expected: TableCounts, stored: TableCounts) {
    const tables = Object.keys(EXCHANGED_TABLES) as ExchangedTable[]
    const differences = tables
      .filter((table) => expected[table] !== stored[table])
      .map((table) => `${stored[table]} of ${expected[table]} in ${table}`)
    super(
      `the CrawlDb was not converted, because rows would be lost: ${differences.join(', ')}. Nothing was changed; run orbweaver doctor on the crawl directory, and report this as a bug if it finds nothing`,
    )
  }
}

/** @throws RowsLost */
export function checkCounts(expected: TableCounts, stored: TableCounts): void {
  const tables = Object.keys(EXCHANGED_TABLES) as ExchangedTable[]
  if (tables.some((table) => expected[table] !== stored[table])) throw new RowsLost(expected, stored)
}
