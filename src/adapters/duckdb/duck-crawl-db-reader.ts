import { DuckDBTypeId, StatementType } from '@duckdb/node-api'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { writeByName } from '../../base/durable-files.ts'
import type {
  CrawlDbReader,
  DumpOptions,
  SqlResult,
  UrlStatus,
} from '../../domain/crawldb/crawl-db-reader.ts'
import { type DbStatus, statusCode } from '../../domain/crawldb/crawl-status.ts'
import type { SqlPart } from '../crawl-directory/control/control-methods.ts'
import { collectSql } from '../crawl-directory/control/remote-reads.ts'
import { checkCondition } from './condition.ts'
import type { Database } from './database.ts'
import { STATUS_NAME_SQL } from './schema.ts'
import { checkSealed } from './sealed-query.ts'
import { type Session, sqlText } from './session.ts'

export class DuckCrawlDbReader implements CrawlDbReader {
  readonly #database: Database
  readonly #isSealed: boolean

  /** @param isSealed whether the database itself keeps SQL from files, the network and its settings */
  constructor(database: Database, isSealed: boolean) {
    this.#database = database
    this.#isSealed = isSealed
  }

  dump(file: string, options: DumpOptions): Promise<number> {
    return this.#database.read(async (session) => {
      const top = options.topN === undefined ? '' : `ORDER BY score DESC, url LIMIT ${options.topN}`
      const columns = options.format === 'parquet' ? `* REPLACE (${UTC_TIMES})` : '*'
      const select = `SELECT ${columns} FROM crawldb WHERE ${await dumpCondition(session, options)} ${top}`
      return writeByName(file, (path) =>
        session.run(`COPY (${select}) TO ${sqlText(path)} (${copyOptions(options.format)})`),
      )
    })
  }

  withStatus(statuses: readonly DbStatus[]): AsyncGenerator<UrlStatus[]> {
    const codes = statuses.map(statusCode).join(', ')
    return this.#database.stream((session) =>
      session.stream<UrlStatus>(
        `SELECT url, ${STATUS_NAME_SQL} AS status FROM urls WHERE status IN (${codes})`,
      ),
    )
  }

  check(): Promise<void> {
    return this.#database.read(async (session) => {
      const tables = await session.all<{ name: string }>('SELECT table_name AS name FROM duckdb_tables()')
      for (const { name } of tables) await session.all(`SELECT bit_xor(hash(COLUMNS(*))) FROM "${name}"`)
    })
  }

  sql(query: string): Promise<SqlResult> {
    return collectSql(this.sqlParts(query))
  }

  /** The columns, then the rows as the database finds them. */
  sqlParts(query: string): AsyncGenerator<SqlPart> {
    const isSealed = this.#isSealed
    return this.#database.stream(async function* (session) {
      try {
        if ((await session.countStatements(query)) !== 1)
          throw new ConfigurationError('QUERY_INVALID', 'give one SELECT')
        if (!isSealed) await checkSealed(session, query)
        const statement = await session.prepare(query)
        if (!READING.has(statement.statementType))
          throw new ConfigurationError(
            'QUERY_INVALID',
            'only SELECT can be used here: a query cannot change, attach, copy or load anything',
          )
        const result = await statement.stream()
        const isCount = result.columnTypes().map(({ typeId }) => COUNTS.has(typeId))
        yield { columns: result.deduplicatedColumnNames() }
        for await (const rows of result.yieldRowsJson())
          yield rows.map((row) => row.map((value, i) => (isCount[i] ? numberOf(value) : value)))
      } catch (error) {
        if (error instanceof ConfigurationError) throw error
        throw new ConfigurationError('QUERY_INVALID', explainRefusal(error), { cause: error })
      }
    })
  }
}

/** Parquet has timestamps with and without a zone. Those of the view are in UTC, but have none. */
export const UTC_TIMES = ['fetch_time', 'modified_time', 'last_fetch_time', 'content_time']
  .map((column) => `make_timestamptz(epoch_us(${column})) AS ${column}`)
  .join(', ')

/** Explains why a query is not allowed; other errors keep the message of DuckDB. */
function explainRefusal(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const isRefused =
    /^Permission Error|disabled (?:by|through) configuration|exists in the \w+ extension/.test(message)
  if (!isRefused) return message
  return `a query can read the tables of this crawl only, not files, the network or extensions (${message.split('\n')[0]})`
}

/** Integer types of 64 bits and more. DuckDB returns them as text, since they may be too large for JSON; most values are not. */
const COUNTS: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
])

/** Text as a number, if it is exact. */
export function numberOf(value: unknown): unknown {
  const number = Number(value)
  return typeof value === 'string' && Number.isSafeInteger(number) ? number : value
}

const READING = new Set([StatementType.SELECT, StatementType.EXPLAIN])

const FORMATS = {
  csv: 'FORMAT csv, HEADER',
  jsonl: 'FORMAT json',
  parquet: 'FORMAT parquet, COMPRESSION zstd',
} as const

/** The options of COPY for a dump. */
export function copyOptions(format: DumpOptions['format']): string {
  return FORMATS[format]
}

async function dumpCondition(session: Session, options: DumpOptions): Promise<string> {
  const conditions = ['true']
  if (options.status !== undefined) conditions.push(`status IN (${options.status.map(sqlText).join(', ')})`)
  if (options.host !== undefined) conditions.push(`host = ${sqlText(options.host)}`)
  if (options.regex !== undefined) conditions.push(await checkRegex(session, options.regex))
  if (options.minRetries !== undefined) conditions.push(`retries >= ${options.minRetries}`)
  if (options.minScore !== undefined) conditions.push(`score >= ${options.minScore}::FLOAT`)
  if (options.expr !== undefined) conditions.push(await checkCondition(session, options.expr))
  return conditions.join(' AND ')
}

async function checkRegex(session: Session, regex: string): Promise<string> {
  const match = `regexp_full_match(url, ${sqlText(regex)})`
  try {
    await session.all(`SELECT ${match} FROM (SELECT '' AS url)`)
    return match
  } catch (error) {
    throw new ConfigurationError('QUERY_INVALID', `the pattern "${regex}" cannot be used: ${String(error)}`, {
      cause: error,
    })
  }
}
