import { DOUBLE, type DuckDBType, type DuckDBValue, VARCHAR } from '@duckdb/node-api'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { writeByName } from '../../base/durable-files.ts'
import type {
  CrawlDbReader,
  DumpOptions,
  SqlResult,
  UrlStatus,
} from '../../domain/crawldb/crawl-db-reader.ts'
import { type DbStatus, statusCode, statusName } from '../../domain/crawldb/crawl-status.ts'
import type { SqlPart } from '../crawl-directory/control/control-methods.ts'
import { copyOptions, numberOf, UTC_TIMES } from '../duckdb/duck-crawl-db-reader.ts'
import { sqlText as duckText } from '../duckdb/session.ts'
import { checkQuery, checkSparkCondition, sparkMessage } from './check-sql.ts'
import { sparkList, sparkText, TABLE_NAMES } from './crawl-tables.ts'
import type { CrawlVersions } from './crawl-versions.ts'
import { withScratch } from './scratch-database.ts'

/** Reads a CrawlDb with the SQL of Spark, wherever its files are. */
export class SparkCrawlDbReader implements CrawlDbReader {
  readonly #versions: CrawlVersions
  readonly #scratch: string

  constructor(versions: CrawlVersions, scratch: string) {
    this.#versions = versions
    this.#scratch = scratch
  }

  /** Spark selects the records, and DuckDB writes the file: one file on this machine, in the same format as with DuckDB. */
  dump(file: string, options: DumpOptions): Promise<number> {
    return withScratch(this.#scratch, async (session) => {
      if (options.regex !== undefined) {
        const match = `SELECT regexp_full_match('', ${duckText(options.regex)})`
        await session.all(match).catch((error: unknown) => {
          throw new ConfigurationError(
            'QUERY_INVALID',
            `the pattern "${options.regex}" cannot be used: ${String(error)}`,
            { cause: error },
          )
        })
      }
      const top = options.topN === undefined ? '' : `ORDER BY score DESC, url LIMIT ${options.topN}`
      const columns = Object.keys(DUMP_COLUMNS).map((name) =>
        isTime(name) ? `unix_millis(${name}) AS ${name}` : name,
      )
      await this.#versions.showPublicViews()
      const records = `SELECT * FROM crawldb WHERE ${await this.#condition(options)} ${top}`
      const staged = await session.stage(
        'records',
        Object.fromEntries(Object.entries(DUMP_COLUMNS).map(([name, type]) => [name, stagedType(type)])),
      )
      for await (const rows of this.#versions.stream<Record<string, DuckDBValue>>(
        `SELECT ${columns.join(', ')} FROM (${records})`,
      ))
        for (const row of rows) staged.add(...Object.keys(DUMP_COLUMNS).map((name) => row[name] ?? null))
      staged.close()
      const values = Object.entries(DUMP_COLUMNS).map(([name, type]) =>
        type === 'TIMESTAMP' ? `epoch_ms(${name}::BIGINT) AS ${name}` : `${name}::${type} AS ${name}`,
      )
      const select = `SELECT ${options.format === 'parquet' ? `* REPLACE (${UTC_TIMES})` : '*'} FROM (SELECT ${values.join(', ')} FROM records)`
      return writeByName(file, (path) =>
        session.run(`COPY (${select}) TO ${duckText(path)} (${copyOptions(options.format)})`),
      )
    })
  }

  async *withStatus(statuses: readonly DbStatus[]): AsyncGenerator<UrlStatus[]> {
    const codes = [...statuses.map(statusCode), -1].join(', ')
    const sql = `SELECT url, status FROM urls WHERE status IN (${codes})`
    for await (const rows of this.#versions.stream<{ url: string; status: number }>(sql))
      yield rows.map(({ url, status }) => ({ url, status: statusName(status) as DbStatus }))
  }

  async check(): Promise<void> {
    for (const table of TABLE_NAMES)
      await this.#versions.all(`SELECT bit_xor(xxhash64(*)) AS sum FROM ${table}`)
  }

  async sql(query: string): Promise<SqlResult> {
    await checkQuery(this.#versions, query)
    await this.#versions.showPublicViews()
    try {
      const columns = await this.#versions.spark.request<[string, string][]>('columns', {
        db: this.#versions.db,
        sql: query,
      })
      // Columns of a query may have the same name.
      const names = columns.map((_, i) => `c${i}`)
      const values = columns.map(([, type], i) =>
        IS_TEXT.test(type) ? `CAST(c${i} AS STRING) AS c${i}` : `c${i}`,
      )
      const rows = await this.#versions.all<Record<string, unknown>>(
        `SELECT ${values.join(', ')} FROM (\n${query.replace(/;\s*$/, '')}\n) AS q(${names.join(', ')})`,
      )
      return {
        columns: columns.map(([name]) => name),
        rows: rows.map((row) =>
          columns.map(([, type], i) => (IS_COUNT.test(type) ? numberOf(row[`c${i}`]) : row[`c${i}`]) ?? null),
        ),
      }
    } catch (error) {
      if (error instanceof ConfigurationError) throw error
      throw new ConfigurationError('QUERY_INVALID', sparkMessage(error), { cause: error })
    }
  }

  /** The columns, then the rows. */
  async *sqlParts(query: string): AsyncGenerator<SqlPart> {
    const { columns, rows } = await this.sql(query)
    yield { columns }
    yield rows
  }

  async #condition(options: DumpOptions): Promise<string> {
    const conditions = ['true']
    if (options.status !== undefined) conditions.push(`status IN ${sparkList(options.status)}`)
    if (options.host !== undefined) conditions.push(`host = ${sparkText(options.host)}`)
    if (options.regex !== undefined) conditions.push(`url RLIKE ${sparkText(`^(?:${options.regex})$`)}`)
    if (options.minRetries !== undefined) conditions.push(`retries >= ${options.minRetries}`)
    if (options.minScore !== undefined) conditions.push(`score >= ${options.minScore}`)
    if (options.expr !== undefined) conditions.push(await checkSparkCondition(this.#versions, options.expr))
    return conditions.join(' AND ')
  }
}

/** Numbers that may be too large for JSON. */
const IS_COUNT = /^(?:bigint|decimal)/
const IS_TEXT = /^(?:bigint|decimal|timestamp|date|interval)/

/** The columns of `crawldb` with their types in DuckDB. */
const DUMP_COLUMNS: Readonly<Record<string, string>> = {
  url: 'VARCHAR',
  host: 'VARCHAR',
  domain: 'VARCHAR',
  status: 'VARCHAR',
  score: 'FLOAT',
  fetch_time: 'TIMESTAMP',
  fetch_interval: 'UINTEGER',
  modified_time: 'TIMESTAMP',
  last_fetch_time: 'TIMESTAMP',
  content_time: 'TIMESTAMP',
  retries: 'USMALLINT',
  signature: 'VARCHAR',
  etag: 'VARCHAR',
  last_modified: 'VARCHAR',
  metadata: 'VARCHAR',
  generated_in: 'VARCHAR',
  http_status: 'USMALLINT',
  protocol_status: 'VARCHAR',
  host_not_before: 'TIMESTAMP',
}

function isTime(column: string): boolean {
  return DUMP_COLUMNS[column] === 'TIMESTAMP'
}

function stagedType(type: string): DuckDBType {
  return type === 'VARCHAR' ? VARCHAR : DOUBLE
}
