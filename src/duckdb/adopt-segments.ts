import { unfoldedParts } from './segment-parts.ts'
import type { Session } from './session.ts'
import { closeSegment, rememberParts, rememberSegment } from './settle-segments.ts'

/** Takes merged segments for folded. Returns those they were merged from that have parts which were not. */
export async function adoptSegments(
  session: Session,
  segmentsPath: string,
  segments: readonly string[],
  from: readonly string[],
): Promise<string[]> {
  const parts = await unfoldedParts(session, segmentsPath, segments, true)
  const waiting = await unfoldedParts(session, segmentsPath, from, false)
  await session.begin()
  await rememberParts(session, parts)
  for (const segment of segments) {
    await rememberSegment(session, segment, 0)
    await closeSegment(session, segment, 'updated')
  }
  return [...new Set(waiting.map(({ segment }) => segment))]
}
