import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'

let crawl: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
  await crawl.inject([
    { url: 'http://a.test/', score: 2, metadata: { topic: 'x' } },
    { url: 'http://a.test/b', score: 3, metadata: {} },
    { url: 'http://b.test/', score: 1, metadata: {} },
  ])
})
afterEach(() => crawl.remove())

describe('withStatus', () => {
  it('gives the URLs of some statuses, all of them', async () => {
    const urls = Array.from({ length: 5_000 }, (_, i) => `http://c.test/${i}`)
    await crawl.inject(urls)
    const found: string[] = []
    for await (const batch of crawl.directory.reader.withStatus(['db_gone', 'db_unfetched'])) {
      for (const { url, status } of batch) found.push(`${status} ${url}`)
    }
    expect(found).toHaveLength(5_003)
    expect(new Set(found)).toContain('db_unfetched http://c.test/4999')
  })

  it('lets changes happen when the reader stops in between, and gives nothing of other statuses', async () => {
    for await (const batch of crawl.directory.reader.withStatus(['db_unfetched'])) {
      expect(batch).toHaveLength(3)
      break
    }
    await crawl.inject(['http://c.test/'])
    for await (const batch of crawl.directory.reader.withStatus(['db_gone'])) expect(batch).toEqual([])
  })
})

describe('dump', () => {
  const file = (name: string) => join(crawl.path, name)

  it('writes CSV', async () => {
    expect(await crawl.directory.reader.dump(file('o.csv'), { format: 'csv', topN: 1 })).toBe(1)
    expect((await readFile(file('o.csv'), 'utf8')).split('\n')).toEqual([
      'url,host,domain,status,score,fetch_time,fetch_interval,modified_time,last_fetch_time,content_time,retries,signature,etag,last_modified,metadata,generated_in,http_status,protocol_status,host_not_before',
      'http://a.test/b,a.test,a.test,db_unfetched,3.0,2027-01-15 08:00:00,2592000,,,,0,,,,,,,,',
      '',
    ])
  })

  it('writes a line of JSON for each record', async () => {
    await crawl.directory.reader.dump(file('o.jsonl'), { format: 'jsonl', regex: '.*a.test/' })
    const lines = (await readFile(file('o.jsonl'), 'utf8')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { url: 'http://a.test/', status: 'db_unfetched', score: 2, metadata: '{"topic":"x"}' },
    ])
  })

  it('writes Parquet', async () => {
    expect(await crawl.directory.reader.dump(file("o'.parquet"), { format: 'parquet' })).toBe(3)
    const connection = await (await DuckDBInstance.create()).connect()
    const { rowCount } = await connection
      .runAndReadAll('SELECT * FROM read_parquet($1)', [file("o'.parquet")])
      .then((reader) => ({ rowCount: reader.currentRowCount }))
    expect(rowCount).toBe(3)
    const times = await connection.runAndReadAll(
      `SELECT name, logical_type LIKE '%isAdjustedToUTC=1%' AS utc FROM parquet_schema($1) WHERE name LIKE '%_time'`,
      [file("o'.parquet")],
    )
    expect(times.getRowObjectsJson()).toEqual([
      { name: 'fetch_time', utc: true },
      { name: 'modified_time', utc: true },
      { name: 'last_fetch_time', utc: true },
      { name: 'content_time', utc: true },
    ])
    const first = `SELECT epoch_ms(min(fetch_time))::DOUBLE AS at FROM read_parquet($1)`
    const [row] = (await connection.runAndReadAll(first, [file("o'.parquet")])).getRowObjectsJson()
    const [[stored] = []] = (
      await crawl.directory.reader.sql('SELECT epoch_ms(min(fetch_time)) FROM crawldb')
    ).rows
    expect(row?.['at']).toBe(stored)
  })

  it.each([
    [{ host: 'b.test' }, 1],
    [{ status: ['db_unfetched'] }, 3],
    [{ status: ['db_gone', 'db_fetched'] }, 0],
    [{ minRetries: 1 }, 0],
    [{ expr: 'score >= 2' }, 2],
    [{ regex: 'b\\.test' }, 0],
  ] as const)('keeps to %j', async (filter, count) => {
    expect(await crawl.directory.reader.dump(file('o.csv'), { format: 'csv', ...filter })).toBe(count)
  })

  it.each([{ regex: '(' }, { expr: 'nothing = 1' }])('refuses %j', async (filter) => {
    await expect(crawl.directory.reader.dump(file('o.csv'), { format: 'csv', ...filter })).rejects.toThrow(
      ConfigurationError,
    )
  })
})

describe('sql', () => {
  it('gives the rows of a query', async () => {
    expect(
      await crawl.directory.reader.sql('SELECT host, count(*) AS n FROM crawldb GROUP BY host ORDER BY host'),
    ).toEqual({
      columns: ['host', 'n'],
      rows: [
        ['a.test', 2],
        ['b.test', 1],
      ],
    })
  })

  it.each([
    'DELETE FROM urls',
    'SELECT 1; SELECT 2',
    'DROP TABLE urls',
    "COPY urls TO '/tmp/x.csv'",
    'SELECT nothing',
    'no sql',
    '',
    'WITH x AS (SELECT 1) DELETE FROM urls',
  ])('refuses %j', async (query) => {
    await expect(crawl.directory.reader.sql(query)).rejects.toThrow(ConfigurationError)
    expect((await crawl.db.stats()).total).toBe(3)
  })
})
