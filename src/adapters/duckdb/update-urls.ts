import type { UpdateRequest, UpdateResult } from '../../domain/crawldb/crawl-db-requests.ts'
import { addDrops, takeVisitDrops } from './drops.ts'
import { foldEvents } from './fold-events.ts'
import { gatherEvents } from './gather-events.ts'
import { judgeEvents, judgeStored } from './judge-stored.ts'
import { rememberHostWaits } from './read-host-waits.ts'
import { unfoldedParts } from './segment-parts.ts'
import type { Session } from './session.ts'
import { settleSegments } from './settle-segments.ts'
import { purge } from './sweep-urls.ts'

/** Folds segments into `urls`. */
export async function updateUrls(
  session: Session,
  segmentsPath: string,
  request: UpdateRequest,
): Promise<UpdateResult> {
  const { judge } = request
  const parts = await unfoldedParts(session, segmentsPath, request.segments, request.force ?? false)
  let purged = await purge(session, request)
  const links = await gatherEvents(session, segmentsPath, parts, request.maxInlinks ?? 10_000)
  const dropped = await takeVisitDrops(session)
  if (judge !== undefined) {
    await judgeEvents(session, judge)
    purged += await judgeStored(session, judge)
  }
  const { fetched } = await session.one<{ fetched: number }>(
    'SELECT count(*)::DOUBLE AS fetched FROM fetched',
  )
  const fold = await foldEvents(session, request)

  await session.begin()
  const counts = await fold.write()
  const latest = request.now + request.rules.schedule.maxIntervalSeconds * 1000
  const hostsPutOff = await rememberHostWaits(session, latest)
  // Visits that are folded in once more were counted the first time.
  if (request.force !== true) await addDrops(session, dropped)
  const pending = await settleSegments(session, segmentsPath, request, parts)
  return { fetched, links, ...counts, purged, parts: parts.length, hostsPutOff, pending, dropped }
}
