import type { UpdateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { statusCode } from '../../domain/crawldb/crawl-status.ts'
import { DAY_MS } from '../../domain/schedule/change-history.ts'
import type { FetchSchedule } from '../../domain/schedule/fetch-schedule.ts'
import type {
  FreshnessPlan,
  HostRateGroup,
  RateFigures,
  RateGroup,
} from '../../domain/schedule/freshness-plan.ts'
import { CHANGES_KEY } from '../../domain/schedule/stored-changes.ts'
import type { EventUpdate } from './apply-events.ts'
import type { Session } from './session.ts'

/** A plan in the table `meta`, with the CrawlDb that it was made for. */
export interface StoredPlan {
  readonly plan: FreshnessPlan
  /** Milliseconds since the epoch. */
  readonly madeAt: number
  readonly urls: number
}

/**
 * The update with the schedule for all pages, if the schedule weighs them against each other. `writePlan` is to be called after the update has
 * been written: it makes the plan for the next one. A plan is used for ten minutes, unless the number of URLs changes by a quarter: the figures
 * of ten million records take seconds.
 */
export async function planSchedule<Update extends EventUpdate & Pick<UpdateRequest, 'replan'>>(
  session: Session,
  update: Update,
): Promise<Update & { writePlan(): Promise<void> }> {
  const { rules, now, replan = false } = update
  const { planning } = rules.schedule
  if (planning === undefined) return { ...update, writePlan: () => Promise.resolve() }
  const stored = await storedPlan(session)
  const schedule: FetchSchedule = planning.withPlan(
    stored?.plan ?? planning.makePlan(await rateFigures(session)),
  )
  return {
    ...{ ...update, rules: { ...rules, schedule } },
    async writePlan() {
      const { urls } = await session.one<{ urls: number }>('SELECT count(*)::DOUBLE AS urls FROM urls')
      const isCurrent =
        stored !== undefined &&
        Math.abs(now - stored.madeAt) < PLAN_MS &&
        Math.abs(urls - stored.urls) <= stored.urls / 4
      if (isCurrent && !replan) return
      const plan = planning.makePlan(await rateFigures(session))
      await session.run(`DELETE FROM meta WHERE key = '${PLAN_KEY}'`)
      const value: StoredPlan = { plan, madeAt: now, urls }
      await session.run('INSERT INTO meta VALUES ($1, $2)', [PLAN_KEY, JSON.stringify(value)])
    },
  }
}

const PLAN_KEY = 'freshness_plan'
const PLAN_MS = DAY_MS / 144

/** The last plan; `undefined`: there was none. */
export async function storedPlan(session: Session): Promise<StoredPlan | undefined> {
  const [row] = await session.all<{ value: string }>(`SELECT value FROM meta WHERE key = '${PLAN_KEY}'`)
  return row === undefined ? undefined : (JSON.parse(row.value) as StoredPlan)
}

/** Groups of a host and a content type that a plan keeps; pages of others are taken for average pages of their content type. */
const MAX_HOST_GROUPS = 1_000

async function rateFigures(session: Session): Promise<RateFigures> {
  await session.run(`CREATE OR REPLACE TEMP TABLE estimates AS ${ESTIMATES}`)
  const buckets = await session.all<{ shape: number; rate: number; pages: number }>(`
    SELECT exp(avg(ln(shape))) AS shape, exp(avg(ln(rate))) AS rate, count(*)::DOUBLE AS pages
    FROM estimates WHERE rate > 0 GROUP BY round(4 * ln(rate)), round(4 * ln(shape))`)
  const types = await session.all<RateGroup>(`
    SELECT type, count(*)::DOUBLE AS pages, avg(ln(rate)) AS "meanLogRate" FROM estimates WHERE rate > 0 GROUP BY type`)
  const hosts = await session.all<HostRateGroup>(`
    SELECT h.host, e.* EXCLUDE (host_id) FROM (
      SELECT host_id, type, count(*)::DOUBLE AS pages, avg(ln(rate)) AS "meanLogRate"
      FROM estimates WHERE rate > 0 GROUP BY host_id, type ORDER BY pages DESC LIMIT ${MAX_HOST_GROUPS}
    ) e JOIN hosts h ON h.id = e.host_id`)
  const { without, unfetched } = await session.one<{ without: number; unfetched: number }>(`
    SELECT (SELECT count(*) FROM estimates WHERE rate IS NULL)::DOUBLE AS without,
      (SELECT count(*) FROM urls WHERE status = ${statusCode('db_unfetched')})::DOUBLE AS unfetched`)
  await session.run('DROP TABLE estimates')
  return {
    buckets: buckets.map(({ shape, rate, pages }) => ({ shape, days: shape / rate, pages })),
    ...{ withoutEstimate: without, unfetched, types, hosts },
  }
}

/** Pages with content: the estimate in their metadata (`formatChanges`), or nulls. */
const ESTIMATES = `
  SELECT host_id, nullif(split_part(changes, ' ', 9), '') AS type,
    CASE WHEN shape > 0 AND rate > 0 THEN rate END AS rate, shape
  FROM (
    SELECT host_id, changes, TRY_CAST(split_part(changes, ' ', 1) AS DOUBLE) AS rate,
      TRY_CAST(split_part(changes, ' ', 2) AS DOUBLE) AS shape
    FROM (
      SELECT host_id, split_part(split_part(coalesce(metadata, ''), '"${CHANGES_KEY}":"', 2), '"', 1) AS changes
      FROM urls WHERE status IN (${(['db_fetched', 'db_notmodified', 'db_duplicate'] as const).map(statusCode).join(', ')})
    )
  )`
