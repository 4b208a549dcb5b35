import type { DatabaseSync, StatementSync } from 'node:sqlite'

/**
 * A statement for `run()`. Its result has the last row id of the connection, which after a change of a full-text table is that of an
 * internal row, above 2^53: Node.js 26 throws unless it may be a bigint.
 */
export function prepareWrite(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql)
  statement.setReadBigInts(true)
  return statement
}
