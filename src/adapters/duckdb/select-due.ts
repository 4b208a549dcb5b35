import { DOUBLE, INTEGER, VARCHAR } from '@duckdb/node-api'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { CountingJudge, DueChooser, lookSizes } from '../../domain/crawldb/choose-due.ts'
import type { GenerateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { computeHostLimits } from './hosts/host-limits.ts'
import { NoveltyGate } from './novelty/novelty-gate.ts'
import { rankDue } from './rank-due.ts'
import type { Session } from './session.ts'

/** Counts of the chosen URLs. The URLs are in the temporary table `chosen (row_id, sort_value, segment, part_key)`. */
export interface DueSelection {
  /** For each segment: number of URLs by partition key. Empty segments are left out. */
  readonly segments: readonly ReadonlyMap<string, number>[]
  readonly rejected: Readonly<Record<string, number>>
  /** What was held back; absent without `GenerateRequest.novelty`. */
  readonly gate?: NoveltyGate
}

/**
 * Chooses the URLs to fetch: due, on no fetch list, best first, within the limits of `request`.
 *
 * SQL ranks the URLs and applies the limits, and returns slightly more than needed. If `judge` rejects so many that a segment is not full, the
 * query is repeated four times as large without the rejected URLs; after three queries it returns all due URLs.
 */
export async function selectDue(session: Session, request: GenerateRequest): Promise<DueSelection> {
  if (!(await rankDue(session, request))) return { segments: [], rejected: {} }
  const limits = await computeHostLimits(session, request)
  await session.run('CREATE TEMP TABLE rejected (row_id BIGINT)')
  const judge = new CountingJudge(request)
  const { now } = request
  // The user chose the URLs.
  const novelty = request.urls === undefined ? request.novelty : undefined
  for (const size of lookSizes(request)) {
    // Each look has a budget of its own, as it chooses again.
    const gate = novelty === undefined ? undefined : await NoveltyGate.open(session, novelty, now)
    const { chooser, rejects } = await lookAtBest(session, request, judge, limits, size, gate)
    const rejected = Object.fromEntries(judge.reasons)
    if (chooser.isSettled(size))
      return { segments: chooser.segments, rejected, ...withoutUndefined({ gate }) }
    const more = await session.stage('more_rejected', { row_id: DOUBLE })
    for (const row of rejects) more.add(row)
    more.close()
    await session.run(`
      INSERT INTO rejected SELECT row_id::BIGINT FROM more_rejected;
      DROP TABLE more_rejected;
      DROP TABLE chosen`)
  }
  throw new Error('the last look is at all due URLs')
}

/** @param size number of URLs to read, with the limits applied; `undefined`: all */
async function lookAtBest(
  session: Session,
  request: GenerateRequest,
  judge: CountingJudge,
  limits: ReadonlyMap<string, number> | undefined,
  size: number | undefined,
  gate: NoveltyGate | undefined,
): Promise<{ chooser: DueChooser; rejects: number[] }> {
  await session.run(`CREATE TEMP TABLE best AS ${bestFirst(request, limits !== undefined, size)}`)
  const chosen = await session.stage('chosen', CHOSEN_COLUMNS)
  const chooser = new DueChooser(request, judge, limits)
  const rejects: number[] = []
  for await (const batch of session.batches<BestRow>('best')) {
    if (chooser.full) break
    for (const { row_id, url, sort_value, status, retries } of batch) {
      if (chooser.full) break
      const place = chooser.choose(url, () => gate?.admits(url, status, retries) !== false)
      if (place === 'rejected') rejects.push(row_id)
      else if (place !== undefined) chosen.add(row_id, sort_value, place.segment, place.partKey)
    }
  }
  chosen.close()
  await session.run('DROP TABLE best')
  return { chooser, rejects }
}

const CHOSEN_COLUMNS = { row_id: DOUBLE, sort_value: DOUBLE, segment: INTEGER, part_key: VARCHAR }

interface BestRow {
  readonly row_id: number
  readonly url: string
  readonly sort_value: number
  readonly status: number
  readonly retries: number
}

function bestFirst(
  { maxCount, maxNumSegments = 1 }: GenerateRequest,
  hasHostLimits: boolean,
  size: number | undefined,
): string {
  // The fingerprint makes the order one, whatever the threads of the database do.
  const order = 'sort_value DESC, fp'
  const general = maxCount === undefined ? "'inf'::DOUBLE" : String(maxCount)
  const most = hasHostLimits ? `coalesce(max_count, ${general})` : general
  const isCapped = size !== undefined && (maxCount !== undefined || hasHostLimits)
  const cap = isCapped
    ? `QUALIFY row_number() OVER (PARTITION BY key ORDER BY ${order}) <= ${most} * ${maxNumSegments}`
    : ''
  const limits = hasHostLimits ? 'LEFT JOIN host_limits l ON l.host_id = due.key' : ''
  return `
    SELECT b.row_id::DOUBLE AS row_id, u.url, b.sort_value, u.status, u.retries
    FROM (
      SELECT row_id, fp, sort_value FROM due ${limits} WHERE row_id NOT IN (SELECT row_id FROM rejected)
      ${cap} ORDER BY ${order} ${size === undefined ? '' : `LIMIT ${size}`}
    ) b JOIN urls u ON u.rowid = b.row_id
    ORDER BY b.sort_value DESC, b.fp`
}
