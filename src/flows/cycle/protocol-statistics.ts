import type { CrawlDbReader } from '../../domain/crawldb/crawl-db-reader.ts'
import { readRows } from './read-rows.ts'

/** How many URLs, or requests for the protocol version, have a value. */
export interface ProtocolCount {
  readonly kind: 'protocol status' | 'HTTP status' | 'scheme' | 'protocol version'
  readonly value: string
  readonly count: number
}

/** URLs by the outcome of their last fetch and by scheme, and successful requests by protocol version. Most frequent first. */
export async function protocolStatistics(reader: Pick<CrawlDbReader, 'sql'>): Promise<ProtocolCount[]> {
  const queries: Record<string, string> = {
    'protocol status': countOf('protocol_status', 'protocol_status IS NOT NULL'),
    'HTTP status': countOf('cast(http_status AS VARCHAR(3))', 'http_status IS NOT NULL'),
    scheme: countOf(
      "CASE WHEN url LIKE 'https:%' THEN 'https (TLS)' ELSE 'http' END",
      'last_fetch_time IS NOT NULL',
    ),
  }
  // Only DuckDB has the HostDb. A database that no newer program has written to has none either.
  const hasHostDb = await reader.sql('SELECT count(*) FROM host_values').then(
    () => true,
    () => false,
  )
  if (hasHostDb)
    queries['protocol version'] =
      `SELECT value, sum(count)::BIGINT AS count FROM host_values WHERE field = 'protocol' GROUP BY value`
  const counts: ProtocolCount[] = []
  for (const [kind, query] of Object.entries(queries)) {
    const rows = await readRows<ProtocolCount>(reader, `${query} ORDER BY 2 DESC, 1`)
    for (const { value, count } of rows) counts.push({ kind: kind as ProtocolCount['kind'], value, count })
  }
  return counts
}

function countOf(value: string, condition: string): string {
  return `SELECT ${value} AS value, count(*) AS count FROM crawldb WHERE ${condition} GROUP BY ${value}`
}
