import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../src/base/crawl-error.ts'
import type { DumpOptions } from '../src/domain/crawldb/crawl-db-reader.ts'
import { type CrawlStores, type OpenStores, TestCrawl } from './crawl-directory.ts'

/** Contract tests of every CrawlDbReader. All tests read one CrawlDb, which only the last one changes. */
export function crawlDbReaderContract(name: string, open: OpenStores): void {
  describe(`${name} as a CrawlDbReader`, () => {
    let crawl: TestCrawl<CrawlStores>
    beforeAll(async () => {
      crawl = await TestCrawl.createWith(open)
      await crawl.inject([
        { url: 'http://a.test/', score: 2, metadata: { topic: 'x' } },
        { url: 'http://a.test/b', score: 3, metadata: {} },
        { url: 'http://b.test/', score: 1, metadata: {} },
      ])
    })
    afterAll(() => crawl.remove())

    const file = (of: string) => join(crawl.path, of)
    const dump = (to: string, options: DumpOptions) => crawl.directory.reader.dump(file(to), options)

    it('dumps CSV', async () => {
      expect(await dump('o.csv', { format: 'csv', topN: 1 })).toBe(1)
      expect((await readFile(file('o.csv'), 'utf8')).split('\n')).toEqual([
        'url,host,domain,status,score,fetch_time,fetch_interval,modified_time,last_fetch_time,content_time,retries,signature,etag,last_modified,metadata,generated_in,http_status,protocol_status,host_not_before',
        'http://a.test/b,a.test,a.test,db_unfetched,3.0,2027-01-15 08:00:00,2592000,,,,0,,,,,,,,',
        '',
      ])
    })

    it('dumps a line of JSON for each record', async () => {
      await dump('o.jsonl', { format: 'jsonl', regex: '.*a.test/' })
      const lines = (await readFile(file('o.jsonl'), 'utf8')).trim().split('\n')
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { url: 'http://a.test/', status: 'db_unfetched', score: 2, metadata: '{"topic":"x"}' },
      ])
    })

    it('dumps Parquet', async () => {
      expect(await dump("o'.parquet", { format: 'parquet' })).toBe(3)
      const connection = await (await DuckDBInstance.create()).connect()
      const rowsOf = async (query: string) =>
        (await connection.runAndReadAll(query, [file("o'.parquet")])).getRowObjectsJson()
      expect(await rowsOf('SELECT * FROM read_parquet($1)')).toHaveLength(3)
      expect(
        await rowsOf(
          `SELECT name, logical_type LIKE '%isAdjustedToUTC=1%' AS utc FROM parquet_schema($1) WHERE name LIKE '%_time'`,
        ),
      ).toEqual([
        { name: 'fetch_time', utc: true },
        { name: 'modified_time', utc: true },
        { name: 'last_fetch_time', utc: true },
        { name: 'content_time', utc: true },
      ])
      expect(await rowsOf('SELECT epoch_ms(min(fetch_time))::DOUBLE AS at FROM read_parquet($1)')).toEqual([
        { at: crawl.clock.now() },
      ])
    })

    it('dumps only matching records', async () => {
      for (const [filter, count] of [
        [{ host: 'b.test' }, 1],
        [{ status: ['db_unfetched'] }, 3],
        [{ status: ['db_gone', 'db_fetched'] }, 0],
        [{ minRetries: 1 }, 0],
        [{ minScore: 1e9 }, 0],
        [{ expr: 'score >= 2' }, 2],
        [{ regex: 'b\\.test' }, 0],
      ] as const)
        expect(await dump('o.csv', { format: 'csv', ...filter }), JSON.stringify(filter)).toBe(count)
    })

    it('refuses filters that are not valid', async () => {
      for (const filter of [{ regex: '(' }, { expr: 'nothing = 1' }])
        await expect(dump('o.csv', { format: 'csv', ...filter })).rejects.toThrow(ConfigurationError)
    })

    it('returns the rows of a query', async () => {
      const query = 'SELECT host, count(*) AS n FROM crawldb GROUP BY host ORDER BY host'
      expect(await crawl.directory.reader.sql(query)).toEqual({
        columns: ['host', 'n'],
        rows: [
          ['a.test', 2],
          ['b.test', 1],
        ],
      })
    })

    it('refuses statements that are not one query', async () => {
      for (const query of [
        'DELETE FROM urls',
        'SELECT 1; SELECT 2',
        'DROP TABLE urls',
        "COPY urls TO '/tmp/x.csv'",
        'SELECT nothing',
        'no sql',
        '',
        'WITH x AS (SELECT 1) DELETE FROM urls',
      ])
        await expect(crawl.directory.reader.sql(query), query).rejects.toThrow(ConfigurationError)
      expect((await crawl.db.stats()).total).toBe(3)
    })

    it('checks that every row can be read', async () => {
      await crawl.directory.reader.check()
    })

    it('streams all URLs of some statuses, and lets changes happen when the reader stops in between', async () => {
      const found: string[] = []
      const { reader } = crawl.directory
      for await (const batch of reader.withStatus(['db_unfetched'])) {
        expect(batch).toHaveLength(3)
        break
      }
      await crawl.inject(Array.from({ length: 5_000 }, (_, i) => `http://c.test/${i}`))
      for await (const batch of reader.withStatus(['db_gone'])) expect(batch).toEqual([])
      for await (const batch of reader.withStatus(['db_gone', 'db_unfetched']))
        for (const { url, status } of batch) found.push(`${status} ${url}`)
      expect(found).toHaveLength(5_003)
      expect(new Set(found)).toContain('db_unfetched http://c.test/4999')
    })
  })
}
