import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { UpdateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { type Session, sqlList, sqlText } from './session.ts'
import { publishSegment, temporaryName } from './write-fetch-lists.ts'

/** One part of the results of a segment. */
export interface SegmentPart {
  readonly segment: string
  /** The name of its files, the same in each directory. */
  readonly part: string
}

/** The parts of these segments that are not among `merged`. A part counts once its crawl_fetch file is there. */
export async function unmergedParts(
  segmentsPath: string,
  segments: readonly string[],
  merged: readonly SegmentPart[],
): Promise<SegmentPart[]> {
  const done = new Set(merged.map(({ segment, part }) => `${segment}/${part}`))
  const parts: SegmentPart[] = []
  for (const segment of segments) {
    if (!(await isDirectory(join(segmentsPath, segment)))) {
      throw new ConfigurationError('SEGMENT_UNUSABLE', `there is no segment ${segment} in ${segmentsPath}`)
    }
    for (const part of await parquetFiles(join(segmentsPath, segment, 'crawl_fetch'))) {
      if (!done.has(`${segment}/${part}`)) parts.push({ segment, part })
    }
  }
  return parts
}

export function readMergedParts(session: Session): Promise<SegmentPart[]> {
  return session.all<SegmentPart>('SELECT segment, part FROM folded_parts')
}

/** The Parquet files of a directory, by name; none when there is no such directory. Files still being written have other names. */
export async function parquetFiles(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory)
    return names.filter((name) => name.startsWith('part-') && name.endsWith('.parquet')).sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    await readdir(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/**
 * Records the new segments of a merge as merged into the CrawlDb, before they are renamed: if the process is killed then,
 * `recoverSegments` renames them. Returns the source segments with parts that are not merged into the CrawlDb.
 */
export async function adoptSegments(
  session: Session,
  segmentsPath: string,
  segments: readonly string[],
  from: readonly string[],
): Promise<string[]> {
  const parts = await partsOfMerge(segmentsPath, segments)
  const waiting = await unmergedParts(segmentsPath, from, await readMergedParts(session))
  await session.begin()
  await rememberParts(session, parts)
  for (const segment of segments) {
    await rememberSegment(session, segment, 0)
    await closeSegment(session, segment, 'updated')
  }
  return [...new Set(waiting.map(({ segment }) => segment))]
}

export async function partsOfMerge(
  segmentsPath: string,
  segments: readonly string[],
): Promise<SegmentPart[]> {
  const parts: SegmentPart[] = []
  for (const segment of segments) {
    for (const place of [temporaryName(segment), segment]) {
      for (const part of await parquetFiles(join(segmentsPath, place, 'crawl_fetch')))
        parts.push({ segment, part })
    }
  }
  return parts
}

/**
 * Records the merged parts, and closes segments in which every URL has a result: their remaining marks are cleared.
 * Returns, by segment, the number of URLs without a result.
 */
export async function settleSegments(
  session: Session,
  segmentsPath: string,
  { segments, now }: UpdateRequest,
  parts: readonly SegmentPart[],
): Promise<Record<string, number>> {
  await rememberParts(session, parts)
  const closed = new Set(
    (await session.all<{ name: string }>(`SELECT name FROM segments WHERE state = 'updated'`)).map(
      ({ name }) => name,
    ),
  )
  const pending: Record<string, number> = {}
  for (const segment of segments) {
    const merged = await session.all<SegmentPart>('SELECT part FROM folded_parts WHERE segment = $1', [
      segment,
    ])
    const waiting = closed.has(segment)
      ? 0
      : await countPending(
          session,
          segmentsPath,
          segment,
          merged.map(({ part }) => part),
        )
    pending[segment] = waiting
    await rememberSegment(session, segment, now)
    if (waiting === 0 && !closed.has(segment)) await closeSegment(session, segment, 'updated')
  }
  return pending
}

export async function rememberParts(session: Session, parts: readonly SegmentPart[]): Promise<void> {
  if (parts.length === 0) return
  const rows = parts.map(({ segment, part }) => `(${sqlText(segment)}, ${sqlText(part)})`).join(', ')
  await session.run(`DELETE FROM folded_parts WHERE (segment, part) IN (VALUES ${rows})`)
  await session.run(`INSERT INTO folded_parts SELECT DISTINCT * FROM (VALUES ${rows})`)
}

/** Clears the marks of URLs that are still marked for a segment; returns how many. */
export async function closeSegment(
  session: Session,
  segment: string,
  state: 'updated' | 'abandoned',
): Promise<number> {
  await session.run('UPDATE segments SET state = $1 WHERE name = $2', [state, segment])
  // Segments of other origin may have any name, but mark nothing.
  if (!/^\d{1,18}$/.test(segment)) return 0
  return session.run(`UPDATE urls SET generated_in = NULL WHERE generated_in = ${segment}`)
}

/**
 * The number of URLs on the fetch list of a segment that have no row in `merged`, its parts that were merged. The fetcher may have written
 * more meanwhile.
 */
export async function countPending(
  session: Session,
  segmentsPath: string,
  segment: string,
  merged: readonly string[],
): Promise<number> {
  const listFolder = join(segmentsPath, segment, 'crawl_generate')
  const listed = (await parquetFiles(listFolder)).map((name) => join(listFolder, name))
  if (listed.length === 0) return 0
  const fetched = merged.map((part) => join(segmentsPath, segment, 'crawl_fetch', part))
  const done = fetched.length === 0 ? '' : `ANTI JOIN read_parquet(${sqlList(fetched)}) f ON f.url = g.url`
  const { count } = await session.one<{ count: number }>(
    `SELECT count(*)::DOUBLE AS count FROM read_parquet(${sqlList(listed)}) g ${done}`,
  )
  return count
}

/** Adds a segment that the db does not know, because it was copied here or merged from others. */
export async function rememberSegment(session: Session, segment: string, now: number): Promise<void> {
  await session.run(
    `INSERT INTO segments SELECT $1, $2::BIGINT, 0, 'generated' WHERE $1 NOT IN (SELECT name FROM segments)`,
    [segment, now],
  )
}

/**
 * Completes the work of a killed process: new segments that the database knows are renamed, all others are deleted, as are those whose
 * deletion had begun.
 */
export async function recoverSegments(segmentsPath: string, known: ReadonlySet<string>): Promise<void> {
  const present = new Set(await readdir(segmentsPath))
  for (const entry of present) {
    if (/^\.\d{14}\.removed$/.test(entry)) await rm(join(segmentsPath, entry), { recursive: true })
    const name = /^\.(\d{14})\.tmp$/.exec(entry)?.[1]
    if (name === undefined) continue
    if (known.has(name) && !present.has(name)) await publishSegment(segmentsPath, name)
    else await rm(join(segmentsPath, temporaryName(name)), { recursive: true, force: true })
  }
}
