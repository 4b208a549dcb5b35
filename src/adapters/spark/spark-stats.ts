import type { CrawlDbStats, HostWait, HostWaits } from '../../domain/crawldb/crawl-db.ts'
import {
  type HostTotals,
  type RecordGroup,
  type RecordTotals,
  SCORE_QUANTILES,
  statsOf,
} from '../../domain/crawldb/stats-of.ts'
import { PROTOCOL_STATUS_NAME, sparkText } from './crawl-tables.ts'
import type { CrawlVersions } from './crawl-versions.ts'

export async function sparkStats(db: CrawlVersions): Promise<CrawlDbStats> {
  const totals = await db.one<RecordTotals>(`
    SELECT count(*) AS total, count(generated_in) AS generated,
      CAST(min(score) AS DOUBLE) AS min_score, avg(score) AS avg_score, CAST(max(score) AS DOUBLE) AS max_score,
      CAST(percentile_approx(score, array(${SCORE_QUANTILES.join(', ')})) AS ARRAY<DOUBLE>) AS quantiles,
      min(fetch_time) AS min_time, avg(fetch_time) AS avg_time, max(fetch_time) AS max_time,
      min(fetch_interval) AS min_interval, avg(fetch_interval) AS avg_interval, max(fetch_interval) AS max_interval
    FROM urls`)
  const hosts = await db.one<HostTotals>(`
    SELECT count(*) AS hosts, count(DISTINCT domain) AS domains FROM hosts h LEFT SEMI JOIN urls u ON u.host = h.host`)
  const groups = await db.all<RecordGroup>(`
    SELECT u.status, u.retries,
      CASE WHEN u.protocol_status IS NOT NULL THEN coalesce(CAST(u.http_status AS STRING), ${PROTOCOL_STATUS_NAME}) END AS outcome,
      count(*) AS count
    FROM urls u GROUP BY 1, 2, 3`)
  return statsOf(totals, hosts, groups, db.current.drops)
}

/** See `CrawlDb.hostWaits`. */
export async function sparkHostWaits(db: CrawlVersions, now: number, host?: string): Promise<HostWaits> {
  const only = host === undefined ? '' : `AND h.host = ${sparkText(host)}`
  const waits = await db.all<HostWait>(`
    SELECT h.host, h.not_before AS until, coalesce(h.wait_reason, '') AS reason, count(*) AS urls
    FROM hosts h JOIN urls u ON u.host = h.host
    WHERE h.not_before > ${now} AND u.generated_in IS NULL AND u.fetch_time <= h.not_before ${only}
    GROUP BY 1, 2, 3 ORDER BY until, urls DESC, host`)
  return {
    urls: waits.reduce((sum, { urls }) => sum + urls, 0),
    hosts: waits.length,
    nextAt: waits[0]?.until,
    first: waits.slice(0, SHOWN_HOSTS),
  }
}

const SHOWN_HOSTS = 10
