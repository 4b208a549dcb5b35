import { basename } from 'node:path'
import type { LostPart } from '../../domain/crawldb/crawl-db.ts'
import { SEGMENT_DIRECTORIES } from '../../domain/segment/segment-columns.ts'
import type { SegmentFiles } from '../crawl-directory/segment-files.ts'
import { filesIn, holding, type SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { segmentSource } from './segments/segment-source.ts'
import { type Session, sqlText } from './session.ts'

/**
 * Releases the pages of lost parts, so that they are fetched again. URLs on the fetch list of their segment count as not fetched, and the
 * segment is open again. Others, such as redirect targets, become due without validators, so that the response is not a 304. The parts are
 * no longer recorded as merged: `update` must not look for them. Returns the number of URLs.
 */
export async function releaseParts(
  session: Session,
  folder: SegmentFolder,
  parts: readonly LostPart[],
  now: number,
): Promise<number> {
  await gatherLostUrls(session, folder, parts)
  await session.begin()
  for (const { segment, part } of parts)
    await session.run('DELETE FROM folded_parts WHERE segment = $1 AND part = $2', [segment, part])
  await session.run(
    `UPDATE urls SET generated_in = NULL FROM unlisted l WHERE fp = ${fingerprint64Sql('l.url')} AND urls.url = l.url AND generated_in = l.segment`,
  )
  await session.run(
    `UPDATE segments SET state = 'generated' WHERE state = 'updated' AND name IN (SELECT segment FROM lost WHERE listed)`,
  )
  const released = await session.run(
    `UPDATE urls SET fetch_time = least(fetch_time, $1::BIGINT), etag = NULL, last_modified = NULL,
       generated_in = coalesce(generated_in, l.open_segment)
     FROM (
       SELECT url, max(CASE WHEN listed AND state = 'generated' THEN segment::BIGINT END) AS open_segment
       FROM lost LEFT JOIN segments ON name = segment GROUP BY url
     ) l WHERE fp = ${fingerprint64Sql('l.url')} AND urls.url = l.url`,
    [now],
  )
  const { count } = await session.one<{ count: number }>(
    'SELECT count(DISTINCT url)::DOUBLE AS count FROM unlisted ANTI JOIN lost USING (url)',
  )
  return released + count
}

/**
 * Creates the tables `lost (url, segment, listed)`, the URLs of lost parts, and `unlisted (url, segment)`, those that are marked in
 * `urls (url, generated_in)` for a segment whose fetch list cannot be read.
 */
export async function gatherLostUrls(
  session: Session,
  folder: SegmentFolder,
  parts: readonly LostPart[],
): Promise<void> {
  await session.run('CREATE TEMP TABLE lost (url VARCHAR, segment VARCHAR, listed BOOLEAN)')
  await session.run('CREATE TEMP TABLE unlisted (url VARCHAR, segment BIGINT)')
  for (const [segment, lost] of Map.groupBy(parts, (part) => part.segment)) {
    const files = await folder.files(segment)
    if (files === undefined) continue
    const names = new Set(lost.map(({ part }) => part))
    const read = filesIn(files, ...SEGMENT_DIRECTORIES).filter((file) => names.has(basename(file)))
    await holding(folder, [...files.crawl_generate, ...files.crawl_fetch, ...read], () =>
      gatherLost(session, segment, files, lost),
    )
  }
}

/** Adds the URLs of lost parts to `lost` and `unlisted`, as far as the readable files of the segment contain them. */
async function gatherLost(
  session: Session,
  segment: string,
  files: SegmentFiles,
  parts: readonly LostPart[],
): Promise<void> {
  const lostNames = new Set(parts.map(({ part }) => part))
  const others = (directory: 'crawl_generate' | 'crawl_fetch') =>
    segmentSource(
      directory,
      files[directory].filter((file) => !lostNames.has(basename(file))),
    )
  const urls: string[] = []
  for (const { part, unreadable } of parts) {
    for (const directory of SEGMENT_DIRECTORIES) {
      if (directory === 'crawl_generate' || unreadable.includes(directory)) continue
      const readable = files[directory].filter((file) => basename(file) === part)
      const column = directory === 'crawl_parse' ? 'from_url AS url' : 'url'
      urls.push(`SELECT ${column} FROM ${segmentSource(directory, readable)}`)
    }
  }
  // URLs of an unreadable crawl_fetch file: those of the fetch list that are in no other file.
  if (parts.some(({ unreadable }) => unreadable.includes('crawl_fetch')))
    urls.push(
      `SELECT g.url FROM ${others('crawl_generate')} g ANTI JOIN ${others('crawl_fetch')} f ON f.url = g.url`,
    )
  if (urls.length > 0)
    await session.run(
      `INSERT INTO lost SELECT DISTINCT l.url, ${sqlText(segment)}, g.url IS NOT NULL
       FROM (${urls.join(' UNION ALL ')}) l LEFT JOIN (SELECT DISTINCT url FROM ${others('crawl_generate')}) g ON g.url = l.url`,
    )
  // Segments of other origin may have any name, but mark nothing.
  if (!parts.some(({ unreadable }) => unreadable.includes('crawl_generate')) || !/^\d{1,18}$/.test(segment))
    return
  await session.run(
    `INSERT INTO unlisted SELECT u.url, ${segment} FROM urls u
     ANTI JOIN ${others('crawl_generate')} g ON g.url = u.url ANTI JOIN ${others('crawl_fetch')} f ON f.url = u.url
     WHERE u.generated_in = ${segment}`,
  )
}
