import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'
import type { SegmentStore } from '../../domain/segment/segment-store.ts'

/**
 * Gives the URLs of fetch lists free again whose segments somebody has deleted: no result will ever come of them, and they would wait
 * for one for ever. Returns how many.
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
