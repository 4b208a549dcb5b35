import { join } from 'node:path'
import type { SegmentPart } from '../duckdb/segment-progress.ts'
import { linkFilesOf } from '../duckdb/update-urls.ts'
import type { NextVersion } from './crawl-versions.ts'
import { SEGMENT_TYPES } from './segment-types.ts'

/**
 * Reads parts of segments into three views, one row for each URL: `fetched`, its newest fetch; `inlinks`, the sum of the links to it;
 * `redirects`, the page with the highest score that redirects to it. Returns the number of links.
 */
export async function createEventViews(
  next: NextVersion,
  segmentsPath: string,
  parts: readonly SegmentPart[],
  maxInlinks: number,
): Promise<number> {
  const { db } = next
  const fetchFiles = parts.map(({ segment, part }) => join(segmentsPath, segment, 'crawl_fetch', part))
  await db.viewFiles('fetch_files', fetchFiles, SEGMENT_TYPES.crawl_fetch)
  await next.keep('fetched', NEWEST_FETCHES)

  const linkFiles = await linkFilesOf(segmentsPath, parts)
  await db.viewFiles('link_files', linkFiles, SEGMENT_TYPES.crawl_parse)
  const hasLinks = linkFiles.length > 0
  if (hasLinks) await next.keep('repeated', REPEATED_FETCHES)
  const { pages, depths } = hasLinks
    ? await db.one<{ pages: number; depths: number }>(
        'SELECT * FROM (SELECT count(*) AS pages FROM repeated), (SELECT count(depth) AS depths FROM link_files)',
      )
    : { pages: 0, depths: 0 }
  await db.run(
    `CREATE OR REPLACE TEMP VIEW link_rows AS ${pages > 0 ? COUNTED_LINK_ROWS : 'SELECT * FROM link_files'}`,
    `CREATE OR REPLACE TEMP VIEW redirects AS
     SELECT url, max(score) AS redirect_score, max_by(coalesce(metadata, '{}'), score) AS redirect_metadata
     FROM link_rows WHERE kind <> 'link' GROUP BY url`,
  )
  await next.keep('inlinks', inlinkSums(`(SELECT * FROM link_rows WHERE kind = 'link')`, depths > 0))
  const { links, most } = hasLinks ? await countLinks(next) : { links: 0, most: 0 }
  if (most <= maxInlinks) return links
  await next.keep('inlinks', cappedInlinks(depths > 0, maxInlinks))
  return (await countLinks(next)).links
}

function countLinks({ db }: NextVersion): Promise<{ links: number; most: number }> {
  return db.one(
    'SELECT coalesce(sum(link_count), 0) AS links, coalesce(max(link_count), 0) AS most FROM inlinks',
  )
}

/** The newest row of each URL. Rows with a request precede `not_reached`. A fetch that was parsed later has a second row in a later part. */
const NEWEST_FETCHES = `
  SELECT url, status AS fetch_status, fetched_at, retry_at, etag AS fetch_etag, last_modified AS fetch_last_modified,
    signature AS fetch_signature, score_given, metadata AS fetch_metadata, protocol_status AS fetch_protocol_status,
    http_status AS fetch_http_status, reason AS fetch_reason, dropped AS fetch_dropped, truncated AS fetch_truncated
  FROM (
    SELECT *, row_number() OVER (
      PARTITION BY url ORDER BY status = 'not_reached', fetched_at DESC, file DESC, file_row DESC) AS place
    FROM fetch_files
  ) WHERE place = 1`

const SEGMENT_OF_FILE = "element_at(split(file, '/'), -3)"
const PART_OF_FILE = "element_at(split(file, '/'), -1)"

/** Pages that were parsed twice in a segment, with the part that counts; see the same query of the DuckDB adapter. */
const REPEATED_FETCHES = `
  SELECT ${SEGMENT_OF_FILE} AS segment, url AS page, max_by(${PART_OF_FILE}, struct(fetched_at, file)) AS counted_part
  FROM fetch_files WHERE score_given IS NOT NULL GROUP BY ${SEGMENT_OF_FILE}, url HAVING count(*) > 1`

/** Links without those of earlier fetches of a repeated page. Each link of a page counts once. */
const COUNTED_LINK_ROWS = `
  SELECT * FROM (
    SELECT l.*, page, row_number() OVER (PARTITION BY file, from_url, url, kind ORDER BY file_row DESC) AS place
    FROM link_files l LEFT JOIN repeated ON page = from_url AND segment = ${SEGMENT_OF_FILE}
    WHERE page IS NULL OR counted_part = ${PART_OF_FILE}
  ) WHERE page IS NULL OR place = 1`

/** `InlinkSum` in SQL. Depths are read only if there are any. */
function inlinkSums(source: string, depths: boolean): string {
  // The smallest depth, and of the links that bring it the largest limit. NULL sorts first: a link without a limit comes last.
  const nearest = `min(CASE WHEN depth IS NOT NULL THEN struct(depth, coalesce(-max_depth, ${NO_LIMIT}) AS limit_order) END)`
  const columns = depths
    ? `${nearest}.depth AS min_depth, -nullif(${nearest}.limit_order, ${NO_LIMIT}) AS max_depth`
    : 'CAST(NULL AS INT) AS min_depth, CAST(NULL AS INT) AS max_depth'
  return `SELECT url, sum(score) AS score_sum, count(*) AS link_count, ${columns} FROM ${source} GROUP BY url`
}

const NO_LIMIT = 2_147_483_647

/** For URLs with more than `maxInlinks` links, only those with the highest scores count. */
function cappedInlinks(depths: boolean, maxInlinks: number): string {
  const best = `(
    SELECT * FROM (
      SELECT url, score, depth, max_depth, row_number() OVER (PARTITION BY url ORDER BY score DESC) AS place
      FROM link_rows WHERE kind = 'link'
    ) WHERE place <= ${maxInlinks})`
  return inlinkSums(best, depths)
}
