import { UBIGINT, VARCHAR } from '@duckdb/node-api'
import { fingerprintText } from '../../../domain/content/sim-hash.ts'
import type { DedupRequest, DedupResult } from '../../../domain/crawldb/crawl-db-requests.ts'
import { statusCode } from '../../../domain/crawldb/crawl-status.ts'
import type { SegmentFolder } from '../../crawl-directory/segment-folder.ts'
import { holding } from '../../crawl-directory/segment-folder.ts'
import { fingerprint64Sql } from '../fingerprint64-sql.ts'
import { segmentFilesOf } from '../index-changes.ts'
import { parquetRows } from '../segments/segment-source.ts'
import { type Session, sqlList, sqlText } from '../session.ts'
import { groupNearHashes } from './near-hashes.ts'

/** Pages with content. A marked duplicate is compared again, so that the result does not depend on earlier runs. */
const STATUSES = (['db_fetched', 'db_notmodified', 'db_duplicate'] as const).map(statusCode).join(', ')

/**
 * Groups pages whose SimHashes differ in at most three bits. The representative of a group is its page with the highest score, then the
 * one fetched last, then the one with the shortest URL; each page of the group is near it.
 */
export async function markNearDuplicates(
  session: Session,
  folder: SegmentFolder,
  request: DedupRequest,
): Promise<DedupResult> {
  await readHashes(session, folder)
  const scope = { none: '0', host: 'u.host_id', domain: fingerprint64Sql('h.domain') }[
    request.group ?? 'none'
  ]
  await session.run(`
    CREATE TEMP TABLE near_order AS
    SELECT s.fp, s.sim_hash, s.segment, ${scope}::UBIGINT AS scope, u.rowid AS row_id,
      row_number() OVER (ORDER BY u.score DESC, u.last_fetch_time DESC, length(u.url), u.url) AS rank
    FROM page_hashes s JOIN urls u ON u.fp = s.fp JOIN hosts h ON h.id = u.host_id
    WHERE u.status IN (${STATUSES});
    CREATE TEMP TABLE near_hashes AS
    SELECT (row_number() OVER (ORDER BY min(rank)) - 1)::INTEGER AS id, sim_hash, scope, min(rank) AS rank
    FROM near_order GROUP BY sim_hash, scope`)
  await groupNearHashes(session)
  await session.run(`
    CREATE TEMP TABLE near_groups AS
    SELECT o.fp, o.sim_hash, o.segment, o.row_id, l.sim_hash AS cluster, o.rank = l.rank AS kept, count(*) OVER (PARTITION BY g.leader) AS pages
    FROM near_order o JOIN near_hashes n ON n.sim_hash = o.sim_hash AND n.scope = o.scope
    JOIN near_leaders g ON g.id = n.id JOIN near_hashes l ON l.id = g.leader`)
  await session.begin()
  await session.run(`
    DELETE FROM near_pages;
    INSERT INTO near_pages
    SELECT fp, sim_hash, segment, CASE WHEN pages > 1 THEN cluster END, pages > 1 AND kept FROM near_groups`)
  if (request.mark === true)
    await session.run(`
      UPDATE urls SET status = ${statusCode('db_duplicate')} FROM near_groups g
      WHERE urls.rowid = g.row_id AND g.pages > 1 AND NOT g.kept`)
  return session.one<DedupResult>(`
    SELECT count(*) FILTER (kept)::DOUBLE AS groups, (count(cluster) - count(*) FILTER (kept))::DOUBLE AS duplicates,
      count(*)::DOUBLE AS compared
    FROM near_pages`)
}

/**
 * Creates `page_hashes (fp, sim_hash, segment)`: the SimHash of the newest text of each page. One that neither its segment nor an earlier
 * run has is computed from the stored text.
 */
async function readHashes(session: Session, folder: SegmentFolder): Promise<void> {
  const segments = await segmentFilesOf(folder)
  const data: string[] = []
  const texts: string[] = []
  for (const { parse_data, parse_text } of segments.values()) {
    for (const file of parse_data) data.push(file)
    for (const file of parse_text) texts.push(file)
  }
  await session.run('CREATE TEMP TABLE page_hashes (fp UBIGINT, sim_hash UBIGINT, segment VARCHAR)')
  if (data.length === 0) return
  await holding(folder, data, () =>
    session.run(`
      CREATE TEMP TABLE newest_hashes AS
      SELECT ${fingerprint64Sql('url')} AS fp, url, sim_hash, parse_path(filename)[-3] AS segment
      FROM ${parquetRows('parse_data', data)} WHERE status = 'parsed'
      QUALIFY row_number() OVER (PARTITION BY url ORDER BY parse_path(filename)[-3] DESC, parse_filename(filename) DESC, file_row_number DESC) = 1;
      INSERT INTO page_hashes
      SELECT fp, ('0x' || sim_hash)::UBIGINT, segment FROM newest_hashes WHERE sim_hash IS NOT NULL
      UNION ALL
      SELECT n.fp, p.sim_hash, n.segment FROM newest_hashes n JOIN near_pages p ON p.fp = n.fp AND p.segment = n.segment
      WHERE n.sim_hash IS NULL;
      CREATE TEMP TABLE without_hash AS
      SELECT fp, url, segment FROM newest_hashes WHERE fp NOT IN (SELECT fp FROM page_hashes)`),
  )
  const missing = await session.all<{ segment: string }>(
    'SELECT DISTINCT segment FROM without_hash ORDER BY segment',
  )
  for (const { segment } of missing) {
    const files = segments.get(segment)?.parse_text ?? []
    if (files.length > 0) await holding(folder, files, () => computeHashes(session, segment, files))
  }
}

async function computeHashes(session: Session, segment: string, files: readonly string[]): Promise<void> {
  // Text by text: a segment may be larger than the memory.
  const found: Array<readonly [fp: bigint, hash: bigint]> = []
  for await (const batch of session.stream<{ fp: bigint; text: string }>(`
    SELECT w.fp, any_value(t.text) AS text FROM read_parquet(${sqlList(files)}, union_by_name = true) t
    JOIN without_hash w ON w.url = t.url WHERE w.segment = ${sqlText(segment)} GROUP BY w.fp`))
    for (const { fp, text } of batch) {
      const print = fingerprintText(text)
      if (print !== undefined) found.push([fp, BigInt(`0x${print.simHash}`)])
    }
  const staged = await session.stage('computed_hashes', { fp: UBIGINT, sim_hash: UBIGINT, segment: VARCHAR })
  for (const [fp, hash] of found) staged.add(fp, hash, segment)
  staged.close()
  await session.run('INSERT INTO page_hashes SELECT * FROM computed_hashes; DROP TABLE computed_hashes')
}
