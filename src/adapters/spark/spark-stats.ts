import type { CrawlDbStats, HostWait, HostWaits } from '../../domain/crawldb/crawl-db.ts'
import { isDbStatus, statusName } from '../../domain/crawldb/crawl-status.ts'
import { shortest } from '../../domain/crawldb/record-row.ts'
import { PROTOCOL_STATUS_NAME, sparkText } from './crawl-tables.ts'
import type { CrawlVersions } from './crawl-versions.ts'

const QUANTILES = [0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99]

export async function sparkStats(db: CrawlVersions): Promise<CrawlDbStats> {
  const all = await db.one<Totals>(`
    SELECT count(*) AS total, count(generated_in) AS generated, count(DISTINCT u.host) AS hosts, count(DISTINCT h.domain) AS domains,
      CAST(min(score) AS DOUBLE) AS min_score, avg(score) AS avg_score, CAST(max(score) AS DOUBLE) AS max_score,
      CAST(percentile_approx(score, array(${QUANTILES.join(', ')})) AS ARRAY<DOUBLE>) AS quantiles,
      min(fetch_time) AS min_time, avg(fetch_time) AS avg_time, max(fetch_time) AS max_time,
      min(fetch_interval) AS min_interval, avg(fetch_interval) AS avg_interval, max(fetch_interval) AS max_interval
    FROM urls u JOIN hosts h ON h.host = u.host`)
  const groups = await db.all<Group>(`
    SELECT u.status, u.retries, CASE WHEN u.protocol_status IS NULL THEN NULL
      ELSE coalesce(CAST(u.http_status AS STRING), ${PROTOCOL_STATUS_NAME}) END AS outcome, count(*) AS count
    FROM urls u GROUP BY 1, 2, 3`)
  return {
    total: all.total,
    statuses: sums(groups, ({ status }) => {
      const name = statusName(status) ?? ''
      return isDbStatus(name) ? name : undefined
    }),
    hosts: all.hosts,
    domains: all.domains,
    generated: all.generated,
    retries: sums(groups, ({ retries }) => (retries > 0 ? String(retries) : undefined)),
    outcomes: sums(groups, ({ outcome }) => outcome ?? undefined),
    score: {
      ...spread(all.min_score, all.avg_score, all.max_score, shortest),
      quantiles: Object.fromEntries(
        (all.quantiles ?? []).map((value, i) => [String(QUANTILES[i]), shortest(value)]),
      ),
    },
    fetchTime: spread(all.min_time, all.avg_time, all.max_time, Math.round),
    fetchInterval: spread(all.min_interval, all.avg_interval, all.max_interval, Math.round),
    dropped: Object.fromEntries(
      Object.entries(db.current.drops).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)),
    ),
  }
}

interface Group {
  readonly status: number
  readonly retries: number
  readonly outcome: string | null
  readonly count: number
}

/** Adds the counts of groups with the same key, sorted by key. */
function sums(groups: readonly Group[], keyOf: (group: Group) => string | undefined): Record<string, number> {
  const counts = new Map<string, number>()
  for (const group of groups.toSorted((a, b) => a.status - b.status || a.retries - b.retries)) {
    const key = keyOf(group)
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + group.count)
  }
  return Object.fromEntries(counts)
}

interface Totals {
  readonly total: number
  readonly generated: number
  readonly hosts: number
  readonly domains: number
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
