import { DropCounter, type DropCounts } from '../../base/drop-counts.ts'
import type { CrawlDbStats } from '../../domain/crawldb/crawl-db.ts'
import {
  type HostTotals,
  type RecordGroup,
  type RecordTotals,
  SCORE_QUANTILES,
  statsOf,
} from '../../domain/crawldb/stats-of.ts'
import { truncationReason } from '../../domain/segment/fetch-failure.ts'
import { storedPlan } from './plan-schedule.ts'
import { hasTable, PROTOCOL_STATUS_NAME_SQL } from './schema.ts'
import type { Session } from './session.ts'

export async function readStats(session: Session): Promise<CrawlDbStats> {
  const totals = await session.one<RecordTotals>(`
    SELECT count(*)::DOUBLE AS total, count(generated_in)::DOUBLE AS generated,
      min(score)::DOUBLE AS min_score, avg(score) AS avg_score, max(score)::DOUBLE AS max_score,
      approx_quantile(score, [${SCORE_QUANTILES.join(', ')}])::DOUBLE[] AS quantiles,
      min(fetch_time)::DOUBLE AS min_time, avg(fetch_time) AS avg_time, max(fetch_time)::DOUBLE AS max_time,
      min(fetch_interval)::DOUBLE AS min_interval, avg(fetch_interval) AS avg_interval, max(fetch_interval)::DOUBLE AS max_interval
    FROM urls`)
  const hosts = await session.one<HostTotals>(`
    SELECT count(*)::DOUBLE AS hosts, count(DISTINCT domain)::DOUBLE AS domains FROM hosts WHERE id IN (SELECT host_id FROM urls)`)
  const groups = await session.all<RecordGroup>(`
    SELECT status, retries,
      CASE WHEN protocol_status IS NOT NULL THEN coalesce(http_status::VARCHAR, ${PROTOCOL_STATUS_NAME_SQL}) END AS outcome,
      count(*)::DOUBLE AS count
    FROM urls GROUP BY ALL`)
  const plan = await storedPlan(session)
  return {
    ...statsOf(totals, hosts, groups, await readDrops(session)),
    ...(plan !== undefined && { plan: plan.plan }),
  }
}

/* The table `drops`: what rules and limits have dropped over all fetches, by reason. At most about a hundred rows. */

/** Empty for a database of a version before drops were counted that was never opened for writing since. */
export async function readDrops(session: Session): Promise<DropCounts> {
  if (!(await hasTable(session, 'drops'))) return {}
  const rows = await session.all<DropRow>('SELECT reason, drops::DOUBLE AS drops FROM drops')
  return Object.fromEntries(rows.map(({ reason, drops }) => [reason, drops]))
}

/** Adds to the counts, in the transaction of the caller. */
export async function addDrops(session: Session, counts: DropCounts): Promise<void> {
  if (Object.keys(counts).length === 0) return
  const drops = new DropCounter()
  drops.addAll(await readDrops(session))
  drops.addAll(counts)
  await session.run('DELETE FROM drops')
  for (const [reason, count] of Object.entries(drops.counts()))
    await session.run('INSERT INTO drops VALUES ($1, $2::UBIGINT)', [reason, count])
}

/**
 * Sums the drops of the fetches in the temporary table `fetched`, then removes these columns, which nothing else needs.
 * A fetch that is not parsed yet is counted after it was parsed.
 */
export async function takeFetchDrops(session: Session): Promise<DropCounts> {
  const links = await session.all<DropRow>(`
    SELECT entry.key AS reason, sum(entry.value)::DOUBLE AS drops
    FROM (
      SELECT unnest(map_entries(from_json(fetch_dropped, '"MAP(VARCHAR, UBIGINT)"'))) AS entry
      FROM fetched WHERE fetch_dropped IS NOT NULL
    ) GROUP BY ALL`)
  const bodies = await session.all<DropRow>(`
    SELECT fetch_truncated AS reason, count(*)::DOUBLE AS drops
    FROM fetched WHERE fetch_truncated IS NOT NULL AND score_given IS NOT NULL GROUP BY ALL`)
  await session.run(
    'ALTER TABLE fetched DROP COLUMN fetch_dropped; ALTER TABLE fetched DROP COLUMN fetch_truncated',
  )
  const drops = new DropCounter()
  for (const { reason, drops: count } of links) drops.add(reason, count)
  for (const { reason, drops: count } of bodies) drops.add(truncationReason(reason), count)
  return drops.counts()
}

interface DropRow {
  readonly reason: string
  readonly drops: number
}
