import { DOUBLE, type DuckDBType, FLOAT, INTEGER, VARCHAR } from '@duckdb/node-api'
import type { CrawlRecord } from '../../domain/crawldb/crawl-record.ts'
import { type RecordRow, rowOf } from '../../domain/crawldb/record-row.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { hostSql, type NewUrlSource } from './new-urls.ts'
import type { Session, StagedTable } from './session.ts'

/** Computed records that will be written to the table `urls`. */
export class StagedRecords {
  readonly #session: Session
  readonly #table: StagedTable

  static async open(session: Session): Promise<StagedRecords> {
    return new StagedRecords(session, await session.stage('staged_records', COLUMNS))
  }

  private constructor(session: Session, table: StagedTable) {
    this.#session = session
    this.#table = table
  }

  /** @param row where the record is in `urls`; `undefined` for a new one. A row not committed yet has a number too large for a double. */
  add(row: number | undefined, record: CrawlRecord): void {
    const values = rowOf(record)
    this.#table.add(row ?? null, ...ROW_COLUMNS.map((column) => values[column]))
  }

  /** Ends adding. Call it before using `NEW_RECORDS` or `writeChanges`. */
  close(): void {
    this.#table.close()
  }

  /** Writes the changed records of known URLs; returns how many. */
  writeChanges(): Promise<number> {
    return this.#session.run(
      `UPDATE urls SET ${ASSIGNMENTS} FROM staged_records s WHERE urls.rowid = s.row_id::BIGINT`,
    )
  }
}

/** Times are staged as doubles: creating a bigint per value would cost more than the conversion. */
const COLUMNS: Readonly<Record<string, DuckDBType>> = {
  row_id: DOUBLE,
  url: VARCHAR,
  status: INTEGER,
  fetch_time: DOUBLE,
  fetch_interval: DOUBLE,
  modified_time: DOUBLE,
  last_fetch_time: DOUBLE,
  content_time: DOUBLE,
  retries: INTEGER,
  score: FLOAT,
  signature: VARCHAR,
  etag: VARCHAR,
  last_modified: VARCHAR,
  metadata: VARCHAR,
  generated_in: VARCHAR,
  http_status: INTEGER,
  protocol_status: INTEGER,
}
const ROW_COLUMNS = Object.keys(COLUMNS).slice(1) as (keyof RecordRow)[]

const CONVERSIONS: ReadonlyArray<readonly [column: string, value: string]> = [
  ['status', 's.status::UTINYINT'],
  ['fetch_time', 's.fetch_time::BIGINT'],
  ['fetch_interval', 's.fetch_interval::UINTEGER'],
  ['modified_time', 's.modified_time::BIGINT'],
  ['last_fetch_time', 's.last_fetch_time::BIGINT'],
  ['content_time', 's.content_time::BIGINT'],
  ['retries', 'least(s.retries, 65535)::USMALLINT'],
  ['score', 's.score'],
  ['signature', 'unhex(s.signature)'],
  ['etag', 's.etag'],
  ['last_modified', 's.last_modified'],
  ['metadata', 's.metadata'],
  ['generated_in', 's.generated_in::BIGINT'],
  ['http_status', 's.http_status::USMALLINT'],
  ['protocol_status', 's.protocol_status::UTINYINT'],
]
const ASSIGNMENTS = CONVERSIONS.map(([column, value]) => `${column} = ${value}`).join(', ')
const VALUES = CONVERSIONS.map(([column, value]) => `${value} AS ${column}`).join(', ')

/** The new ones among the staged records. */
export const NEW_RECORDS: NewUrlSource = {
  rows: `
    SELECT ${fingerprint64Sql('url')} AS fp, url, ${hostSql('url')} AS host, ${VALUES} FROM staged_records s WHERE row_id IS NULL`,
  columns: CONVERSIONS.map(([column]) => column),
  hosts: `SELECT ${hostSql('url')} AS host FROM staged_records WHERE row_id IS NULL`,
}
