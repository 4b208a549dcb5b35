import { statusCode } from '../../../domain/crawldb/crawl-status.ts'
import type { PurgeRequest, PurgeResult } from '../../../domain/crawldb/host-db.ts'
import { PURGED_KEY } from '../../../domain/crawldb/host-db.ts'
import { type Session, sqlText } from '../session.ts'

const GONE = statusCode('db_gone')
const UNFETCHED = statusCode('db_unfetched')

/** Marks the URLs of dead hosts as gone. Those that were purged before are left as they are. */
export async function purgeHosts(
  session: Session,
  { minFailures, until }: PurgeRequest,
): Promise<PurgeResult> {
  await session.run(`
    CREATE TEMP TABLE dead_hosts AS
    SELECT h.id, h.host, count(u.rowid) AS urls,
      'no response since ' || coalesce(strftime(epoch_ms(f.last_response_at), '%Y-%m-%d'), 'the first request')
        || ', ' || f.failures_in_a_row || CASE WHEN f.failures_in_a_row = 1 THEN ' failure' ELSE ' failures in a row' END || coalesce(', last: ' || f.last_failure, '') AS reason
    FROM host_facts f JOIN hosts h ON h.id = f.host_id
    JOIN urls u ON u.host_id = h.id AND ${MAY_PURGE}
    WHERE f.failures_in_a_row >= ${minFailures} GROUP BY ALL`)
  await session.begin()
  const urls = await session.run(`
    UPDATE urls AS u SET status = ${GONE}, fetch_time = ${Math.round(until)},
      metadata = json_merge_patch(coalesce(u.metadata, '{}'), json_object('${PURGED_KEY}', d.reason))::VARCHAR
    FROM dead_hosts d WHERE d.id = u.host_id AND ${MAY_PURGE}`)
  const first = await session.all<{ host: string; urls: number; reason: string }>(
    'SELECT host, urls::DOUBLE AS urls, reason FROM dead_hosts ORDER BY urls DESC, host LIMIT 10',
  )
  const { hosts } = await session.one<{ hosts: number }>('SELECT count(*)::DOUBLE AS hosts FROM dead_hosts')
  return { hosts, urls, first }
}

const MAY_PURGE = `u.generated_in IS NULL AND NOT coalesce(contains(u.metadata, '"${PURGED_KEY}"'), false)`

/** Makes the purged URLs of a host due again. */
export async function restoreHost(session: Session, host: string, now: number): Promise<number> {
  await session.begin()
  await session.run(`
    UPDATE host_facts SET failures_in_a_row = 0 WHERE host_id IN (SELECT id FROM hosts WHERE host = ${sqlText(host)})`)
  return session.run(`
    UPDATE urls SET status = CASE WHEN content_time = 0 THEN ${UNFETCHED} ELSE status END, fetch_time = ${Math.round(now)},
      metadata = nullif(json_merge_patch(metadata, '{"${PURGED_KEY}": null}')::VARCHAR, '{}')
    WHERE host_id IN (SELECT id FROM hosts WHERE host = ${sqlText(host)}) AND contains(metadata, '"${PURGED_KEY}"')
      AND generated_in IS NULL`)
}
