import { DOUBLE, VARCHAR } from '@duckdb/node-api'
import type { JudgeUrl } from '../../domain/crawldb/crawl-db-requests.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { hostSql, prepareNewHosts } from './new-urls.ts'
import type { Session } from './session.ts'

/**
 * Filters and normalises every URL of the db: rejected records are deleted, rewritten ones get their new URL. If several records get the
 * same URL, the one that is due last is kept, as in Nutch. Returns the number of deleted records.
 */
export async function judgeStored(session: Session, judge: JudgeUrl): Promise<number> {
  await session.run(`CREATE TEMP TABLE stored AS SELECT rowid::DOUBLE AS row_id, url FROM urls`)
  const verdicts = await session.stage('verdicts', { row_id: DOUBLE, new_url: VARCHAR })
  for await (const batch of session.batches<{ row_id: number; url: string }>('stored')) {
    for (const { row_id, url } of batch) {
      const verdict = judge(url)
      if (!verdict.ok) verdicts.add(row_id, null)
      else if (verdict.url !== url) verdicts.add(row_id, verdict.url)
    }
  }
  verdicts.close()
  await session.run('DROP TABLE stored')
  await session.begin()
  const rejected = await session.run(
    'DELETE FROM urls WHERE rowid IN (SELECT row_id::BIGINT FROM verdicts WHERE new_url IS NULL)',
  )
  return rejected + (await moveUrls(session))
}

/** Returns the number of records that were deleted because another has the same new URL. */
async function moveUrls(session: Session): Promise<number> {
  await session.run('DELETE FROM verdicts WHERE new_url IS NULL')
  const { count } = await session.one<{ count: number }>('SELECT count(*)::DOUBLE AS count FROM verdicts')
  if (count === 0) return 0

  // All records that will have one of the new URLs: the rewritten ones, and those that have it already and keep it.
  await session.run(`
    CREATE TEMP TABLE arrivals AS
    SELECT v.row_id::BIGINT AS row_id, v.new_url, u.fetch_time FROM verdicts v JOIN urls u ON u.rowid = v.row_id::BIGINT
    UNION ALL
    SELECT u.rowid, u.url, u.fetch_time FROM urls u
    WHERE u.fp IN (SELECT ${fingerprint64Sql('new_url')} FROM verdicts) AND u.url IN (SELECT new_url FROM verdicts)
      AND u.rowid NOT IN (SELECT row_id::BIGINT FROM verdicts)`)
  await session.run(`
    CREATE TEMP TABLE displaced AS
    SELECT row_id FROM arrivals
    QUALIFY row_number() OVER (PARTITION BY new_url ORDER BY fetch_time DESC, row_id) > 1`)
  const displaced = await session.run('DELETE FROM urls WHERE rowid IN (SELECT row_id FROM displaced)')
  await (await prepareNewHosts(session, `SELECT ${hostSql('new_url')} AS host FROM verdicts`)).write()
  await session.run(`
    UPDATE urls SET url = v.new_url, fp = ${fingerprint64Sql('v.new_url')}, host_id = h.id
    FROM verdicts v JOIN hosts h ON h.host = ${hostSql('v.new_url')}
    WHERE urls.rowid = v.row_id::BIGINT`)
  return displaced
}

/** Filters and normalises the URLs in the tables of `gatherEvents`, and merges rows that get the same URL. */
export async function judgeEvents(session: Session, judge: JudgeUrl): Promise<void> {
  await session.run(`
    CREATE TEMP TABLE event_urls AS
    SELECT url
    FROM (SELECT url FROM fetched UNION SELECT url FROM redirects UNION SELECT url FROM inlinks)`)
  const renamed = await session.stage('renamed', { url: VARCHAR, new_url: VARCHAR })
  for await (const batch of session.batches<{ url: string }>('event_urls')) {
    for (const { url } of batch) {
      const verdict = judge(url)
      if (verdict.ok) renamed.add(url, verdict.url)
    }
  }
  renamed.close()
  for (const [table, columns, merge] of EVENT_TABLES) {
    await session.run(`
      CREATE TEMP TABLE judged_${table} AS
      SELECT r.new_url AS url, ${columns} FROM ${table} e JOIN renamed r ON r.url = e.url ${merge};
      DROP TABLE ${table};
      ALTER TABLE judged_${table} RENAME TO ${table}`)
  }
}

const NEWEST = `QUALIFY row_number() OVER (PARTITION BY r.new_url ORDER BY e.fetch_status = 'not_reached', e.fetched_at DESC) = 1`
const BEST = 'QUALIFY row_number() OVER (PARTITION BY r.new_url ORDER BY e.redirect_score DESC) = 1'
const SUMS = `
  sum(e.score_sum) AS score_sum, sum(e.link_count) AS link_count, min(e.min_depth) AS min_depth,
  arg_min(e.max_depth, e.min_depth) AS max_depth, any_value(e.listed) AS listed`

const EVENT_TABLES = [
  ['fetched', 'e.* EXCLUDE (url)', NEWEST],
  ['redirects', 'e.* EXCLUDE (url)', BEST],
  ['inlinks', SUMS, 'GROUP BY r.new_url'],
] as const
