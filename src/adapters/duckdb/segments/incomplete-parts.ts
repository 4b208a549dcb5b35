import { join } from 'node:path'
import type { UnreadableFile } from '../../../domain/segment/segment-inspector.ts'
import { CONTENT_STATUSES } from '../../../domain/segment/segment-rows.ts'
import { segmentFiles } from '../../crawl-directory/segment-files.ts'
import { type Session, sqlText } from '../session.ts'
import { segmentSource } from './segment-source.ts'

/** The parts of a segment with fetched pages whose content is in no file. All files of the segment must be readable. */
export async function incompleteParts(
  session: Session,
  segmentsPath: string,
  segment: string,
): Promise<UnreadableFile[]> {
  const files = await segmentFiles(join(segmentsPath, segment))
  const rows = await session.all<{ part: string; lost: number; pages: number }>(`
    SELECT part, (count(*) FILTER (c.url IS NULL))::DOUBLE AS lost, count(*)::DOUBLE AS pages
    FROM ${segmentSource('crawl_fetch', files.crawl_fetch)} f
    LEFT JOIN (SELECT DISTINCT url FROM ${segmentSource('content', files.content)}) c ON c.url = f.url
    WHERE f.status IN (${CONTENT_STATUSES.map(sqlText).join(', ')})
    GROUP BY part HAVING lost > 0 ORDER BY part`)
  return rows.map(({ part, lost, pages }) => ({
    ...{ segment, directory: 'content', part },
    file: join(segmentsPath, segment, 'crawl_fetch', part),
    reason: `the content of ${lost} of its ${pages} pages is missing`,
  }))
}
