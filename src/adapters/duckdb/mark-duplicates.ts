import { DOUBLE } from '@duckdb/node-api'
import type { DedupRequest, DedupResult } from '../../domain/crawldb/crawl-db-requests.ts'
import { statusCode } from '../../domain/crawldb/crawl-status.ts'
import { type Candidate, splitDuplicates } from '../../domain/crawldb/duplicate-order.ts'
import type { Session } from './session.ts'

/** Only pages with content can be duplicates. */
const CONTENT = `signature IS NOT NULL AND status IN (${statusCode('db_fetched')}, ${statusCode('db_notmodified')})`

/** Finds groups of equal content in SQL and applies the duplicate rules to each. */
export async function markDuplicates(session: Session, request: DedupRequest): Promise<DedupResult> {
  const scope = { none: '', host: ', u.host_id', domain: ', h.domain' }[request.group ?? 'none']
  await session.run(`
    CREATE TEMP TABLE copies AS
    SELECT dense_rank() OVER (ORDER BY u.signature${scope})::DOUBLE AS copy_group, u.rowid::DOUBLE AS row_id, u.url, u.score,
      u.last_fetch_time::DOUBLE AS last_fetch_time
    FROM urls u JOIN hosts h ON h.id = u.host_id
    WHERE u.signature IN (SELECT signature FROM urls WHERE ${CONTENT} GROUP BY signature HAVING count(*) > 1) AND ${CONTENT}
    QUALIFY count(*) OVER (PARTITION BY u.signature${scope}) > 1
    ORDER BY copy_group`)
  const losers = await session.stage('losers', { row_id: DOUBLE })
  let groups = 0
  let group: Copy[] = []
  const settle = () => {
    if (group.length > 0) groups++
    for (const { row } of splitDuplicates(group, request.order).duplicates) losers.add(row)
    group = []
  }
  let current: number | undefined
  for await (const batch of session.batches<CopyRow>('copies')) {
    for (const { row_id, copy_group, url, score, last_fetch_time } of batch) {
      if (copy_group !== current) settle()
      current = copy_group
      group.push({ row: row_id, url, score, lastFetchTime: last_fetch_time })
    }
  }
  settle()
  losers.close()
  await session.begin()
  const duplicates = await session.run(
    `UPDATE urls SET status = ${statusCode('db_duplicate')} FROM losers l WHERE urls.rowid = l.row_id::BIGINT`,
  )
  return { groups, duplicates }
}

interface Copy extends Candidate {
  readonly row: number
}

interface CopyRow {
  readonly row_id: number
  readonly copy_group: number
  readonly url: string
  readonly score: number
  readonly last_fetch_time: number
}
