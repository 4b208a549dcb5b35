import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { createJudge } from '../src/domain/crawldb/create-judge.ts'
import { createDefaultSchedule } from '../src/domain/schedule/default-schedule.ts'
import { createOpicScoring } from '../src/domain/scoring/opic-scoring.ts'
import { SEGMENT_COLUMNS } from '../src/domain/segment/segment-columns.ts'
import { DEFAULT_RULES } from '../src/domain/url/default-rules.ts'
import { normalizeUrl } from '../src/domain/url/normalize-url.ts'
import { parseRuleFile } from '../src/domain/url/rule-file.ts'

export const NOW = 1_800_000_000_000

/** The rules a crawl has by default. */
export const rules = { schedule: createDefaultSchedule(), scoring: createOpicScoring() }
export const judge = createJudge({
  normalize: normalizeUrl,
  filter: parseRuleFile(DEFAULT_RULES, 'default'),
})

/** Writes a seed file with made-up URLs, one per line; their hosts follow Zipf's law. */
export async function writeSeeds(file: string, urls: number): Promise<void> {
  await sql(
    [`COPY (SELECT url_of(i) FROM range(${urls}) t(i)) TO '${file}' (FORMAT csv, HEADER false)`],
    urls,
  )
}

/**
 * Each page of the segment's fetch list was fetched. Of its links, three in five go to known URLs, most of them to popular ones.
 * @param urls number of URLs of `writeSeeds`
 */
export async function writeFetches(segmentPath: string, urls: number, linksPerPage: number): Promise<void> {
  for (const directory of ['crawl_fetch', 'crawl_parse']) await mkdir(join(segmentPath, directory))
  const list = `read_parquet('${segmentPath}/crawl_generate/*.parquet')`
  const fetches = `
    SELECT url, 'fetch_success' AS status, 'SUCCESS' AS protocol_status, 200 AS http_status, ${NOW + 1} AS fetched_at,
      '"' || md5(url) || '"' AS etag, md5(left(url, 40)) AS signature, 1.0 AS score_given, '{"Content-Type":"text/html"}' AS metadata
    FROM ${list}`
  const links = `
    SELECT from_url, url_of(CASE WHEN k % 5 < 3 THEN zipf(hash(from_url, k), ${urls}) ELSE ${urls} + (hash(from_url, k) % 100_000_000)::BIGINT END) AS url,
      'link' AS kind, 0.02 AS score
    FROM (SELECT url AS from_url, unnest(range(${linksPerPage})) AS k FROM ${list})`
  await sql(
    [copyPart(segmentPath, 'crawl_fetch', fetches), copyPart(segmentPath, 'crawl_parse', links)],
    urls,
  )
}

/** Writes the rows of a query as a part; columns that it does not have are NULL. */
function copyPart(segmentPath: string, directory: 'crawl_fetch' | 'crawl_parse', query: string): string {
  const columns = Object.entries(SEGMENT_COLUMNS[directory]).map(([name, type]) => `NULL::${type} AS ${name}`)
  return `COPY (SELECT ${columns.join(', ')} WHERE false UNION ALL BY NAME ${query})
    TO '${segmentPath}/${directory}/part-000001-bench.parquet' (FORMAT parquet, COMPRESSION zstd)`
}

/** Statements that know `url_of(i)`, the i-th URL of the made-up web, and `zipf(hash, n)`: a number below n, k-th with probability ~ 1/k. */
async function sql(statements: readonly string[], urls: number): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  await connection.run(`
    CREATE MACRO zipf(h, n) AS floor(exp((h % 1000003) / 1000003.0 * ln(n)))::BIGINT;
    CREATE MACRO host_of(h) AS 'www.' || left(md5(h::VARCHAR), (4 + h % 8)::INTEGER) || h || ['.com', '.org', '.co.uk', '.de'][(1 + h % 4)::BIGINT];
    CREATE MACRO url_of(i) AS 'https://' || host_of(zipf(hash(i), ${Math.max(10, urls / 20)})) || '/'
      || ['news', 'article', 'products', '2024/05', 'blog/category', 'wiki'][(1 + hash(i) % 6)::BIGINT] || '/' || left(md5(i::VARCHAR), (4 + i % 8)::INTEGER)
      || ['-title-of-page', '-some-story', '', '/item'][1 + i % 4] || '-' || i || ['.html', '', '/', '?id=' || i][1 + i % 4]`)
  for (const statement of statements) await connection.run(statement)
  connection.disconnectSync()
  instance.closeSync()
}
