import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/** A crawl directory as version 0.1 left it: the tables of schema version 1, one page that was fetched and one that was not. */
export async function makeOldCrawlDirectory(path: string): Promise<void> {
  await mkdir(join(path, 'segments'), { recursive: true })
  const instance = await DuckDBInstance.create(join(path, 'crawldb.duckdb'))
  const connection = await instance.connect()
  await connection.run(SCHEMA_1)
  connection.disconnectSync()
  instance.closeSync()
}

const SCHEMA_1 = `
CREATE TABLE meta (key VARCHAR NOT NULL, value VARCHAR NOT NULL);
INSERT INTO meta VALUES ('schema_version', '1');
CREATE TABLE hosts (id UINTEGER NOT NULL, host VARCHAR NOT NULL, domain VARCHAR NOT NULL);
INSERT INTO hosts VALUES (1, 'a.test', 'a.test');
CREATE TABLE urls (
  fp UBIGINT NOT NULL, url VARCHAR NOT NULL, host_id UINTEGER NOT NULL, status UTINYINT NOT NULL, fetch_time BIGINT NOT NULL,
  fetch_interval UINTEGER NOT NULL, modified_time BIGINT NOT NULL, last_fetch_time BIGINT NOT NULL, content_time BIGINT NOT NULL,
  retries USMALLINT NOT NULL, score FLOAT NOT NULL, signature BLOB, etag VARCHAR, last_modified VARCHAR, metadata VARCHAR,
  generated_in BIGINT
);
INSERT INTO urls VALUES
  (md5_number_upper('http://a.test/1'), 'http://a.test/1', 1, 2, 1800000000000, 2592000, 1790000000000, 1790000000000, 1790000000000,
   0, 1.5, unhex('aa'), '"x"', NULL, '{"tag":"x"}', NULL),
  (md5_number_upper('http://a.test/2'), 'http://a.test/2', 1, 1, 0, 2592000, 0, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE seed_hosts (host VARCHAR NOT NULL, url VARCHAR NOT NULL);
CREATE TABLE segments (name VARCHAR NOT NULL, created_at BIGINT NOT NULL, urls UINTEGER NOT NULL, state VARCHAR NOT NULL);
CREATE TABLE folded_parts (segment VARCHAR NOT NULL, part VARCHAR NOT NULL);
CREATE TABLE links (
  from_fp UBIGINT NOT NULL, from_url VARCHAR NOT NULL, to_fp UBIGINT NOT NULL, to_url VARCHAR NOT NULL,
  anchor VARCHAR NOT NULL, segment VARCHAR NOT NULL
);
CREATE VIEW crawldb AS SELECT u.url, h.host, h.domain, u.status, u.score FROM urls u JOIN hosts h ON h.id = u.host_id;
`
