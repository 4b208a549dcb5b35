import type { DuckDBValue } from '@duckdb/node-api'
import type { DeadLetters, FailedRequest, FailureChoice } from '../../../domain/frontier/dead-letters.ts'
import type { Database } from '../database.ts'
import { hostSql } from '../new-urls.ts'
import { hasSpiderTables } from '../schema.ts'
import { requestOf } from './leased-request.ts'

/** The requests in the table `failed_requests`. None in a directory that no spider has used. */
export class DuckDeadLetters implements DeadLetters {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  failed(choice: FailureChoice = {}): Promise<readonly FailedRequest[]> {
    return this.#database.read(async (session) => {
      if (!(await hasSpiderTables(session))) return []
      const { sql, values } = chosen(choice)
      const rows = await session.all<FailedRow>(
        `SELECT url, request, attempts, code, reason, stack, failed_at::DOUBLE AS failed_at ${sql}`,
        values,
      )
      return rows.map(failedRequestOf)
    })
  }

  retryFailed(choice: FailureChoice = {}): Promise<number> {
    return this.#database.change(async (session) => {
      const { sql, values } = chosen(choice)
      await session.run(`CREATE TEMP TABLE again AS SELECT position ${sql}`, values)
      await session.begin()
      await session.run(`
        INSERT INTO requests
        SELECT (SELECT coalesce(max(seq), 0) FROM requests) + row_number() OVER (ORDER BY position), host, url, priority, 0, 1, NULL, request
        FROM failed_requests SEMI JOIN again USING (position)`)
      return session.run('DELETE FROM failed_requests WHERE position IN (SELECT position FROM again)')
    })
  }
}

interface FailedRow {
  readonly url: string
  readonly request: string
  readonly attempts: number
  readonly code: string
  readonly reason: string
  readonly stack: string | null
  readonly failed_at: number
}

function failedRequestOf({ url, request, stack, failed_at: failedAt, ...rest }: FailedRow): FailedRequest {
  return { ...rest, request: requestOf(url, request), failedAt, ...(stack !== null && { stack }) }
}

function chosen({ code, url, host, limit }: FailureChoice): { sql: string; values: DuckDBValue[] } {
  const conditions = ['true']
  const values: DuckDBValue[] = []
  for (const [column, value] of [
    ['code', code],
    ['url', url],
    [hostSql('url'), host],
  ] as const) {
    if (value !== undefined) conditions.push(`${column} = $${values.push(value)}`)
  }
  const most = limit === undefined ? '' : `LIMIT ${limit}`
  return { sql: `FROM failed_requests WHERE ${conditions.join(' AND ')} ORDER BY position ${most}`, values }
}
