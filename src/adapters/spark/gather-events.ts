import type { EventFiles } from '../duckdb/update-urls.ts'
import type { NextVersion } from './crawl-versions.ts'
import { SEGMENT_TYPES } from './segment-types.ts'

/** Counts over the newest fetch of each URL. */
export interface EventCounts {
  readonly fetched: number
  /** Fetches that dropped something. */
  readonly drops: number
  /** Fetches after which the host must wait. */
  readonly waits: number
}

/**
 * Reads parts of segments into three views, one row for each URL: `fetched`, its newest fetch; `inlinks`, the sum of the links to it;
 * `redirects`, the page with the highest score that redirects to it.
 */
export async function createEventViews(next: NextVersion, files: EventFiles): Promise<EventCounts> {
  const { db } = next
  await db.viewFiles('fetch_files', files.fetches, SEGMENT_TYPES.crawl_fetch)
  await db.viewFiles('link_files', files.links, SEGMENT_TYPES.crawl_parse)
  const { parses, ...counts } = await next.keep('fetched', NEWEST_FETCHES, {
    fetched: 'count(*)',
    drops: 'count(coalesce(fetch_dropped, fetch_truncated))',
    waits: 'count(retry_at)',
    parses: 'max(parses)',
  })
  await db.run(
    `CREATE OR REPLACE TEMP VIEW link_rows AS ${parses > 1 ? COUNTED_LINK_ROWS : 'SELECT * FROM link_files'}`,
    `CREATE OR REPLACE TEMP VIEW redirects AS
     SELECT url, max(score) AS redirect_score, max_by(coalesce(metadata, '{}'), score) AS redirect_metadata
     FROM link_rows WHERE kind <> 'link' GROUP BY url`,
    `CREATE OR REPLACE TEMP VIEW inlinks AS ${inlinkSums("(SELECT * FROM link_rows WHERE kind = 'link')")}`,
  )
  return counts
}

/** Columns of `fetched` that the rules read. */
export const FETCH_EVENT_COLUMNS = [
  ...['fetch_status', 'fetched_at', 'retry_at', 'fetch_etag', 'fetch_last_modified', 'fetch_signature'],
  ...['score_given', 'fetch_metadata', 'fetch_protocol_status', 'fetch_http_status'],
]

/** Aggregates over `inlinks`. */
export const LINK_COUNTS = {
  links: 'coalesce(sum(link_count), 0)',
  most: 'coalesce(max(link_count), 0)',
}

/** Replaces `inlinks`: for URLs with more than `maxInlinks` links, only those with the highest scores count. */
export function capInlinks({ db }: NextVersion, maxInlinks: number): Promise<void> {
  const best = `(
    SELECT * FROM (
      SELECT url, score, depth, max_depth, row_number() OVER (PARTITION BY url ORDER BY score DESC) AS place
      FROM link_rows WHERE kind = 'link'
    ) WHERE place <= ${maxInlinks})`
  return db.run(`CREATE OR REPLACE TEMP VIEW inlinks AS ${inlinkSums(best)}`)
}

/** The newest row of each URL. Rows with a request precede `not_reached`. A fetch that was parsed later has a second row in a later part. */
const NEWEST_FETCHES = `
  SELECT url, status AS fetch_status, fetched_at, retry_at, etag AS fetch_etag, last_modified AS fetch_last_modified,
    signature AS fetch_signature, score_given, metadata AS fetch_metadata, protocol_status AS fetch_protocol_status,
    http_status AS fetch_http_status, reason AS fetch_reason, dropped AS fetch_dropped, truncated AS fetch_truncated, parses
  FROM (
    SELECT *, count(score_given) OVER (PARTITION BY url) AS parses, row_number() OVER (
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
    FROM link_files l LEFT JOIN (${REPEATED_FETCHES}) ON page = from_url AND segment = ${SEGMENT_OF_FILE}
    WHERE page IS NULL OR counted_part = ${PART_OF_FILE}
  ) WHERE page IS NULL OR place = 1`

/** `InlinkSum` in SQL. */
function inlinkSums(source: string): string {
  // The smallest depth, and of the links that bring it the largest limit; a link without a limit comes last. One number: it takes no sort.
  const nearest = `min(${LIMITS} * depth + coalesce(${LIMITS} - 2 - max_depth, ${LIMITS} - 1))`
  return `
    SELECT url, score_sum, link_count, CAST(nearest DIV ${LIMITS} AS INT) AS min_depth,
      CAST(${LIMITS} - 2 - nullif(nearest % ${LIMITS}, ${LIMITS} - 1) AS INT) AS max_depth
    FROM (SELECT url, sum(score) AS score_sum, count(*) AS link_count, ${nearest} AS nearest FROM ${source} GROUP BY url)`
}

const LIMITS = '4294967296L'
