import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type CrawlDbExchange,
  checkCounts,
  EXCHANGED_TABLES,
  type ExchangedTable,
  type TableCounts,
} from '../../domain/crawldb/crawl-db-exchange.ts'
import { Database } from './database.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { prepareSchema } from './schema.ts'
import { type Session, sqlText } from './session.ts'

/** Moves the tables of a database file to and from Parquet files. Tables of spiders are not moved. */
export class DuckExchange implements CrawlDbExchange {
  readonly #database: Database

  private constructor(database: Database) {
    this.#database = database
  }

  /**
   * Opens the database `file` of a crawl directory, or creates it. The caller holds the lock of the directory.
   * @throws DatabaseUnreadable
   */
  static async open(
    file: string,
    { memoryMb = 2048 }: { readonly memoryMb?: number } = {},
  ): Promise<DuckExchange> {
    const folder = dirname(file)
    const settings = { memory_limit: `${memoryMb}MB`, temp_directory: join(folder, '.tmp') }
    const database = await Database.open(file, settings, folder)
    try {
      await database.change((session) => prepareSchema(session, file))
      return new DuckExchange(database)
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /** Whether there are requests, items or failures of a spider. */
  hasSpider(): Promise<boolean> {
    const found = SPIDER_TABLES.map((table) => `EXISTS (FROM ${table})`)
    return this.#database.read(async (session) => {
      const { spider } = await session.one<{ spider: boolean }>(`SELECT ${found.join(' OR ')} AS spider`)
      return spider
    })
  }

  exportTables(folder: string): Promise<TableCounts> {
    return this.#database.read(async (session) => {
      for (const table of TABLE_NAMES) {
        const path = join(folder, table)
        await mkdir(path, { recursive: true })
        await session.run(
          `COPY (${exportQuery(table)}) TO ${sqlText(join(path, 'part-0.parquet'))} (FORMAT parquet, COMPRESSION zstd)`,
        )
      }
      return countRows(session)
    })
  }

  importTables(folder: string, expected: TableCounts): Promise<void> {
    return this.#database.change(async (session) => {
      await session.begin()
      for (const table of TABLE_NAMES) await session.run(`DELETE FROM ${table}`)
      // `urls` refers to `hosts`.
      for (const table of ['hosts', ...TABLE_NAMES.filter((name) => name !== 'hosts')] as const)
        await session.run(importStatement(table, sqlText(join(folder, table, '*.parquet'))))
      checkCounts(expected, await countRows(session))
    })
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}

const SPIDER_TABLES = ['requests', 'seen', 'failed_requests', 'items', 'rejected_items']
const TABLE_NAMES = Object.keys(EXCHANGED_TABLES) as readonly ExchangedTable[]

/** Columns that are stored in another form: as they are exchanged, and as they are stored. */
const CONVERTED: Readonly<
  Partial<Record<ExchangedTable, Readonly<Record<string, readonly [string, string]>>>>
> = {
  urls: {
    host: ['h.host', 'h.id'],
    status: ['t.status::INTEGER', 't.status'],
    fetch_interval: ['t.fetch_interval::BIGINT', 't.fetch_interval'],
    retries: ['t.retries::INTEGER', 't.retries'],
    signature: ['lower(hex(t.signature))', 'unhex(t.signature)'],
    http_status: ['t.http_status::INTEGER', 't.http_status'],
    protocol_status: ['t.protocol_status::INTEGER', 't.protocol_status'],
  },
  segments: { urls: ['t.urls::BIGINT', 't.urls'] },
  drops: { drops: ['t.drops::BIGINT', 't.drops'] },
  indexed_pages: { inputs: ['t.inputs::VARCHAR', 't.inputs::UBIGINT'] },
}

/** Stored columns that are not exchanged, because they follow from others. */
const DERIVED: Readonly<Partial<Record<ExchangedTable, Readonly<Record<string, string>>>>> = {
  urls: { fp: fingerprint64Sql('t.url') },
  hosts: { id: 'row_number() OVER (ORDER BY t.host)' },
  links: { from_fp: fingerprint64Sql('t.from_url'), to_fp: fingerprint64Sql('t.to_url') },
  indexed_pages: { fp: fingerprint64Sql('t.url') },
}

function exportQuery(table: ExchangedTable): string {
  const columns = EXCHANGED_TABLES[table].map(
    (column) => `${CONVERTED[table]?.[column]?.[0] ?? `t.${column}`} AS ${column}`,
  )
  const hosts = table === 'urls' ? 'JOIN hosts h ON h.id = t.host_id' : ''
  return `SELECT ${columns.join(', ')} FROM ${table} t ${hosts}`
}

function importStatement(table: ExchangedTable, files: string): string {
  const exchanged = EXCHANGED_TABLES[table].map((column): [string, string] => [
    table === 'urls' && column === 'host' ? 'host_id' : column,
    CONVERTED[table]?.[column]?.[1] ?? `t.${column}`,
  ])
  const columns = new Map([...Object.entries(DERIVED[table] ?? {}), ...exchanged])
  const hosts = table === 'urls' ? 'JOIN hosts h ON h.host = t.host' : ''
  return `INSERT INTO ${table} (${[...columns.keys()].join(', ')})
    SELECT ${[...columns.values()].join(', ')} FROM read_parquet(${files}) t ${hosts}`
}

async function countRows(session: Session): Promise<TableCounts> {
  const counts = TABLE_NAMES.map((table) => `(SELECT count(*) FROM ${table})::DOUBLE AS ${table}`)
  return session.one<TableCounts>(`SELECT ${counts.join(', ')}`)
}
