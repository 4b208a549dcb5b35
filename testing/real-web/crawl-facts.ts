import { DuckDBInstance } from '@duckdb/node-api'

/** What the segments of a crawl say about its pages. */
export interface CrawlFacts {
  readonly largest: ReadonlyArray<{ readonly url: string; readonly bytes: number }>
  /** Pages that could not be parsed, and why. */
  readonly unparsed: ReadonlyArray<{ readonly reason: string; readonly count: number; readonly url: string }>
  /** Pages with U+FFFD or private-use characters that the page itself does not have: bytes that do not fit the charset. */
  readonly charsetFaults: ReadonlyArray<{
    readonly url: string
    readonly charset: string
    readonly characters: number
  }>
}

/** Reads the segments with DuckDB, as any program could. */
export async function crawlFacts(directory: string): Promise<CrawlFacts> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '2GB' })
  const connection = await instance.connect()
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS()
  const table = (name: string) =>
    `read_parquet('${directory}/segments/*/${name}/part-*.parquet', union_by_name = true)`
  const largest = await rows(
    `select url, bytes from ${table('crawl_fetch')} where status = 'fetch_success' order by bytes desc limit 5`,
  )
  const unparsed = await rows(
    `select status || ': ' || coalesce(reason, '') as reason, count(*) as n, min(url) as url from ${table('parse_data')}
     where status <> 'parsed' group by 1 order by 2 desc`,
  )
  // A page may have U+FFFD itself, in UTF-8 or as a reference; private-use characters of a UTF-8 page are its own.
  const faults = await rows(
    `with texts as (
       select url, charset, length(regexp_replace(text, '[^\\x{FFFD}]', '', 'g')) as replaced,
         if(charset = 'utf-8', 0, length(regexp_replace(text, '[^\\x{E000}-\\x{F8FF}]', '', 'g'))) as private_use
       from ${table('parse_text')} as parsed join ${table('parse_data')} as data using (url)
       where regexp_matches(text, '[\\x{FFFD}\\x{E000}-\\x{F8FF}]'))
     select url, charset, replaced + private_use as n from texts join ${table('content')} as content using (url)
     where n > 0 and not regexp_matches(body::varchar, '(?i)\\\\xEF\\\\xBF\\\\xBD|&#(x0*(fffd|[ef][0-9a-f]{3})|65533|5[7-9][0-9]{3}|6[0-3][0-9]{3})')
     order by n desc`,
  )
  connection.closeSync()
  instance.closeSync()
  return {
    largest: largest.map(({ url, bytes }) => ({ url: String(url), bytes: Number(bytes) })),
    unparsed: unparsed.map(({ reason, n, url }) => ({
      reason: String(reason),
      count: Number(n),
      url: String(url),
    })),
    charsetFaults: faults.map(({ url, charset, n }) => ({
      url: String(url),
      charset: String(charset),
      characters: Number(n),
    })),
  }
}
