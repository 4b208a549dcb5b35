import { ConfigurationError } from '../../base/crawl-error.ts'
import type { JsonObject } from '../../base/json.ts'
import type { CrawlDbReader } from '../../domain/crawldb/crawl-db-reader.ts'
import { readRows } from './read-rows.ts'

/** A row of the view `hostdb`. */
export interface HostRecord extends JsonObject {
  readonly host: string
}

/** Everything about one host. */
export interface HostDbReport extends HostRecord {
  /** Aggregates of numbers, by field. */
  readonly numbers: readonly JsonObject[]
  /** Counted texts, by field, most frequent first. */
  readonly values: readonly JsonObject[]
}

export interface HostsRequest {
  /** A condition over the columns of `hostdb`. @default all hosts */
  readonly expr?: string
  /** A column of `hostdb`. */
  readonly sort: string
  readonly descending: boolean
  readonly limit?: number
}

type Reader = Pick<CrawlDbReader, 'sql'>

/** The records of hosts. @throws ConfigurationError for an invalid condition or column, or without a HostDb */
export async function readHosts(
  reader: Reader,
  { expr, sort, descending, limit }: HostsRequest,
): Promise<HostRecord[]> {
  const { columns } = await ofHostDb(reader.sql('SELECT * FROM hostdb LIMIT 0'))
  if (!columns.includes(sort))
    throw new ConfigurationError(
      'OPTION_INVALID',
      `${JSON.stringify(sort)} is not a column of hostdb, which has ${columns.join(', ')}`,
    )
  const where = expr === undefined ? '' : `WHERE (\n${expr}\n)`
  const order = `ORDER BY ${sort} ${descending ? 'DESC' : 'ASC'} NULLS LAST, host`
  const query = `SELECT * FROM hostdb ${where} ${order} ${limit === undefined ? '' : `LIMIT ${limit}`}`
  try {
    return await readRows<HostRecord>(reader, query)
  } catch (error) {
    if (expr === undefined || !(error instanceof ConfigurationError)) throw error
    // Without the part of the message that quotes our query.
    const [cause] = error.message.split(/ in FROM clause|\n/)
    throw new ConfigurationError(
      'QUERY_INVALID',
      `the condition "${expr}" cannot be used: ${cause}; columns of hostdb: ${columns.join(', ')}`,
      { cause: error },
    )
  }
}

/** `undefined`: the crawl does not know the host. */
export async function readHost(reader: Reader, host: string): Promise<HostDbReport | undefined> {
  const name = `'${host.replaceAll("'", "''").replaceAll('\0', '')}'`
  const [record] = await ofHostDb(readRows<HostRecord>(reader, `SELECT * FROM hostdb WHERE host = ${name}`))
  if (record === undefined) return undefined
  const of = `WHERE host_id IN (SELECT id FROM hosts WHERE host = ${name})`
  const numbers = await readRows<JsonObject>(
    reader,
    `SELECT * EXCLUDE (host_id) FROM host_numbers ${of} ORDER BY field`,
  )
  const values = await readRows<JsonObject>(
    reader,
    `SELECT * EXCLUDE (host_id) FROM host_values ${of} ORDER BY field, count DESC, value LIMIT ${MAX_VALUES}`,
  )
  return { ...record, numbers, values }
}

const MAX_VALUES = 200

/** The result of a query, or an error that says what is missing. */
async function ofHostDb<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (
      !(
        error instanceof ConfigurationError &&
        /hostdb.*(?:does not exist|cannot be found)|\(hostdb\)/.test(error.message)
      )
    )
      throw error
    throw new ConfigurationError(
      'CRAWL_MISMATCH',
      'this crawl has no HostDb: run orbweaver updatehostdb --rebuild once; it needs the engine DuckDB',
      { cause: error },
    )
  }
}
