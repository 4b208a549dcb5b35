import { DOUBLE, INTEGER, VARCHAR } from '@duckdb/node-api'
import type { GenerateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { SegmentFiller } from '../../domain/crawldb/fill-segments.ts'
import { queueKey } from '../../domain/url/queue-key.ts'
import { rankDue } from './rank-due.ts'
import type { Session } from './session.ts'

/** Counts of the chosen URLs. The URLs are in the temporary table `chosen (row_id, sort_value, segment, part_key)`. */
export interface DueSelection {
  /** For each segment: number of URLs by partition key. Empty segments are left out. */
  readonly segments: readonly ReadonlyMap<string, number>[]
  readonly rejected: Readonly<Record<string, number>>
}

/**
 * Chooses the URLs to fetch: due, on no fetch list, best first, within the limits of `request`.
 *
 * SQL ranks the URLs and applies the limits, and returns slightly more than needed. If `judge` rejects so many that a segment is not full, the
 * query is repeated four times as large without the rejected URLs; after three queries it returns all due URLs.
 */
export async function selectDue(session: Session, request: GenerateRequest): Promise<DueSelection> {
  await rankDue(session, request)
  await session.run('CREATE TEMP TABLE rejected (row_id BIGINT)')
  const judge = countingJudge(request)
  for (let size = firstLook(request), look = 1; ; size *= 4, look++) {
    const whole = look > LIMITED_LOOKS || !Number.isFinite(size)
    const { segments, rejects, settled } = await lookAtBest(session, request, judge, whole ? undefined : size)
    if (settled) return { segments, rejected: Object.fromEntries(judge.reasons) }
    const more = await session.stage('more_rejected', { row_id: DOUBLE })
    for (const row of rejects) more.add(row)
    more.close()
    await session.run(`
      INSERT INTO rejected SELECT row_id::BIGINT FROM more_rejected;
      DROP TABLE more_rejected;
      DROP TABLE chosen`)
  }
}

const LIMITED_LOOKS = 3

/** The number of URLs wanted, with a reserve for rejected ones and for those left out between segments. */
function firstLook({ topN = Number.POSITIVE_INFINITY, maxNumSegments = 1, judge }: GenerateRequest): number {
  const wanted = topN * maxNumSegments
  const spare = (judge === undefined ? 0 : 0.1) + (maxNumSegments === 1 ? 0 : 1)
  return Math.ceil(wanted * (1 + spare))
}

/** @param size number of URLs to read, with the limits applied; `undefined`: all */
async function lookAtBest(
  session: Session,
  request: GenerateRequest,
  judge: CountingJudge,
  size: number | undefined,
): Promise<{ segments: Map<string, number>[]; rejects: number[]; settled: boolean }> {
  await session.run(`CREATE TEMP TABLE best AS ${bestFirst(request, size)}`)
  const chosen = await session.stage('chosen', CHOSEN_COLUMNS)
  const filler = new SegmentFiller(request)
  const segments: Map<string, number>[] = []
  const rejects: number[] = []
  const partMode = request.partition === 'domain' ? 'domain' : 'host'
  let seen = 0
  for await (const batch of session.batches<BestRow>('best')) {
    if (filler.full) break
    for (const { row_id, url, sort_value } of batch) {
      if (filler.full) break
      seen++
      const counted = judge.judge(url)
      if (counted === undefined) {
        if (size !== undefined) rejects.push(row_id)
        continue
      }
      const segment = filler.place(queueKey(counted, request.countMode ?? 'host'))
      if (segment === undefined) continue
      const partKey = queueKey(url, partMode)
      chosen.add(row_id, sort_value, segment, partKey)
      segments[segment] ??= new Map()
      segments[segment].set(partKey, (segments[segment].get(partKey) ?? 0) + 1)
    }
  }
  chosen.close()
  await session.run('DROP TABLE best')

  // A cap counted URLs that were then rejected: others of the same host, ranked as high, were not handed over.
  const capMisled = request.maxCount !== undefined && rejects.length > 0
  const enough = !capMisled && (filler.full || seen < (size ?? 0))
  return { segments, rejects, settled: size === undefined || enough }
}

const CHOSEN_COLUMNS = { row_id: DOUBLE, sort_value: DOUBLE, segment: INTEGER, part_key: VARCHAR }

interface BestRow {
  readonly row_id: number
  readonly url: string
  readonly sort_value: number
}

function bestFirst({ maxCount, maxNumSegments = 1 }: GenerateRequest, size: number | undefined): string {
  // The fingerprint makes the order one, whatever the threads of the database do.
  const order = 'sort_value DESC, fp'
  const cap =
    size === undefined || maxCount === undefined
      ? ''
      : `QUALIFY row_number() OVER (PARTITION BY key ORDER BY ${order}) <= ${maxCount * maxNumSegments}`
  return `
    SELECT b.row_id::DOUBLE AS row_id, u.url, b.sort_value
    FROM (
      SELECT row_id, fp, sort_value FROM due WHERE row_id NOT IN (SELECT row_id FROM rejected)
      ${cap} ORDER BY ${order} ${size === undefined ? '' : `LIMIT ${size}`}
    ) b JOIN urls u ON u.rowid = b.row_id
    ORDER BY b.sort_value DESC, b.fp`
}

interface CountingJudge {
  /** The URL whose host counts; `undefined` when it is rejected. */
  judge(url: string): string | undefined
  readonly reasons: ReadonlyMap<string, number>
}

/** Counts each rejection once, since rejected URLs are not read again. */
function countingJudge({ judge }: GenerateRequest): CountingJudge {
  const reasons = new Map<string, number>()
  return {
    reasons,
    judge(url) {
      const verdict = judge?.(url)
      if (verdict === undefined) return url
      if (verdict.ok) return verdict.url
      reasons.set(verdict.reason, (reasons.get(verdict.reason) ?? 0) + 1)
      return undefined
    },
  }
}
