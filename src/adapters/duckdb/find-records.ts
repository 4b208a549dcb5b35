import { listValue } from '@duckdb/node-api'
import type { CrawlRecord } from '../../domain/crawldb/crawl-record.ts'
import { RECORD_COLUMNS, type RecordRow, recordOf } from './record-row.ts'
import type { Session } from './session.ts'

/**
 * The records of those URLs that are known. First only fingerprints are gone through, then the rows that were hit are read: in one step the
 * URLs of all rows would be read too, which takes twice as long among ten million.
 */
export async function findRecords(
  session: Session,
  urls: readonly string[],
): Promise<Map<string, CrawlRecord>> {
  if (urls.length === 0) return new Map()
  const rows = await session.all<RecordRow>(
    `
    WITH
      wanted AS (SELECT unnest($1::VARCHAR[]) AS url),
      hits AS MATERIALIZED (
        SELECT u.rowid AS row_id FROM urls u WHERE u.fp IN (SELECT md5_number_upper(url) FROM wanted)
      )
    SELECT u.url, ${RECORD_COLUMNS}
    FROM urls u WHERE u.rowid IN (SELECT row_id FROM hits) AND u.url IN (SELECT url FROM wanted)`,
    [listValue(urls)],
  )
  return new Map(rows.map((row) => [row.url, recordOf(row)]))
}
