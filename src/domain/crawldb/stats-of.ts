import type { DropCounts } from '../../base/drop-counts.ts'
import type { CrawlDbStats } from './crawl-db.ts'
import { isDbStatus, statusName } from './crawl-status.ts'
import { shortest } from './record-row.ts'

export const SCORE_QUANTILES = [
  ...[0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99],
]

/** Aggregates over all records, as an engine computes them; `null`: there are none. */
export interface RecordTotals {
  readonly total: number
  /** Records on a fetch list. */
  readonly generated: number
  readonly min_score: number | null
  readonly avg_score: number | null
  readonly max_score: number | null
  /** At `SCORE_QUANTILES`. */
  readonly quantiles: readonly number[] | null
  readonly min_time: number | null
  readonly avg_time: number | null
  readonly max_time: number | null
  readonly min_interval: number | null
  readonly avg_interval: number | null
  readonly max_interval: number | null
}

/** Hosts and registered domains with a record. */
export interface HostTotals {
  readonly hosts: number
  readonly domains: number
}

/** Number of records with the same status, retries and outcome. */
export interface RecordGroup {
  readonly status: number
  readonly retries: number
  /** HTTP status, or else the protocol status; `null`: never fetched. */
  readonly outcome: string | null
  readonly count: number
}

export function statsOf(
  totals: RecordTotals,
  { hosts, domains }: HostTotals,
  groups: readonly RecordGroup[],
  dropped: DropCounts,
): CrawlDbStats {
  return {
    total: totals.total,
    statuses: sums(groups, ({ status }) => {
      const name = statusName(status) ?? ''
      return isDbStatus(name) ? name : undefined
    }),
    hosts,
    domains,
    generated: totals.generated,
    retries: sums(groups, ({ retries }) => (retries > 0 ? String(retries) : undefined)),
    outcomes: sums(groups, ({ outcome }) => outcome ?? undefined),
    score: {
      ...spread(totals.min_score, totals.avg_score, totals.max_score, shortest),
      quantiles: Object.fromEntries(
        (totals.quantiles ?? []).map((value, i) => [String(SCORE_QUANTILES[i]), shortest(value)]),
      ),
    },
    fetchTime: spread(totals.min_time, totals.avg_time, totals.max_time, Math.round),
    fetchInterval: spread(totals.min_interval, totals.avg_interval, totals.max_interval, Math.round),
    dropped: Object.fromEntries(Object.entries(dropped).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))),
  }
}

/** Adds the counts of groups with the same key, in the order of statuses. */
function sums(
  groups: readonly RecordGroup[],
  keyOf: (group: RecordGroup) => string | undefined,
): Record<string, number> {
  const counts = new Map<string, number>()
  for (const group of groups.toSorted((a, b) => a.status - b.status || a.retries - b.retries)) {
    const key = keyOf(group)
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + group.count)
  }
  return Object.fromEntries(counts)
}

function spread(min: number | null, avg: number | null, max: number | null, tidy: (value: number) => number) {
  const or = (value: number | null) => (value === null ? undefined : tidy(value))
  return { min: or(min), avg: or(avg), max: or(max) }
}
