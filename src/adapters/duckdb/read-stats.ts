import { DropCounter, type DropCounts } from '../../base/drop-counts.ts'
import type { CrawlDbStats } from '../../domain/crawldb/crawl-db.ts'
import { isDbStatus, statusName } from '../../domain/crawldb/crawl-status.ts'
import { shortest } from '../../domain/crawldb/record-row.ts'
import { truncationReason } from '../../domain/segment/fetch-failure.ts'
import { hasTable, PROTOCOL_STATUS_NAME_SQL } from './schema.ts'
import type { Session } from './session.ts'

const QUANTILES = [0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99]

export async function readStats(session: Session): Promise<CrawlDbStats> {
  const all = await session.one<Totals>(`
    SELECT count(*)::DOUBLE AS total, count(generated_in)::DOUBLE AS generated,
      count(DISTINCT host_id)::DOUBLE AS hosts,
      min(score)::DOUBLE AS min_score, avg(score) AS avg_score, max(score)::DOUBLE AS max_score,
      approx_quantile(score, [${QUANTILES.join(', ')}])::DOUBLE[] AS quantiles,
      min(fetch_time)::DOUBLE AS min_time, avg(fetch_time) AS avg_time, max(fetch_time)::DOUBLE AS max_time,
      min(fetch_interval)::DOUBLE AS min_interval, avg(fetch_interval) AS avg_interval, max(fetch_interval)::DOUBLE AS max_interval
    FROM urls`)
  const { domains } = await session.one<{ domains: number }>(`
    SELECT count(DISTINCT domain)::DOUBLE AS domains FROM hosts WHERE id IN (SELECT host_id FROM urls)`)
  const statuses = await session.all<{ status: number; count: number }>(
    'SELECT status, count(*)::DOUBLE AS count FROM urls GROUP BY status ORDER BY status',
  )
  const retries = await session.all<{ retries: number; count: number }>(
    'SELECT retries, count(*)::DOUBLE AS count FROM urls WHERE retries > 0 GROUP BY retries ORDER BY retries',
  )
  const outcomes = await session.all<{ outcome: string; count: number }>(`
    SELECT coalesce(http_status::VARCHAR, ${PROTOCOL_STATUS_NAME_SQL}) AS outcome, count(*)::DOUBLE AS count
    FROM urls WHERE protocol_status IS NOT NULL GROUP BY outcome ORDER BY outcome`)
  return {
    total: all.total,
    statuses: Object.fromEntries(
      statuses
        .map(({ status, count }) => [statusName(status) ?? String(status), count])
        .filter(([name]) => isDbStatus(String(name))),
    ),
    hosts: all.hosts,
    domains,
    generated: all.generated,
    retries: Object.fromEntries(retries.map(({ retries: times, count }) => [String(times), count])),
    outcomes: Object.fromEntries(outcomes.map(({ outcome, count }) => [outcome, count])),
    score: {
      ...spread(all.min_score, all.avg_score, all.max_score, shortest),
      quantiles: Object.fromEntries(
        (all.quantiles ?? []).map((value, i) => [String(QUANTILES[i]), shortest(value)]),
      ),
    },
    fetchTime: spread(all.min_time, all.avg_time, all.max_time, Math.round),
    fetchInterval: spread(all.min_interval, all.avg_interval, all.max_interval, Math.round),
    dropped: await readDrops(session),
  }
}

interface Totals {
  readonly total: number
  readonly generated: number
  readonly hosts: number
  readonly min_score: number | null
  readonly avg_score: number | null
  readonly max_score: number | null
  readonly quantiles: readonly number[] | null
  readonly min_time: number | null
  readonly avg_time: number | null
  readonly max_time: number | null
  readonly min_interval: number | null
  readonly avg_interval: number | null
  readonly max_interval: number | null
}

function spread(min: number | null, avg: number | null, max: number | null, tidy: (value: number) => number) {
  const or = (value: number | null) => (value === null ? undefined : tidy(value))
  return { min: or(min), avg: or(avg), max: or(max) }
}

/* The table `drops`: what rules and limits have dropped over all fetches, by reason. At most about a hundred rows. */

/** Empty for a database of a version before drops were counted that was never opened for writing since. */
export async function readDrops(session: Session): Promise<DropCounts> {
  if (!(await hasTable(session, 'drops'))) return {}
  const rows = await session.all<DropRow>(
    'SELECT reason, drops::DOUBLE AS drops FROM drops ORDER BY drops DESC, reason',
  )
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
