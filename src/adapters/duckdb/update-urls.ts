import { join } from 'node:path'
import type { UpdateRequest, UpdateResult } from '../../domain/crawldb/crawl-db-requests.ts'
import { LASTMOD_KEY } from '../../domain/schedule/listed-page.ts'
import type { SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { applyEvents, purge } from './apply-events.ts'
import { addHostFacts, gatherHostFacts } from './hosts/host-facts.ts'
import { inheritMetadata } from './inherit-metadata.ts'
import { learnNovelty } from './novelty/learn-novelty.ts'
import { planSchedule } from './plan-schedule.ts'
import { rememberHostWaits } from './read-host-waits.ts'
import { addDrops, takeFetchDrops } from './read-stats.ts'
import { judgeEvents, judgeStored } from './refilter-urls.ts'
import { type SegmentPart, settleSegments } from './segment-progress.ts'
import { parquetRows } from './segments/segment-source.ts'
import { type Session, sqlList } from './session.ts'

/** Merges parts of segments into `urls`, and closes those of `request.segments` in which every URL has a result. */
export async function mergeParts(
  session: Session,
  folder: SegmentFolder,
  parts: readonly SegmentPart[],
  request: UpdateRequest,
): Promise<UpdateResult> {
  const { judge } = request
  const files = await filesOfParts(folder, parts)
  let purged = await purge(session, request)
  const links = await gatherEvents(session, files, request.maxInlinks ?? 10_000)
  const dropped = await takeFetchDrops(session)
  if (judge !== undefined) {
    await judgeEvents(session, judge)
    purged += await judgeStored(session, judge)
  }
  const { fetched } = await session.one<{ fetched: number }>(
    'SELECT count(*)::DOUBLE AS fetched FROM fetched',
  )
  const planned = await planSchedule(session, request)
  const update = await applyEvents(session, planned)
  // Fetches that are merged once more were counted the first time.
  const isNew = request.force !== true
  if (isNew) await gatherHostFacts(session, files.fetches, true)
  const rules = isNew ? request.novelty : undefined
  const learned = rules === undefined ? undefined : await learnNovelty(session, files, rules)

  await session.begin()
  const counts = await update.write()
  await inheritMetadata(session, files.links, request.rules.inheritedKeys)
  await planned.writePlan()
  if (isNew) await addHostFacts(session)
  await learned?.write()
  const latest = request.now + request.rules.schedule.maxIntervalSeconds * 1000
  const hostsPutOff = await rememberHostWaits(session, latest)
  if (isNew) await addDrops(session, dropped)
  const pending = await settleSegments(session, folder, request, parts)
  return { fetched, links, ...counts, purged, parts: parts.length, hostsPutOff, pending, dropped }
}

/**
 * Reads parts of segments into three temporary tables, one row for each URL:
 * `fetched`, its newest fetch; `inlinks`, the sum of the links to it; `redirects`, the page with the highest score that redirects to it.
 * Returns the number of links.
 */
export async function gatherEvents(
  session: Session,
  { fetches: fetchFiles, links: linkFiles }: EventFiles,
  maxInlinks: number,
): Promise<number> {
  const mayRepeat = await hasRepeatedUrls(session, fetchFiles)
  await session.run(
    `CREATE TEMP TABLE fetched AS ${fetchFiles.length === 0 ? NO_FETCHES : newestFetches(fetchFiles, mayRepeat)}`,
  )

  if (linkFiles.length === 0) await session.run(`CREATE TEMP VIEW link_rows AS ${NO_LINKS}`)
  else {
    const isRepeated = mayRepeat && (await findRepeatedPages(session, fetchFiles))
    await session.run(
      `CREATE TEMP VIEW link_rows AS ${isRepeated ? countedLinkRows(linkFiles) : linkRows(linkFiles)}`,
    )
  }
  await session.run(`
    CREATE TEMP TABLE redirects AS
    SELECT url, max(score) AS redirect_score, arg_max(coalesce(metadata, '{}'), score) AS redirect_metadata
    FROM link_rows WHERE kind <> 'link' GROUP BY url`)
  const { depths, listings } = await session.one<{ depths: number; listings: number }>(`
    SELECT count(depth)::DOUBLE AS depths, count(metadata) FILTER (kind = 'link')::DOUBLE AS listings FROM link_rows`)
  const optional = { depths: depths > 0, listings: listings > 0 }
  await session.run(`CREATE TEMP TABLE inlinks AS ${inlinkSums(LINKS, optional)}`)
  const { links, most } = await countLinks(session)
  if (most <= maxInlinks) return links
  await capInlinks(session, optional, maxInlinks)
  return (await countLinks(session)).links
}

/** The number of links, and the largest number to one URL. */
function countLinks(session: Session): Promise<{ links: number; most: number }> {
  return session.one(`
    SELECT coalesce(sum(link_count), 0)::DOUBLE AS links, coalesce(max(link_count), 0)::DOUBLE AS most FROM inlinks`)
}

/** The files with the events of some parts. */
export interface EventFiles {
  readonly fetches: readonly string[]
  readonly links: readonly string[]
  /** Files of `parse_data`. */
  readonly pages: readonly string[]
}

export async function filesOfParts(
  folder: SegmentFolder,
  parts: readonly SegmentPart[],
): Promise<EventFiles> {
  const fetches: string[] = []
  const links: string[] = []
  const pages: string[] = []
  for (const [segment, own] of Map.groupBy(parts, (part) => part.segment)) {
    const committed = await folder.files(segment)
    const present = new Set([...(committed?.crawl_parse ?? []), ...(committed?.parse_data ?? [])])
    for (const { part } of own) {
      fetches.push(join(folder.path, segment, 'crawl_fetch', part))
      const file = (directory: string) => join(folder.path, segment, directory, part)
      if (present.has(file('crawl_parse'))) links.push(file('crawl_parse'))
      if (present.has(file('parse_data'))) pages.push(file('parse_data'))
    }
  }
  return { fetches, links, pages }
}

/** Whether some URL has several rows. Most rounds have none, and to see that takes a fraction of the time of the queries that handle it. */
async function hasRepeatedUrls(session: Session, files: readonly string[]): Promise<boolean> {
  if (files.length === 0) return false
  const { repeated } = await session.one<{ repeated: boolean }>(
    `SELECT count(*) > count(DISTINCT url) AS repeated FROM read_parquet(${sqlList(files)}, union_by_name = true)`,
  )
  return repeated
}

/** Creates the temporary table `repeated`. Returns whether it has rows. */
async function findRepeatedPages(session: Session, files: readonly string[]): Promise<boolean> {
  await session.run(`CREATE TEMP TABLE repeated AS ${repeatedFetches(files)}`)
  const { pages } = await session.one<{ pages: number }>('SELECT count(*)::DOUBLE AS pages FROM repeated')
  return pages > 0
}

/**
 * The newest row of each URL. Rows with a request precede `not_reached`. A fetch that was parsed later has a second row in a later part.
 * @param mayRepeat whether some URL has several rows
 */
function newestFetches(files: readonly string[], mayRepeat: boolean): string {
  return `
    SELECT url, status AS fetch_status, fetched_at::DOUBLE AS fetched_at, retry_at::DOUBLE AS retry_at, etag AS fetch_etag,
      last_modified AS fetch_last_modified, signature AS fetch_signature, score_given, metadata AS fetch_metadata,
      protocol_status AS fetch_protocol_status, http_status AS fetch_http_status, reason AS fetch_reason,
      content_type AS fetch_content_type, dropped AS fetch_dropped, truncated AS fetch_truncated
    FROM ${parquetRows('crawl_fetch', files)}
    ${mayRepeat ? NEWEST_OF_URL : ''}`
}

const NEWEST_OF_URL = `
  QUALIFY row_number() OVER (PARTITION BY url ORDER BY status = 'not_reached', fetched_at DESC, filename DESC) = 1`

const NO_FETCHES = `
  SELECT NULL::VARCHAR AS url, NULL::VARCHAR AS fetch_status, NULL::DOUBLE AS fetched_at, NULL::DOUBLE AS retry_at, NULL::VARCHAR AS fetch_etag,
    NULL::VARCHAR AS fetch_last_modified, NULL::VARCHAR AS fetch_signature, NULL::DOUBLE AS score_given, NULL::VARCHAR AS fetch_metadata,
    NULL::VARCHAR AS fetch_protocol_status, NULL::INTEGER AS fetch_http_status, NULL::VARCHAR AS fetch_reason,
    NULL::VARCHAR AS fetch_content_type, NULL::VARCHAR AS fetch_dropped, NULL::VARCHAR AS fetch_truncated
  WHERE false`

/**
 * Pages that were parsed twice in a segment, with the part that counts. A worker of a fleet may crash or lose a host after it has written its
 * rows and before it has reported them; another worker then fetches the same pages again.
 */
function repeatedFetches(files: readonly string[]): string {
  return `
    SELECT ${SEGMENT_OF_FILE} AS segment, url AS page, arg_max(parse_filename(filename), (fetched_at, filename)) AS counted_part
    FROM read_parquet(${sqlList(files)}, union_by_name = true, filename = true)
    WHERE score_given IS NOT NULL GROUP BY ALL HAVING count(*) > 1`
}

const SEGMENT_OF_FILE = 'parse_path(filename)[-3]'

function linkRows(files: readonly string[]): string {
  return `SELECT ${LINK_COLUMNS} FROM read_parquet(${sqlList(files)}, union_by_name = true)`
}

/** The same without the links of earlier fetches of a repeated page. Each link of a page counts once. */
function countedLinkRows(files: readonly string[]): string {
  return `
    SELECT ${LINK_COLUMNS}
    FROM read_parquet(${sqlList(files)}, union_by_name = true, filename = true, file_row_number = true)
    LEFT JOIN repeated ON page = from_url AND segment = ${SEGMENT_OF_FILE}
    WHERE page IS NULL OR counted_part = parse_filename(filename)
    QUALIFY page IS NULL
      OR row_number() OVER (PARTITION BY filename, from_url, url, kind ORDER BY file_row_number DESC) = 1`
}

const LINK_COLUMNS = 'url, kind, score, depth, max_depth, metadata'

const NO_LINKS = `
  SELECT NULL::VARCHAR AS url, NULL::VARCHAR AS kind, NULL::DOUBLE AS score, NULL::INTEGER AS depth, NULL::INTEGER AS max_depth,
    NULL::VARCHAR AS metadata WHERE false`

const LINKS = `(SELECT * FROM link_rows WHERE kind = 'link')`

/** What only some crawls have: depths, and listings in sitemaps and feeds. */
interface OptionalColumns {
  readonly depths: boolean
  readonly listings: boolean
}

/**
 * `InlinkSum` in SQL, and the listing with the newest date. Depths and listings are read only if there are any: they double the time.
 */
function inlinkSums(source: string, { depths, listings }: OptionalColumns): string {
  // The smallest depth, and of the links that bring it the largest limit.
  const nearest = "min(CASE WHEN depth IS NOT NULL THEN {'depth': depth, 'order': -max_depth} END)"
  const columns = depths
    ? `${nearest}.depth AS min_depth, -${nearest}."order" AS max_depth`
    : 'NULL::INTEGER AS min_depth, NULL::INTEGER AS max_depth'
  const sums = `SELECT url, sum(score)::DOUBLE AS score_sum, count(*)::DOUBLE AS link_count, ${columns}`
  if (!listings) return `${sums}, NULL::VARCHAR AS listed FROM ${source} GROUP BY url`
  return `
    SELECT * EXCLUDE (newest), substr(newest, strpos(newest, chr(31)) + 1) AS listed
    FROM (${sums}, ${NEWEST_LISTING} AS newest FROM ${source} GROUP BY url)`
}

/** The date before its listing, as one text: DuckDB can move the largest text to the disk, and cannot do so with arg_max. */
const NEWEST_LISTING = `max(coalesce(metadata->>'${LASTMOD_KEY}', '') || chr(31) || metadata)`

/** For URLs with more than `maxInlinks` links, only those with the highest scores count. */
async function capInlinks(session: Session, optional: OptionalColumns, maxInlinks: number): Promise<void> {
  const crowded = `SELECT url FROM inlinks WHERE link_count > ${maxInlinks}`
  await session.run(`
    CREATE TEMP TABLE best_links AS
    SELECT url, score, depth, max_depth, metadata FROM ${LINKS} WHERE url IN (${crowded})
    QUALIFY row_number() OVER (PARTITION BY url ORDER BY score DESC) <= ${maxInlinks}`)
  await session.run(`DELETE FROM inlinks WHERE link_count > ${maxInlinks}`)
  await session.run(`INSERT INTO inlinks ${inlinkSums('best_links', optional)}`)
}
