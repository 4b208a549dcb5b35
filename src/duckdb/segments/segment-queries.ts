import type { FetchListEntry } from '../../segment/segment-rows.ts'
import { sqlText } from '../sql-text.ts'
import type { SegmentFiles } from './segment-files.ts'
import { segmentSource } from './segment-source.ts'

/** The one row of `infoSql`. */
export interface InfoRow {
  readonly generated: number
  readonly fetched: number
  readonly parsed: number
  readonly complete: boolean
  readonly first: number | null
  readonly last: number | null
}

/** How far a segment is. */
export function infoSql(files: SegmentFiles): string {
  const list = segmentSource('crawl_generate', files.crawl_generate)
  const visits = segmentSource('crawl_fetch', files.crawl_fetch)
  return `
    SELECT
      (SELECT count(*) FROM ${list})::DOUBLE AS generated,
      count(DISTINCT url)::DOUBLE AS fetched,
      (SELECT count(DISTINCT url) FROM ${segmentSource('parse_data', files.parse_data)})::DOUBLE AS parsed,
      NOT EXISTS (FROM ${list} g ANTI JOIN ${visits} f ON g.url = f.url) AS complete,
      min(fetched_at)::DOUBLE AS first,
      max(fetched_at)::DOUBLE AS last
    FROM ${visits}`
}

/** The URLs with a row that redirects led to. */
export function followedSql({ crawl_fetch }: SegmentFiles): string {
  return `SELECT DISTINCT url FROM ${segmentSource('crawl_fetch', crawl_fetch)} WHERE redirected_from IS NOT NULL`
}

/** The entries of the fetch list without a row that come after one, by rank, then URL. */
export function remainingSql(files: SegmentFiles, after: FetchListEntry | undefined): string {
  const rank = 'coalesce(g.sort_value, 0)'
  // Not as a plain number: DuckDB takes that for a DECIMAL, and what it makes of it is not always the same DOUBLE.
  const last = `'${after?.sortValue}'::DOUBLE`
  const beyond =
    after === undefined
      ? ''
      : `WHERE ${rank} < ${last} OR (${rank} = ${last} AND g.url > ${sqlText(after.url)})`
  return `
    FROM ${segmentSource('crawl_generate', files.crawl_generate)} g
    ANTI JOIN ${segmentSource('crawl_fetch', files.crawl_fetch)} f ON f.url = g.url
    ${beyond} ORDER BY ${rank} DESC, g.url LIMIT ${REMAINING_ROWS}`
}

const REMAINING_ROWS = 10_000
