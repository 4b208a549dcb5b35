import type { FetchListEntry } from '../../../domain/segment/segment-rows.ts'
import type { SegmentFiles } from '../../crawl-directory/segment-files.ts'
import { sqlList, sqlText } from '../session.ts'
import { latestRows, segmentSource } from './segment-source.ts'

/** The row of `infoSql`. */
export interface InfoRow {
  readonly generated: number
  readonly fetched: number
  readonly parsed: number
  readonly complete: boolean
  readonly first: number | null
  readonly last: number | null
}

/** The progress of a segment. */
export function infoSql(files: SegmentFiles): string {
  const list = segmentSource('crawl_generate', files.crawl_generate)
  const fetches = segmentSource('crawl_fetch', files.crawl_fetch)
  return `
    SELECT
      (SELECT count(*) FROM ${list})::DOUBLE AS generated,
      count(DISTINCT url)::DOUBLE AS fetched,
      (SELECT count(DISTINCT url) FROM ${segmentSource('parse_data', files.parse_data)})::DOUBLE AS parsed,
      NOT EXISTS (FROM ${list} g ANTI JOIN ${fetches} f ON g.url = f.url) AS complete,
      min(fetched_at)::DOUBLE AS first,
      max(fetched_at)::DOUBLE AS last
    FROM ${fetches}`
}

/** Redirect targets that have a row. */
export function followedSql({ crawl_fetch }: SegmentFiles): string {
  return `SELECT DISTINCT url FROM ${segmentSource('crawl_fetch', crawl_fetch)} WHERE redirected_from IS NOT NULL`
}

/** Rows are `FetchCount`s. */
export function fetchCountsSql({ crawl_fetch }: SegmentFiles, since: number): string {
  return `
    SELECT status, protocol_status, http_status, any_value(url) AS url, max(fetched_at) AS fetched_at,
      any_value(reason) AS reason, any_value(dropped) AS dropped,
      coalesce(sum(bytes), 0)::DOUBLE AS bytes, count(*)::DOUBLE AS fetches
    FROM ${latestRows('crawl_fetch', crawl_fetch)}
    WHERE fetched_at >= ${Math.floor(since)}
    GROUP BY status, protocol_status, http_status, if(status = 'fetch_success', '', ${REASON_KIND})
    ORDER BY status, protocol_status, http_status, reason`
}

/** See `SegmentStore.dropping`. */
export function droppingSql(
  segments: ReadonlyMap<string, SegmentFiles>,
  reasons: readonly string[],
  near: string,
  limit: number,
): string {
  const fetches = Array.from(
    segments,
    ([name, files]) =>
      `SELECT ${sqlText(name)} AS segment, part, part_row, url, status, truncated, reason, dropped
      FROM ${segmentSource('crawl_fetch', files.crawl_fetch)}`,
  )
  return `
    SELECT segment, url, truncated, reason, dropped, (count(*) OVER ())::DOUBLE AS total
    FROM (
      FROM (${fetches.join(' UNION ALL ')}) WHERE status <> 'not_reached'
      QUALIFY row_number() OVER (PARTITION BY url ORDER BY segment DESC, part DESC, part_row DESC) = 1
    )
    WHERE truncated IS NOT NULL OR list_has_any(json_keys(dropped), ${sqlList(reasons)})
    ORDER BY coalesce((dropped ->> '$."links.maxOutlinks"')::UBIGINT, 0) DESC,
      jaro_winkler_similarity(url, ${sqlText(near)}) DESC, url LIMIT ${limit}`
}

/** The general part of a reason: the cause in parentheses, otherwise the text before the first colon. */
const REASON_KIND = `coalesce(nullif(regexp_extract(reason, '\\((?:[\\w-]+): ([\\w-]+)', 1), ''), split_part(coalesce(reason, ''), ':', 1))`

/** A row of `openRedirectsSql`, in addition to the columns of `crawl_generate`. */
export interface OpenRedirectRow {
  readonly target: string
  readonly chain: [string, ...string[]]
}

/** Redirect targets without a row, with the shortest redirect chain. */
export function openRedirectsSql({ crawl_generate, crawl_fetch, crawl_parse }: SegmentFiles): string {
  const fetches = segmentSource('crawl_fetch', crawl_fetch)
  return `
    WITH RECURSIVE targets AS (
      SELECT DISTINCT l.from_url, l.url AS target FROM ${segmentSource('crawl_parse', crawl_parse)} l
      ANTI JOIN ${fetches} f ON f.url = l.url
      WHERE l.kind IN ('redirect', 'refresh')
    ), ways AS (
      SELECT target, from_url AS first, [from_url] AS chain FROM targets
      UNION
      SELECT target, f.redirected_from, list_prepend(f.redirected_from, chain)
      FROM ways JOIN ${fetches} f ON f.url = first
      WHERE f.redirected_from IS NOT NULL AND NOT list_contains(chain, f.redirected_from)
    )
    SELECT target, chain, g.* FROM ways
    JOIN ${segmentSource('crawl_generate', crawl_generate)} g ON g.url = first
    QUALIFY row_number() OVER (PARTITION BY target ORDER BY len(chain), chain) = 1
    ORDER BY target`
}

/**
 * The fetch list entries without a row that follow `after`, by rank. Entries of equal rank are shuffled by hash: sorted by URL, the hosts
 * would follow one another, and only those at the start of the list would be fetched at the same time.
 */
export function remainingSql(files: SegmentFiles, after: FetchListEntry | undefined): string {
  const rank = 'coalesce(g.sort_value, 0)'
  // A cast from text: DuckDB parses a number literal as DECIMAL, which does not always convert to the same DOUBLE.
  const last = `'${after?.sortValue}'::DOUBLE`
  const beyond =
    after === undefined
      ? ''
      : `WHERE ${rank} < ${last} OR (${rank} = ${last} AND (hash(g.url), g.url) > (hash(${sqlText(after.url)}), ${sqlText(after.url)}))`
  return `
    FROM ${segmentSource('crawl_generate', files.crawl_generate)} g
    ANTI JOIN ${segmentSource('crawl_fetch', files.crawl_fetch)} f ON f.url = g.url
    ${beyond} ORDER BY ${rank} DESC, hash(g.url), g.url LIMIT ${REMAINING_ROWS}`
}

/** Maximum number of entries per query. */
export const REMAINING_ROWS = 10_000
