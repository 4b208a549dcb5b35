import { basename } from 'node:path'
import {
  LATER_COLUMNS,
  SEGMENT_COLUMNS,
  type SegmentDirectory,
} from '../../../domain/segment/segment-columns.ts'
import type { SegmentFiles } from '../../crawl-directory/segment-files.ts'
import { filesIn } from '../../crawl-directory/segment-folder.ts'
import type { PartDirectory } from '../../crawl-directory/segment-tables.ts'
import { type Session, sqlList, sqlText } from '../session.ts'

/**
 * A relation with the rows of `files` of one directory, to be used after FROM: its columns, and `part` (the file's name) and
 * `part_row`, which together order the rows of a segment by age. No files give no rows.
 */
export function segmentSource(directory: SegmentDirectory, files: readonly string[]): string {
  const columns = Object.entries(SEGMENT_COLUMNS[directory])
  if (files.length === 0) {
    const empty = columns.map(([name, type]) => `NULL::${type} AS ${name}`)
    return `(SELECT ${empty.join(', ')}, NULL::VARCHAR AS part, NULL::BIGINT AS part_row WHERE false)`
  }
  const names = columns.map(([name]) => name).join(', ')
  return `(SELECT ${names}, parse_filename(filename) AS part, file_row_number AS part_row
    FROM ${parquetRows(directory, files)})`
}

/** The rows of files, with `filename` and `file_row_number`. Columns that older programs did not write are NULL. */
export function parquetRows(directory: SegmentDirectory, files: readonly string[]): string {
  const rows = `read_parquet(${sqlList(files)}, union_by_name = true, filename = true, file_row_number = true)`
  const later = LATER_COLUMNS[directory]?.map((name) => `NULL::VARCHAR AS ${name}`)
  // A relation without rows gives old files the columns that they lack.
  return later === undefined
    ? rows
    : `(SELECT ${later.join(', ')} WHERE false UNION ALL BY NAME FROM ${rows})`
}

/** The same with only the last row of each URL, which is the valid one. */
export function latestRows(directory: SegmentDirectory, files: readonly string[]): string {
  return `(FROM ${segmentSource(directory, files)}
    QUALIFY row_number() OVER (PARTITION BY url ORDER BY part DESC, part_row DESC) = 1)`
}

/** The same with only the last row of each URL in each part: a page may have been fetched twice within seconds. */
export function lastInPart(directory: 'parse_text' | 'parse_data', files: readonly string[]): string {
  return `(FROM ${segmentSource(directory, files)}
    QUALIFY row_number() OVER (PARTITION BY part, url ORDER BY part_row DESC) = 1)`
}

/*
 * Locating the rows of a fetch in the directories of its segment. `wanted_fetches (segment, part, part_row, url, …)` is a temporary table
 * with one row per wanted crawl_fetch row.
 */

/** Parts that are read together, and the parts that may hold the bodies of their pages. */
export interface PartGroup {
  readonly parts: Set<string>
  readonly bodies: Set<string>
}

/**
 * Creates the temporary table `located`: the wanted fetches of one segment, with the parts that may hold their bodies. (A page that was
 * parsed later has its last row in another part than its body.) Returns the parts in groups that are small enough to be read at once.
 * Only files of `crawl_fetch` are read.
 */
export async function locateFetches(
  session: Session,
  segment: string,
  { crawl_fetch }: SegmentFiles,
): Promise<PartGroup[]> {
  const wanted = `(FROM wanted_fetches WHERE segment = ${sqlText(segment)})`
  const rows = segmentSource('crawl_fetch', crawl_fetch)
  await session.run(`
    CREATE OR REPLACE TEMP TABLE located AS
    SELECT v.*, r.parts AS body_parts
    FROM ${wanted} v JOIN (
      SELECT url, list(DISTINCT part) AS parts FROM ${rows} WHERE url IN (SELECT url FROM ${wanted}) GROUP BY url
    ) r ON r.url = v.url`)
  const parts = await session.all<PartOfFetches>(`
    SELECT part, list_distinct(flatten(list(body_parts))) AS bodies FROM located GROUP BY part ORDER BY part`)
  const sizes = await session.all<{ part: string; bytes: number }>(`
    SELECT part, (coalesce(sum(bytes), 0) + count(*) * ${ROW_BYTES})::DOUBLE AS bytes FROM ${rows} GROUP BY part`)
  return groupParts(parts, new Map(sizes.map(({ part, bytes }) => [part, bytes])))
}

interface PartOfFetches {
  readonly part: string
  readonly bodies: readonly string[]
}

/** About the size of the headers and the metadata of a page. */
const ROW_BYTES = 2_000

/** The files of a group that hold its pages. */
export function filesOfGroup({ parts, bodies }: PartGroup, files: SegmentFiles): string[] {
  return [
    ...files.content.filter((file) => bodies.has(basename(file))),
    ...filesIn(files, 'crawl_fetch', 'parse_text', 'parse_data', 'crawl_parse').filter((file) =>
      parts.has(basename(file)),
    ),
  ]
}

/** Creates the temporary table `located_bodies`: the rows of `content` for the fetches of a group. */
export function locateBodies(session: Session, { bodies }: PartGroup, files: SegmentFiles): Promise<number> {
  const content = files.content.filter((file) => bodies.has(basename(file)))
  return session.run(`
    CREATE OR REPLACE TEMP TABLE located_bodies AS
    SELECT url, part AS body_part, part_row AS body_row FROM ${latestRows('content', content)}`)
}

/** The fetches in the parts of a group, with the place of their bodies. */
export function locatedIn({ parts }: PartGroup): string {
  return `(
    SELECT l.* EXCLUDE (body_parts), b.body_part, b.body_row
    FROM (FROM located WHERE list_contains(${sqlList([...parts])}, part)) l LEFT JOIN located_bodies b ON b.url = l.url)`
}

/** The rows of a directory in the parts of a group; one per page, except for links. */
export function rowsOf(directory: PartDirectory, { parts, bodies }: PartGroup, files: SegmentFiles): string {
  const wanted = directory === 'content' ? bodies : parts
  const groupFiles = files[directory].filter((file) => wanted.has(basename(file)))
  const isParse = directory === 'parse_text' || directory === 'parse_data'
  return isParse ? lastInPart(directory, groupFiles) : segmentSource(directory, groupFiles)
}

/** The condition that the row `row` of `directory` belongs to the fetch `v`. */
export function isOf(directory: PartDirectory, row: string): string {
  switch (directory) {
    case 'crawl_fetch':
      return `${row}.part = v.part AND ${row}.part_row = v.part_row`
    case 'content':
      return `${row}.part = v.body_part AND ${row}.part_row = v.body_row`
    case 'crawl_parse':
      return `${row}.part = v.part AND ${row}.from_url = v.url`
    default:
      return `${row}.part = v.part AND ${row}.url = v.url`
  }
}

/** Groups small parts: one query per part would take longer than reading them. */
function groupParts(parts: readonly PartOfFetches[], sizes: ReadonlyMap<string, number>): PartGroup[] {
  const groups: PartGroup[] = []
  let groupBytes = 0
  for (const { part, bodies } of parts) {
    const partBytes = [...new Set([part, ...bodies])].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)
    let group = groups.at(-1)
    if (group === undefined || groupBytes + partBytes > GROUP_BYTES) {
      group = { parts: new Set(), bodies: new Set() }
      groups.push(group)
      groupBytes = 0
    }
    group.parts.add(part)
    for (const body of bodies) group.bodies.add(body)
    groupBytes += partBytes
  }
  return groups
}

const GROUP_BYTES = 16 * 1024 * 1024
