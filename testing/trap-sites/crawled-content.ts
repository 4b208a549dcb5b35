import { DuckDBInstance } from '@duckdb/node-api'
import type { TrapSite } from './trap-site.ts'

/** What a crawl of a trap site fetched. */
export interface CrawledContent {
  readonly requests: number
  readonly contentPages: number
}

/** Counts the requests in the segments of a crawl, and the content pages among them. */
export async function crawledContent(directory: string, site: TrapSite): Promise<CrawledContent> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const files = `${directory}/segments/*/crawl_fetch/part-*.parquet`
  const reader = await connection.runAndReadAll(
    `SELECT url, status FROM read_parquet('${files}', union_by_name = true) WHERE status <> 'not_reached'`,
  )
  const rows = reader.getRowObjectsJS() as Array<{ url: string; status: string }>
  connection.closeSync()
  instance.closeSync()
  const found = new Set<string>()
  for (const { url, status } of rows) {
    const page = status === 'fetch_success' ? site.contentOf(url) : undefined
    if (page !== undefined) found.add(page)
  }
  return { requests: rows.length, contentPages: found.size }
}
