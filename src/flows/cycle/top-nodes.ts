import { ConfigurationError } from '../../base/crawl-error.ts'
import type { CrawlDbReader } from '../../domain/crawldb/crawl-db-reader.ts'
import { readRows } from './read-rows.ts'

/** Which nodes of the web graph to list. */
export interface NodesRequest {
  readonly sort: 'score' | 'inlinks' | 'outlinks'
  readonly by: 'url' | 'host' | 'domain'
  /** How the values of a host or domain follow from those of its pages. */
  readonly type: 'sum' | 'max'
  readonly limit: number
}

/** A page, host or domain of the web graph. */
export interface GraphNode {
  readonly name: string
  /** `null`: not ranked yet. */
  readonly score: number | null
  readonly inlinks: number
  readonly outlinks: number
}

/** The nodes with the highest values (Nutch: nodedumper). @throws ConfigurationError if there is no web graph */
export async function topNodes(
  reader: Pick<CrawlDbReader, 'sql'>,
  { sort, by, type, limit }: NodesRequest,
): Promise<GraphNode[]> {
  const order = `ORDER BY ${sort} DESC NULLS LAST, name LIMIT ${limit}`
  const values = ['score', 'inlinks', 'outlinks'].map((value) => `${type}(${value})::DOUBLE AS ${value}`)
  const query =
    by === 'url'
      ? `SELECT url AS name, score::DOUBLE AS score, inlinks, outlinks FROM webgraph_nodes ${order}`
      : `SELECT ${by === 'host' ? HOST : `coalesce(h.domain, ${HOST})`} AS name, ${values.join(', ')}
         FROM webgraph_nodes n ${by === 'host' ? '' : `LEFT JOIN hosts h ON h.host = ${HOST}`} GROUP BY 1 ${order}`
  try {
    return await readRows<GraphNode>(reader, query)
  } catch (error) {
    if (!(error instanceof ConfigurationError && /webgraph_nodes/.test(error.message))) throw error
    throw new ConfigurationError(
      'CRAWL_MISMATCH',
      'this crawl has no web graph: run orbweaver webgraph first; it needs the engine DuckDB',
      { cause: error },
    )
  }
}

/** The host of a URL in SQL. */
const HOST = `regexp_replace(split_part(url, '/', 3), ':\\d+$', '')`
