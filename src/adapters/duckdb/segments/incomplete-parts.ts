import { basename } from 'node:path'
import type { UnreadableFile } from '../../../domain/segment/segment-inspector.ts'
import { CONTENT_STATUSES } from '../../../domain/segment/segment-rows.ts'
import { type Session, sqlText } from '../session.ts'
import { segmentSource } from './segment-source.ts'

/**
 * The parts of a segment with fetched pages whose content is in no file. The temporary table `stored_content (url)` has the URLs of all files
 * of `content`.
 */
export async function incompleteParts(
  session: Session,
  segment: string,
  fetchFiles: readonly string[],
): Promise<UnreadableFile[]> {
  const rows = await session.all<{ part: string; lost: number; pages: number }>(`
    SELECT part, (count(*) FILTER (c.url IS NULL))::DOUBLE AS lost, count(*)::DOUBLE AS pages
    FROM ${segmentSource('crawl_fetch', fetchFiles)} f
    LEFT JOIN (SELECT DISTINCT url FROM stored_content) c ON c.url = f.url
    WHERE f.status IN (${CONTENT_STATUSES.map(sqlText).join(', ')})
    GROUP BY part HAVING lost > 0 ORDER BY part`)
  return rows.map(({ part, lost, pages }) => ({
    ...{ segment, directory: 'content', part },
    file: fetchFiles.find((file) => basename(file) === part) ?? part,
    reason: `the content of ${lost} of its ${pages} pages is missing`,
  }))
}
