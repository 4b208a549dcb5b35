import { VARCHAR } from '@duckdb/node-api'
import type { JsonObject } from '../../../base/json.ts'
import type { Session } from '../session.ts'
import type { EndedRequest } from './duck-lease.ts'

/** Makes ready to add the items of settlements to the logs, good and rejected ones. */
export async function keepItems(
  session: Session,
  ended: readonly EndedRequest[],
): Promise<{ write(): Promise<void> }> {
  const items: LogRow[] = []
  const rejected: LogRow[] = []
  for (const { lease, settlement } of ended) {
    const { url } = lease.request
    for (const item of settlement.items) items.push({ url, item })
    for (const { item, reason } of settlement.rejected) rejected.push({ url, item, reason })
  }
  const statements = [
    await append(session, 'items', items),
    await append(session, 'rejected_items', rejected),
  ]
  return {
    async write() {
      for (const sql of statements) if (sql !== undefined) await session.run(sql)
    },
  }
}

interface LogRow {
  readonly url: string
  readonly item: JsonObject
  readonly reason?: string
}

async function append(session: Session, log: string, rows: readonly LogRow[]): Promise<string | undefined> {
  const [first] = rows
  if (first === undefined) return undefined
  const hasReason = first.reason !== undefined
  const table = await session.stage(`new_${log}`, {
    url: VARCHAR,
    item: VARCHAR,
    ...(hasReason && { reason: VARCHAR }),
  })
  for (const { url, item, reason } of rows) {
    table.add(url, JSON.stringify(item), ...(reason === undefined ? [] : [reason]))
  }
  table.close()
  return `
    INSERT INTO ${log}
    SELECT (SELECT coalesce(max(position), 0) FROM ${log}) + 1 + rowid, * FROM new_${log} ORDER BY rowid`
}
