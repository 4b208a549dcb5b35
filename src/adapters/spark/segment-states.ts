import type { UpdateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import type { SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { countPending, type SegmentPart } from '../duckdb/segment-progress.ts'
import { TABLES } from './crawl-tables.ts'
import type { CrawlVersions, KnownSegment, NextVersion } from './crawl-versions.ts'
import { withScratch } from './scratch-database.ts'
import { urlRows } from './write-urls.ts'

/** The parts of segments that were merged. */
export function mergedParts(db: CrawlVersions): Promise<SegmentPart[]> {
  return db.current.tables.folded_parts === undefined
    ? Promise.resolve([])
    : db.all<SegmentPart>('SELECT segment, part FROM folded_parts')
}

/** Records merged parts. @param merged those that are recorded */
export async function writeParts(
  next: NextVersion,
  merged: readonly SegmentPart[],
  parts: readonly SegmentPart[],
): Promise<void> {
  const known = new Set(merged.map(({ segment, part }) => `${segment}/${part}`))
  const fresh = parts.filter(({ segment, part }) => !known.has(`${segment}/${part}`))
  if (fresh.length === 0) return
  await next.db.viewRows(
    'new_parts',
    TABLES.folded_parts,
    fresh.map(({ segment, part }) => [segment, part]),
  )
  await next.write('folded_parts', 'SELECT * FROM folded_parts', 'SELECT * FROM new_parts')
}

/**
 * Sets the states of segments after an update: those in which every URL has a result are closed.
 * Returns, by segment, the number of URLs without a result; and the closed ones that may have marks.
 * @param merged all parts that are merged then
 */
export async function settleStates(
  next: NextVersion,
  paths: { readonly segments: SegmentFolder; readonly scratch: string },
  { segments, now }: UpdateRequest,
  merged: readonly SegmentPart[],
): Promise<{ pending: Record<string, number>; closed: string[] }> {
  const pending: Record<string, number> = {}
  const closed: string[] = []
  let states = next.state.segments
  await withScratch(paths.scratch, async (session) => {
    for (const segment of segments) {
      const isClosed = states.some(({ name, state }) => name === segment && state === 'updated')
      const own = merged.filter((part) => part.segment === segment).map(({ part }) => part)
      const waiting = isClosed ? 0 : await countPending(session, paths.segments, segment, own)
      pending[segment] = waiting
      states = withSegment(states, segment, now)
      if (waiting > 0 || isClosed) continue
      states = withState(states, segment, 'updated')
      if (hasMarks(segment)) closed.push(segment)
    }
  })
  if (states !== next.state.segments) next.set({ segments: states })
  return { pending, closed }
}

/** Adds a segment that the db does not know, because it was copied here or merged from others. */
export function withSegment(
  states: readonly KnownSegment[],
  name: string,
  now: number,
): readonly KnownSegment[] {
  if (states.some((segment) => segment.name === name)) return states
  return [...states, { name, createdAt: now, urls: 0, state: 'generated' }]
}

export function withState(
  states: readonly KnownSegment[],
  name: string,
  state: KnownSegment['state'],
): readonly KnownSegment[] {
  return states.map((segment) => (segment.name === name ? { ...segment, state } : segment))
}

/** Clears the marks of URLs that are still marked for a segment; returns how many. */
export async function abandonSegment(next: NextVersion, segment: string): Promise<number> {
  next.set({ segments: withState(next.state.segments, segment, 'abandoned') })
  if (!hasMarks(segment)) return 0
  const { n } = await next.db.one<{ n: number }>(
    `SELECT count(*) AS n FROM urls WHERE generated_in = ${segment}`,
  )
  if (n > 0) await next.write('urls', urlRows({ generated_in: `nullif(u.generated_in, ${segment})` }))
  return n
}

/** Segments of other origin may have any name, but mark nothing. */
export function hasMarks(segment: string): boolean {
  return /^\d{1,18}$/.test(segment)
}
