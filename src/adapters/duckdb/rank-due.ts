import { DOUBLE, VARCHAR } from '@duckdb/node-api'
import type { GenerateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { statusCode } from '../../domain/crawldb/crawl-status.ts'
import { metadataOf, shortest } from '../../domain/crawldb/record-row.ts'
import { DAY_SECONDS } from '../../domain/schedule/fetch-schedule.ts'
import { checkCondition } from './condition.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { waitingHostIds } from './read-host-waits.ts'
import { PUBLIC_COLUMNS, PUBLIC_SOURCE } from './schema.ts'
import type { Session } from './session.ts'

/**
 * Creates the relation `due` of URLs that may be fetched: `row_id` in `urls`, `fp`, `sort_value`, and the `key` of the limits.
 * With a plain scoring it is a view; otherwise the scoring computes the sort value of every due URL.
 * @returns `false` if it is known to be empty
 */
export async function rankDue(session: Session, request: GenerateRequest): Promise<boolean> {
  const { scoring, minScore } = request
  const byDomain = request.countMode === 'domain'
  const from = `FROM urls u ${byDomain ? 'JOIN hosts h ON h.id = u.host_id' : ''}`
  const columns = `u.rowid AS row_id, u.fp, ${byDomain ? 'h.domain' : 'u.host_id'} AS key`
  const where = await dueCondition(session, request)

  if (scoring.plain) {
    const enough = minScore === undefined ? '' : `AND u.score >= ${minScore}::FLOAT`
    await session.run(
      `CREATE TEMP VIEW due AS SELECT ${columns}, u.score::DOUBLE AS sort_value ${from} WHERE ${where} ${enough}`,
    )
    return true
  }
  await session.run(`
    CREATE TEMP TABLE unranked AS
    SELECT u.rowid::DOUBLE AS row_id, u.url, u.score, u.metadata FROM urls u WHERE ${where}`)
  let isEmpty = true
  const ranks = await session.stage('ranks', { row_id: DOUBLE, sort_value: DOUBLE })
  for await (const batch of session.batches<UnrankedRow>('unranked')) {
    for (const { row_id, url, score, metadata } of batch) {
      const value = scoring.sortValue({ url, score: shortest(score), metadata: metadataOf(metadata) }, 1)
      if (value >= (minScore ?? Number.NEGATIVE_INFINITY)) {
        ranks.add(row_id, value)
        isEmpty = false
      }
    }
  }
  ranks.close()
  if (isEmpty) return false
  await session.run(
    `CREATE TEMP TABLE due AS SELECT ${columns}, r.sort_value ${from} JOIN ranks r ON r.row_id::BIGINT = u.rowid`,
  )
  return true
}

interface UnrankedRow {
  readonly row_id: number
  readonly url: string
  readonly score: number
  readonly metadata: string | null
}

/** Number of URLs that are due, on no fetch list, and whose host need not wait. */
export async function countDue(session: Session, now: number, maxIntervalSeconds: number): Promise<number> {
  const { due } = await session.one<{ due: number }>(
    `SELECT count(*)::DOUBLE AS due FROM urls u WHERE ${isDueSql(now, maxIntervalSeconds)}`,
  )
  return due
}

/** Whether a record is due: its fetch time has passed (or is too far ahead, see `FetchSchedule`), it is on no fetch list, its host need not wait. */
function isDueSql(now: number, maxIntervalSeconds: number): string {
  const latest = now + maxIntervalSeconds * 1000
  return `(u.fetch_time <= ${now} OR u.fetch_time > ${latest}) AND ${isFreeSql(now)}`
}

/** Whether a record is on no fetch list, and its host need not wait. */
function isFreeSql(now: number): string {
  return `u.generated_in IS NULL AND u.host_id NOT IN (${waitingHostIds(now)})`
}

/** The condition of the URLs of the request, due or not. */
async function namedCondition(session: Session, urls: readonly string[], now: number): Promise<string> {
  const wanted = await session.stage('wanted', { url: VARCHAR })
  for (const url of urls) wanted.add(url)
  wanted.close()
  return `${isFreeSql(now)} AND u.fp IN (SELECT ${fingerprint64Sql('url')} FROM wanted)
    AND u.url IN (SELECT url FROM wanted)`
}

/** The condition of due URLs, with the status and the condition of the request. */
async function dueCondition(session: Session, request: GenerateRequest): Promise<string> {
  const at = request.now + (request.addDays ?? 0) * DAY_SECONDS * 1000
  const conditions = [
    request.urls === undefined
      ? isDueSql(at, request.maxIntervalSeconds)
      : await namedCondition(session, request.urls, request.now),
  ]
  if (request.restrictStatus !== undefined) {
    conditions.push(`u.status IN (${request.restrictStatus.map(statusCode).join(', ')})`)
  }
  if (request.expr !== undefined) {
    const condition = await checkCondition(session, request.expr)
    const records = `(SELECT u.rowid AS row_id, ${PUBLIC_COLUMNS} ${PUBLIC_SOURCE})`
    conditions.push(`u.rowid IN (SELECT row_id FROM ${records} WHERE ${condition})`)
  }
  return conditions.join(' AND ')
}
