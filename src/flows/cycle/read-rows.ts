import type { CrawlDbReader } from '../../domain/crawldb/crawl-db-reader.ts'

/** The rows of one SELECT as objects; NULL is `null`. The type `Row` is not checked. */
export async function readRows<Row>(reader: Pick<CrawlDbReader, 'sql'>, query: string): Promise<Row[]> {
  const { columns, rows } = await reader.sql(query)
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])) as Row)
}
