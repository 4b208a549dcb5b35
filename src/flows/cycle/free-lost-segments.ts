import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'
import type { SegmentStore } from '../../domain/segment/segment-store.ts'

/**
 * Releases the URLs of fetch lists whose segments were deleted; otherwise they would wait for a result forever. Returns their number.
 */
export async function freeLostSegments(
  db: Pick<CrawlDb, 'segments' | 'abandon'>,
  segments: Pick<SegmentStore, 'list'>,
): Promise<number> {
  const there = new Set(await segments.list())
  let freed = 0
  for (const { name, state } of await db.segments())
    if (state === 'generated' && !there.has(name)) freed += await db.abandon(name)
  return freed
}
