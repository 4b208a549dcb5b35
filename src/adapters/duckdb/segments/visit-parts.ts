import { basename } from 'node:path'
import type { SegmentFiles } from '../../crawl-directory/segment-files.ts'
import type { PartDirectory } from '../../crawl-directory/segment-tables.ts'
import type { Session } from '../session.ts'
import { sqlList, sqlText } from '../sql-text.ts'
import { lastInPart, latestRows, segmentSource } from './segment-source.ts'

/*
 * How the rows of a visit are found again in the directories of its segment. `visits (segment, part, part_row, url, …)` is a temporary
 * table of the session, one row for each crawl_fetch row that is wanted.
 */

/** Parts that are read together, and the parts that hold the bodies of their pages. */
export interface PartGroup {
  readonly parts: Set<string>
  readonly bodies: Set<string>
}

/**
 * Makes the temporary table `located`: the visits to one segment, with the place of their responses. (A page that was parsed later has its
 * last row in another part than its body.) Returns its parts in groups that are small enough to be read at once.
 */
export async function locateVisits(
  session: Session,
  segment: string,
  files: SegmentFiles,
): Promise<PartGroup[]> {
  await session.run(`
    CREATE OR REPLACE TEMP TABLE located AS
    SELECT v.*, c.part AS body_part, c.part_row AS body_row
    FROM (FROM visits WHERE segment = ${sqlText(segment)}) v
    LEFT JOIN (SELECT url, part, part_row FROM ${latestRows('content', files.content)}) c ON c.url = v.url`)
  const parts = await session.all<PartOfVisits>(`
    SELECT part, list(DISTINCT body_part) FILTER (body_part IS NOT NULL) AS bodies FROM located GROUP BY part ORDER BY part`)
  return groupParts(parts, await partSizes(session, files))
}

interface PartOfVisits {
  readonly part: string
  readonly bodies: readonly string[] | null
}

/** What the large columns of each part come to when they are read: its file name and bytes. */
async function partSizes(session: Session, files: SegmentFiles): Promise<Map<string, number>> {
  const large = [...files.content, ...files.parse_text, ...files.parse_data]
  if (large.length === 0) return new Map()
  const sizes = await session.all<{ part: string; bytes: number }>(`
    SELECT parse_filename(file_name) AS part, sum(total_uncompressed_size)::DOUBLE AS bytes
    FROM parquet_metadata(${sqlList(large)}) GROUP BY ALL`)
  return new Map(sizes.map(({ part, bytes }) => [part, bytes]))
}

/** The visits in the parts of a group. */
export function locatedIn({ parts }: PartGroup): string {
  return `(FROM located WHERE list_contains(${sqlList([...parts])}, part))`
}

/** The rows of a directory in the parts of a group; of each page one, but for links. */
export function rowsOf(directory: PartDirectory, { parts, bodies }: PartGroup, files: SegmentFiles): string {
  const wanted = directory === 'content' ? bodies : parts
  const groupFiles = files[directory].filter((file) => wanted.has(basename(file)))
  const isParse = directory === 'parse_text' || directory === 'parse_data'
  return isParse ? lastInPart(directory, groupFiles) : segmentSource(directory, groupFiles)
}

/** The condition that a row of `directory` called `row` belongs to the visit `v`. */
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

/** Small parts together: a query for each would take longer than reading them. */
function groupParts(parts: readonly PartOfVisits[], sizes: ReadonlyMap<string, number>): PartGroup[] {
  const groups: PartGroup[] = []
  let groupBytes = 0
  for (const { part, bodies } of parts) {
    const partBytes = [...new Set([part, ...(bodies ?? [])])].reduce(
      (sum, name) => sum + (sizes.get(name) ?? 0),
      0,
    )
    let group = groups.at(-1)
    if (group === undefined || groupBytes + partBytes > GROUP_BYTES) {
      group = { parts: new Set(), bodies: new Set() }
      groups.push(group)
      groupBytes = 0
    }
    group.parts.add(part)
    for (const body of bodies ?? []) group.bodies.add(body)
    groupBytes += partBytes
  }
  return groups
}

const GROUP_BYTES = 16 * 1024 * 1024
