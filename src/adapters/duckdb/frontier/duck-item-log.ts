import { VARCHAR } from '@duckdb/node-api'
import type { JsonObject } from '../../../base/json.ts'
import type { ItemLog, LoggedItem, LoggedRejection } from '../../../domain/frontier/item-log.ts'
import type { Database } from '../database.ts'
import { hasSpiderTables } from '../schema.ts'
import type { Session } from '../session.ts'
import type { EndedRequest } from './leased-request.ts'

/** The items in the tables `items` and `rejected_items`. None in a directory that no spider has used. */
export class DuckItemLog implements ItemLog {
  readonly #database: Database
  /** The tables exist; they are never removed. */
  #hasTables = false

  constructor(database: Database) {
    this.#database = database
  }

  items(position: number, limit: number): Promise<readonly LoggedItem[]> {
    return this.#after<LoggedItem>('items', '', position, limit)
  }

  rejected(position: number, limit: number): Promise<readonly LoggedRejection[]> {
    return this.#after<LoggedRejection>('rejected_items', ', reason', position, limit)
  }

  #after<Row extends LoggedItem>(
    table: string,
    more: string,
    position: number,
    limit: number,
  ): Promise<Row[]> {
    return this.#database.read(async (session) => {
      this.#hasTables ||= await hasSpiderTables(session)
      if (!this.#hasTables) return []
      const rows = await session.all<Omit<Row, 'item'> & { readonly item: string }>(`
        SELECT position::DOUBLE AS position, url, item ${more}
        FROM ${table} WHERE position > ${position} ORDER BY position LIMIT ${limit}`)
      return rows.map((row) => ({ ...row, item: JSON.parse(row.item) as JsonObject }) as unknown as Row)
    })
  }
}

/** Prepares to add the accepted and rejected items of settlements to the logs. */
export async function keepItems(
  session: Session,
  ended: readonly EndedRequest[],
): Promise<{ write(): Promise<void> }> {
  const items: LogRow[] = []
  const rejected: LogRow[] = []
  for (const { lease, settlement } of ended) {
    const { url } = lease.request
    for (const item of settlement.items) items.push({ url: settlement.itemsOf ?? url, item })
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
