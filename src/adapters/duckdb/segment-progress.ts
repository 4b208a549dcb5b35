import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { UpdateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { segmentFiles } from '../crawl-directory/segment-files.ts'
import { committedParts, holding, type SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { type Session, sqlList, sqlText } from './session.ts'
import { nameSegment, temporaryName } from './write-fetch-lists.ts'

/** One part of the results of a segment. */
export interface SegmentPart {
  readonly segment: string
  /** The name of its files, the same in each directory. */
  readonly part: string
}

/** The parts of these segments that are not among `merged`. A part counts once its crawl_fetch file is there. */
export async function unmergedParts(
  folder: SegmentFolder,
  segments: readonly string[],
  merged: readonly SegmentPart[],
): Promise<SegmentPart[]> {
  const done = new Set(merged.map(({ segment, part }) => `${segment}/${part}`))
  const parts: SegmentPart[] = []
  for (const segment of segments) {
    const files = await folder.files(segment)
    if (files === undefined)
      throw new ConfigurationError('SEGMENT_UNUSABLE', `there is no segment ${segment} in ${folder.path}`)
    for (const part of committedParts(files)) {
      if (!done.has(`${segment}/${part}`)) parts.push({ segment, part })
    }
  }
  return parts
}

export function readMergedParts(session: Session): Promise<SegmentPart[]> {
  return session.all<SegmentPart>('SELECT segment, part FROM folded_parts')
}

/**
 * Records the new segments of a merge as merged into the CrawlDb, before they are renamed: if the process is killed then,
 * `recoverSegments` renames them. Returns the source segments with parts that are not merged into the CrawlDb.
 */
export async function adoptSegments(
  session: Session,
  folder: SegmentFolder,
  segments: readonly string[],
  from: readonly string[],
): Promise<string[]> {
  const parts = await partsOfMerge(folder, segments)
  const waiting = await unmergedParts(folder, from, await readMergedParts(session))
  await session.begin()
  await rememberParts(session, parts)
  for (const segment of segments) {
    await rememberSegment(session, segment, 0)
    await closeSegment(session, segment, 'updated')
  }
  return [...new Set(waiting.map(({ segment }) => segment))]
}

export async function partsOfMerge(
  folder: SegmentFolder,
  segments: readonly string[],
): Promise<SegmentPart[]> {
  const parts: SegmentPart[] = []
  for (const segment of segments) {
    const unnamed = await segmentFiles(join(folder.path, temporaryName(segment)))
    const present = await folder.files(segment)
    for (const part of [...committedParts(unnamed), ...committedParts(present)]) parts.push({ segment, part })
  }
  return parts
}

/**
 * Records the merged parts, and closes segments in which every URL has a result: their remaining marks are cleared.
 * Returns, by segment, the number of URLs without a result.
 */
export async function settleSegments(
  session: Session,
  folder: SegmentFolder,
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
          folder,
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
  folder: SegmentFolder,
  segment: string,
  merged: readonly string[],
): Promise<number> {
  const listed = (await folder.files(segment))?.crawl_generate ?? []
  if (listed.length === 0) return 0
  const fetched = merged.map((part) => join(folder.path, segment, 'crawl_fetch', part))
  const done = fetched.length === 0 ? '' : `ANTI JOIN read_parquet(${sqlList(fetched)}) f ON f.url = g.url`
  const { count } = await holding(folder, [...listed, ...fetched], () =>
    session.one<{ count: number }>(
      `SELECT count(*)::DOUBLE AS count FROM read_parquet(${sqlList(listed)}) g ${done}`,
    ),
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
export async function recoverSegments(folder: SegmentFolder, known: ReadonlySet<string>): Promise<void> {
  const present = new Set(await readdir(folder.path))
  for (const entry of present) {
    if (/^\.\d{14}\.removed$/.test(entry)) await rm(join(folder.path, entry), { recursive: true })
    const name = /^\.(\d{14})\.tmp$/.exec(entry)?.[1]
    if (name === undefined) continue
    if (known.has(name) && !present.has(name)) await nameSegment(folder.path, name)
    else await rm(join(folder.path, temporaryName(name)), { recursive: true, force: true })
  }
  await folder.recover()
}
