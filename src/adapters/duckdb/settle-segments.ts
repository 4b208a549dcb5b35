import { join } from 'node:path'
import type { UpdateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { parquetFiles, type SegmentPart } from './segment-parts.ts'
import type { Session } from './session.ts'
import { sqlList, sqlText } from './sql-text.ts'

/**
 * Remembers what was folded, and closes the segments of which every URL has a result: whatever mark is left of them goes.
 * Returns, by segment, how many URLs have none yet.
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
    const waiting = closed.has(segment) ? 0 : await countPending(session, segmentsPath, segment)
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

/** Frees what is still marked for a segment; returns how many URLs that were. */
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

/** Only what was folded counts: the fetcher may have written more meanwhile. */
async function countPending(session: Session, segmentsPath: string, segment: string): Promise<number> {
  const listFolder = join(segmentsPath, segment, 'crawl_generate')
  const listed = (await parquetFiles(listFolder)).map((name) => join(listFolder, name))
  if (listed.length === 0) return 0
  const folded = await session.all<SegmentPart>('SELECT part FROM folded_parts WHERE segment = $1', [segment])
  const fetched = folded.map(({ part }) => join(segmentsPath, segment, 'crawl_fetch', part))
  const done = fetched.length === 0 ? '' : `ANTI JOIN read_parquet(${sqlList(fetched)}) f ON f.url = g.url`
  const { count } = await session.one<{ count: number }>(
    `SELECT count(*)::DOUBLE AS count FROM read_parquet(${sqlList(listed)}) g ${done}`,
  )
  return count
}

/** A segment that was copied here or merged from others is not known yet. */
export async function rememberSegment(session: Session, segment: string, now: number): Promise<void> {
  await session.run(
    `INSERT INTO segments SELECT $1, $2::BIGINT, 0, 'generated' WHERE $1 NOT IN (SELECT name FROM segments)`,
    [segment, now],
  )
}
