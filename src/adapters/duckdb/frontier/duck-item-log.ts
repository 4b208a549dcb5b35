import type { JsonObject } from '../../../base/json.ts'
import type { ItemLog, LoggedItem, LoggedRejection } from '../../../domain/frontier/item-log.ts'
import type { Database } from '../database.ts'
import { hasSpiderTables } from '../schema.ts'

/** The items in the tables `items` and `rejected_items`. In a directory that no spider ever used there are none. */
export class DuckItemLog implements ItemLog {
  readonly #database: Database

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
      if (!(await hasSpiderTables(session))) return []
      const rows = await session.all<Omit<Row, 'item'> & { readonly item: string }>(`
        SELECT position::DOUBLE AS position, url, item ${more}
        FROM ${table} WHERE position > ${position} ORDER BY position LIMIT ${limit}`)
      return rows.map((row) => ({ ...row, item: JSON.parse(row.item) as JsonObject }) as unknown as Row)
    })
  }
}
