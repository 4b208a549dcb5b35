import type { DurableFiles } from '../../../base/durable-files.ts'
import { writeByName } from '../../../base/durable-files.ts'
import type { PageFilter } from '../../../domain/segment/segment-store.ts'
import type { Session } from '../session.ts'
import { sqlText } from '../sql-text.ts'
import { type FilesBySegment, selectVisits } from './read-pages.ts'
import { lastInPart, segmentSource } from './segment-source.ts'
import { isOf } from './visit-parts.ts'

/** The columns of an exported page and where they come from: f is crawl_fetch, d parse_data, t parse_text. A public interface. */
export const EXPORT_COLUMNS: Readonly<Record<string, string>> = {
  url: 'f.url',
  fetched_at: 'make_timestamptz(f.fetched_at * 1000)',
  status: 'f.status',
  http_status: 'f.http_status',
  content_type: 'f.content_type',
  title: 'd.title',
  description: 'd.description',
  language: 'd.language',
  canonical: 'd.canonical',
  noindex: 'd.noindex',
  text: 't.text',
  signature: 'f.signature',
  bytes: 'f.bytes',
  etag: 'f.etag',
  last_modified: 'f.last_modified',
  metadata: 'd.metadata',
  segment: 'v.segment',
}

/** Joins the rows of each page and writes them as one file. */
export async function exportParquet(
  session: Session,
  disk: DurableFiles,
  segments: FilesBySegment,
  file: string,
  filter: PageFilter,
): Promise<number> {
  await selectVisits(session, segments, filter)
  const columns = Object.entries(EXPORT_COLUMNS).map(([name, source]) => `${source} AS ${name}`)
  const pages = Array.from(
    segments,
    ([segment, files]) => `
      SELECT ${columns.join(', ')}
      FROM (FROM visits WHERE segment = ${sqlText(segment)}) v
      JOIN ${segmentSource('crawl_fetch', files.crawl_fetch)} f ON ${isOf('crawl_fetch', 'f')}
      LEFT JOIN ${lastInPart('parse_text', files.parse_text)} t ON ${isOf('parse_text', 't')}
      LEFT JOIN ${lastInPart('parse_data', files.parse_data)} d ON ${isOf('parse_data', 'd')}`,
  )
  const rows = pages.join(' UNION ALL ')
  return writeByName(
    file,
    (path) => session.run(`COPY (${rows}) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd)`),
    disk,
  )
}
