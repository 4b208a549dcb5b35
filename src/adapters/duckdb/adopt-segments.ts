import { join } from 'node:path'
import { parquetFiles, type SegmentPart, unfoldedParts } from './segment-parts.ts'
import type { Session } from './session.ts'
import { closeSegment, rememberParts, rememberSegment } from './settle-segments.ts'
import { temporaryName } from './write-fetch-lists.ts'

/**
 * Takes merged segments for folded, before they have their names: from then on `recoverSegments` gives them those, should we be killed.
 * Returns those they were merged from that have parts which were not.
 */
export async function adoptSegments(
  session: Session,
  segmentsPath: string,
  segments: readonly string[],
  from: readonly string[],
): Promise<string[]> {
  const parts = await mergedParts(segmentsPath, segments)
  const waiting = await unfoldedParts(session, segmentsPath, from, false)
  await session.begin()
  await rememberParts(session, parts)
  for (const segment of segments) {
    await rememberSegment(session, segment, 0)
    await closeSegment(session, segment, 'updated')
  }
  return [...new Set(waiting.map(({ segment }) => segment))]
}

async function mergedParts(segmentsPath: string, segments: readonly string[]): Promise<SegmentPart[]> {
  const parts: SegmentPart[] = []
  for (const segment of segments) {
    for (const place of [temporaryName(segment), segment]) {
      for (const part of await parquetFiles(join(segmentsPath, place, 'crawl_fetch')))
        parts.push({ segment, part })
    }
  }
  return parts
}
