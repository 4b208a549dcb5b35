import type { UpdateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { type DbStatus, statusCode } from '../../domain/crawldb/crawl-status.ts'
import { type UpdateRules, updateRecord } from '../../domain/crawldb/update-record.ts'
import { LAST_LINKED_KEY } from '../../domain/scoring/orphan-rule.ts'
import { RECORD_COLUMNS, type RecordRow, recordOf } from './record-row.ts'
import type { Session } from './session.ts'
import type { StagedRecords } from './staged-records.ts'

/** Forgets gone pages and orphans, where that is asked for; returns how many. */
export async function purge(session: Session, { purgeGone, purgeOrphans }: UpdateRequest): Promise<number> {
  const statuses: DbStatus[] = []
  if (purgeGone === true) statuses.push('db_gone')
  if (purgeOrphans === true) statuses.push('db_orphan')
  if (statuses.length === 0) return 0
  await session.begin()
  return session.run(`DELETE FROM urls WHERE status IN (${statuses.map(statusCode).join(', ')})`)
}

/**
 * Looks at the pages that nothing happened to and that were linked once: whoever has not been linked for long becomes gone or an orphan.
 * Those that something happened to were judged with it, and are in `located`.
 */
export async function sweepOrphans(
  session: Session,
  rules: UpdateRules,
  now: number,
  records: StagedRecords,
): Promise<void> {
  await session.run(`
    CREATE TEMP TABLE unlinked AS
    SELECT u.rowid::DOUBLE AS row_id, u.url, ${RECORD_COLUMNS}
    FROM urls u ANTI JOIN located l ON l.row_id = u.rowid
    WHERE contains(u.metadata, '"${LAST_LINKED_KEY}"')`)
  for await (const batch of session.batches<RecordRow & { row_id: number }>('unlinked')) {
    for (const row of batch) {
      const old = recordOf(row)
      const record = updateRecord(old, { url: row.url }, rules, now)
      if (record !== undefined && record.status !== old.status) records.add(row.row_id, record)
    }
  }
}
