import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { crawlReadsContract } from '../../../testing/crawl-reads-contract.ts'
import { OwnerGone } from '../crawl-directory/control/control-error.ts'
import { type CrawlDirectory, openCrawlDirectory } from './open-crawl-directory.ts'
import { openCrawlDirectoryToRead, openReadSource } from './open-crawl-directory-to-read.ts'

const OPTIONS = { command: 'readdb', memoryMb: 256, threads: 1, writesFiles: true }

crawlReadsContract('the control socket', async ({ path }) => {
  expect((await openReadSource(path, OPTIONS)).kind).toBe('owner')
  const directory = await openCrawlDirectoryToRead(path, OPTIONS)
  return { directory, close: () => directory.close() }
})

crawlReadsContract('the files', async (crawl) => {
  await crawl.directory.close()
  const source = await openReadSource(crawl.path, OPTIONS)
  expect(source.kind).toBe('files')
  return {
    directory: source.directory,
    async close() {
      await source.directory.close()
      crawl.directory = await openCrawlDirectory(crawl.path, OPTIONS)
    },
  }
})

describe('reading through the owner', () => {
  let crawl: TestCrawl
  let reading: CrawlDirectory
  beforeEach(async () => {
    crawl = await TestCrawl.create()
    await crawl.inject(['http://a.test/'])
    reading = await openCrawlDirectoryToRead(crawl.path, OPTIONS)
  })
  afterEach(async () => {
    await reading.close()
    await crawl.remove()
  })

  it('sees each change at once', async () => {
    expect((await reading.db.stats()).total).toBe(1)
    await crawl.inject(['http://b.test/'])
    expect((await reading.db.stats()).total).toBe(2)
  })

  it('continues with the files after the owner has ended, and lets the next owner start', async () => {
    await crawl.directory.close()
    expect((await reading.db.stats()).total).toBe(1)
    expect((await reading.reader.sql('SELECT url FROM crawldb')).rows).toEqual([['http://a.test/']])
    await reading.close()
    crawl.directory = await openCrawlDirectory(crawl.path, OPTIONS)
  })

  it('continues with the next owner', async () => {
    await crawl.reopen()
    await crawl.inject(['http://b.test/'])
    expect((await reading.db.stats()).total).toBe(2)
  })

  it('ends a stream that the owner interrupts with an error that says so', async () => {
    await crawl.inject(Array.from({ length: 60_000 }, (_, i) => `http://a.test/${i}/${'x'.repeat(500)}`))
    const batches = reading.reader.withStatus(['db_unfetched'])[Symbol.asyncIterator]()
    expect((await batches.next()).done).toBe(false)
    // Most rows are not read yet: they do not fit into the buffers of the socket.
    await crawl.reopen()
    const drained = (async () => {
      while ((await batches.next()).done !== true);
    })()
    await expect(drained).rejects.toThrow(OwnerGone)
  })

  it.each([
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT content FROM read_text('/etc/passwd')",
    "FROM '/etc/passwd'",
    "FROM 'x.csv'",
    'FROM data.csv',
    'WITH csv AS (SELECT 1) FROM data.csv',
    'WITH csv AS (SELECT 1) FROM main.csv',
    'WITH "a.csv" AS (SELECT 1) FROM (SELECT 1), "a.csv"',
    "FROM read_blob('/etc/passwd')",
    "FROM read_json('/etc/passwd')",
    "FROM read_parquet('/etc/passwd')",
    "FROM parquet_scan('/etc/passwd')",
    "FROM read_duckdb('x.duckdb')",
    "FROM glob('/etc/*')",
    "FROM sniff_csv('/etc/passwd')",
    "FROM parquet_metadata('/etc/passwd')",
    "FROM query('FROM read_text(''/etc/passwd'')')",
    "FROM query_table('/etc/passwd')",
    "FROM json_execute_serialized_sql('x')",
    "SELECT json_serialize_plan('FROM read_csv(''/etc/passwd'')')",
    "SELECT (SELECT content FROM read_text('/etc/passwd'))",
    "SELECT 1 WHERE EXISTS (FROM read_text('/etc/passwd'))",
    "SELECT url FROM crawldb ORDER BY (SELECT content FROM read_text('/etc/passwd'))",
    "SELECT url FROM crawldb UNION ALL SELECT content FROM read_text('/etc/passwd')",
    "WITH t AS (SELECT content FROM read_text('/etc/passwd')) FROM t",
    "FROM crawldb JOIN read_text('/etc/passwd') ON true",
    'FROM crawldb, LATERAL (FROM read_text(crawldb.url))',
    "UNPIVOT (FROM read_text('/etc/passwd')) ON content",
    "DESCRIBE FROM read_csv('/etc/passwd')",
    "DESCRIBE '/etc/passwd'",
    "SUMMARIZE '/etc/passwd'",
    "EXPLAIN FROM read_text('/etc/passwd')",
    "EXPLAIN ANALYZE FROM read_text('/etc/passwd')",
    "FROM read_csv('http://127.0.0.1:9/x')",
    'FROM duckdb_secrets()',
    'FROM duckdb_settings()',
    "FROM enable_logging('x')",
    'FROM force_checkpoint()',
  ])('keeps %j from leaving the tables of the crawl', async (query) => {
    await expect(reading.reader.sql(query)).rejects.toThrow(
      /a query can read the tables of this crawl only, not files, the network or extensions/,
    )
  })

  it.each([
    "EXPLAIN ANALYZE COPY urls TO '/tmp/orbweaver-x.csv'",
    "/**/EXPLAIN FROM read_text('/etc/passwd')",
    "ATTACH '/tmp/orbweaver-x.duckdb'",
    "COPY urls TO '/tmp/orbweaver-x.csv'",
    "COPY (DELETE FROM urls RETURNING *) TO '/tmp/orbweaver-x.csv'",
    "EXPORT DATABASE '/tmp/orbweaver-x'",
    'INSTALL httpfs',
    'LOAD httpfs',
    'SET memory_limit = 0',
    'SET GLOBAL threads = 1',
    'PRAGMA database_list',
    'PRAGMA threads = 1',
    'CREATE TEMP TABLE x AS SELECT 1',
    'CALL pragma_version()',
    'CHECKPOINT',
    'SELECT 1; DELETE FROM urls',
    'SELECT 1; COMMIT; DELETE FROM urls',
    'COMMIT',
    'DELETE FROM urls',
    'WITH x AS (DELETE FROM urls RETURNING *) SELECT * FROM x',
    'UPDATE urls SET score = 0',
    'DETACH crawldb',
    'USE memory',
    "PIVOT (FROM read_text('/etc/passwd')) ON content",
    "SELECT getenv('HOME')",
    '',
  ])('refuses %j', async (query) => {
    await expect(reading.reader.sql(query)).rejects.toMatchObject({ code: 'QUERY_INVALID' })
    expect((await crawl.db.stats()).total).toBe(1)
  })

  it.each([
    'FROM crawldb',
    'SELECT count(*) FROM main.urls',
    'SELECT count(*) FROM crawldb.main.urls',
    'WITH t AS (SELECT host FROM crawldb) SELECT * FROM t',
    'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t',
    'SELECT u.url, s.name FROM urls u LEFT JOIN segments s ON true',
    'SELECT * FROM range(3), unnest([1, 2])',
    "SELECT json_extract_string(metadata, '$.x'), key FROM crawldb, json_each('{\"a\": 1}')",
    'DESCRIBE crawldb',
    'SUMMARIZE crawldb',
    'SHOW TABLES',
    'EXPLAIN ANALYZE SELECT count(*) FROM crawldb',
    'SELECT table_name FROM duckdb_tables()',
    'SELECT table_name FROM information_schema.tables',
    "FROM pragma_table_info('urls')",
    'VALUES (1)',
    'SELECT * FROM crawldb USING SAMPLE 10',
  ])('runs %j', async (query) => {
    expect((await reading.reader.sql(query)).rows).toBeDefined()
  })
})
