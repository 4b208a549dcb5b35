import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CrawlDbExchange,
  checkCounts,
  EXCHANGED_TABLES,
  type ExchangedTable,
  type TableCounts,
} from '../../domain/crawldb/crawl-db-exchange.ts'
import { SMALL_TABLES, TABLE_NAMES, TABLES } from './crawl-tables.ts'
import { CrawlVersions, fileUri, type KnownSegment, type VersionsOptions } from './crawl-versions.ts'
import type { SparkSession } from './spark-session.ts'

/** Moves the tables of a CrawlDb on Spark to and from Parquet files. */
export class SparkExchange implements CrawlDbExchange {
  readonly #versions: CrawlVersions

  private constructor(versions: CrawlVersions) {
    this.#versions = versions
  }

  /** Opens the CrawlDb at `location`, a URI. */
  static async open(
    session: SparkSession,
    location: string,
    options: VersionsOptions = {},
  ): Promise<SparkExchange> {
    return new SparkExchange(await CrawlVersions.open(session, location, options))
  }

  async exportTables(folder: string): Promise<TableCounts> {
    const { db, spark } = this.#versions
    await this.#versions.showPublicViews()
    const rows: Partial<Record<ExchangedTable, number>> = {}
    for (const table of Object.keys(EXCHANGED_TABLES) as ExchangedTable[]) {
      const counts = await spark.request<{ n: number }>('keep', {
        ...{ db, name: `exported_${table}`, path: fileUri(join(folder, table)) },
        ...{ sql: `SELECT ${EXCHANGED_TABLES[table].join(', ')} FROM ${table}`, counts: { n: 'count(*)' } },
      })
      rows[table] = counts.n
    }
    return rows as TableCounts
  }

  async importTables(folder: string, expected: TableCounts): Promise<void> {
    await this.#versions.change(async (next) => {
      for (const [table, columns] of Object.entries({ ...TABLES, ...SMALL_TABLES })) {
        const path = join(folder, table)
        const files = (await readdir(path)).filter((name) => name.endsWith('.parquet'))
        await next.db.viewFiles(
          `imported_${table}`,
          files.map((file) => join(path, file)),
          columns,
        )
      }
      for (const table of TABLE_NAMES) {
        const rows = `SELECT * FROM imported_${table}`
        // All rows must be sent to their buckets.
        if (table === 'urls') await next.write(table, `${rows} WHERE false`, rows)
        else await next.write(table, rows)
        await next.useWritten(table)
      }
      const rowsOf = <Row>(table: string) => next.db.all<Row>(`SELECT * FROM imported_${table}`)
      const segments = await rowsOf<StoredSegment>('segments')
      const drops = await rowsOf<{ reason: string; drops: number }>('drops')
      const unfinished = await rowsOf<{ target: string }>('unfinished_indexes')
      next.set({
        segments: segments.map(({ name, created_at, urls, state }) => ({
          ...{ name, createdAt: created_at, urls, state },
        })),
        drops: Object.fromEntries(drops.map(({ reason, drops: count }) => [reason, count])),
        unfinishedIndexes: unfinished.map(({ target }) => target),
      })
      checkCounts(expected, {
        ...(await this.#countRows(TABLE_NAMES)),
        ...{ segments: segments.length, drops: drops.length, unfinished_indexes: unfinished.length },
      })
    })
  }

  close(): Promise<void> {
    return this.#versions.close()
  }

  #countRows<Table extends ExchangedTable>(tables: readonly Table[]): Promise<Record<Table, number>> {
    const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`)
    return this.#versions.one(`SELECT ${counts.join(', ')}`)
  }
}

interface StoredSegment extends Omit<KnownSegment, 'createdAt'> {
  readonly created_at: number
}
