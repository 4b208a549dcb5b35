import { CRAWL_STATUSES } from '../../domain/crawldb/crawl-status.ts'
import { PROTOCOL_STATUSES } from '../../domain/fetch/fetch-status.ts'
import { DatabaseUnreadable } from '../crawl-directory/crawl-directory-error.ts'
import { GRAPH_TABLES } from './graph/graph-tables.ts'
import { HOST_TABLES, HOST_VIEW } from './hosts/host-tables.ts'
import type { Session } from './session.ts'

/** Raised when the tables change so that an older program cannot use them. `MIGRATIONS` brings older databases here. */
export const SCHEMA_VERSION = 2

/**
 * The tables of crawldb.duckdb; README.md gives the reasons. There are no keys and indexes: an index over random fingerprints would be
 * larger than the data and slower than the joins it replaces. The named compressions are those that DuckDB chooses anyway: it need not try
 * all of them for each row group. Without effect where one cannot be used, as FSST for very long texts.
 */
const TABLES = `
CREATE TABLE meta (key VARCHAR NOT NULL, value VARCHAR NOT NULL);
CREATE TABLE hosts (
  id UINTEGER NOT NULL, host VARCHAR NOT NULL, domain VARCHAR NOT NULL, not_before BIGINT, wait_reason VARCHAR
);
CREATE TABLE urls (
  fp UBIGINT USING COMPRESSION uncompressed NOT NULL,
  url VARCHAR USING COMPRESSION fsst NOT NULL,
  host_id UINTEGER NOT NULL,
  status UTINYINT NOT NULL,
  fetch_time BIGINT NOT NULL,
  fetch_interval UINTEGER NOT NULL,
  modified_time BIGINT NOT NULL,
  last_fetch_time BIGINT NOT NULL,
  content_time BIGINT NOT NULL,
  retries USMALLINT NOT NULL,
  score FLOAT NOT NULL,
  signature BLOB,
  etag VARCHAR,
  last_modified VARCHAR,
  metadata VARCHAR,
  generated_in BIGINT,
  http_status USMALLINT,
  protocol_status UTINYINT
);
CREATE TABLE seed_hosts (host VARCHAR NOT NULL, url VARCHAR NOT NULL);
CREATE TABLE segments (name VARCHAR NOT NULL, created_at BIGINT NOT NULL, urls UINTEGER NOT NULL, state VARCHAR NOT NULL);
CREATE TABLE folded_parts (segment VARCHAR NOT NULL, part VARCHAR NOT NULL);
CREATE TABLE links (
  from_fp UBIGINT NOT NULL, from_url VARCHAR NOT NULL, to_fp UBIGINT NOT NULL, to_url VARCHAR NOT NULL,
  anchor VARCHAR NOT NULL, segment VARCHAR NOT NULL
);
`

/**
 * The migration to each version after the first. New tables need none: they are created `IF NOT EXISTS`.
 * New columns come last, as in `TABLES`.
 */
const MIGRATIONS: Readonly<Record<number, string>> = {
  2: `
ALTER TABLE hosts ADD COLUMN not_before BIGINT;
ALTER TABLE hosts ADD COLUMN wait_reason VARCHAR;
ALTER TABLE urls ADD COLUMN http_status USMALLINT;
ALTER TABLE urls ADD COLUMN protocol_status UTINYINT;
`,
}

/**
 * The tables of spiders; frontier/README.md gives the reasons. An older database gets them when it is next opened for writing; older
 * programs ignore them.
 */
const SPIDER_TABLES = `
CREATE TABLE IF NOT EXISTS requests (
  seq BIGINT NOT NULL, host VARCHAR NOT NULL, url VARCHAR NOT NULL, priority DOUBLE NOT NULL, due BIGINT NOT NULL,
  attempt USMALLINT NOT NULL, reason VARCHAR, request VARCHAR NOT NULL
);
CREATE TABLE IF NOT EXISTS seen (fp UBIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS failed_requests (
  position BIGINT NOT NULL, host VARCHAR NOT NULL, url VARCHAR NOT NULL, priority DOUBLE NOT NULL, attempts USMALLINT NOT NULL,
  code VARCHAR NOT NULL, reason VARCHAR NOT NULL, stack VARCHAR, failed_at BIGINT NOT NULL, request VARCHAR NOT NULL
);
CREATE TABLE IF NOT EXISTS items (position BIGINT NOT NULL, url VARCHAR NOT NULL, item VARCHAR NOT NULL);
CREATE TABLE IF NOT EXISTS rejected_items (
  position BIGINT NOT NULL, url VARCHAR NOT NULL, item VARCHAR NOT NULL, reason VARCHAR NOT NULL
);
CREATE TABLE IF NOT EXISTS spider_state (key VARCHAR NOT NULL, value VARCHAR NOT NULL);
`

/**
 * The pages written to each search index, with a fingerprint of the data of their documents (`inputs`); and the indexes that may hold more
 * pages, because the last indexing run did not finish. An older database gets these tables when it is next opened for writing.
 */
const INDEX_TABLES = `
CREATE TABLE IF NOT EXISTS indexed_pages (
  target VARCHAR NOT NULL, fp UBIGINT NOT NULL, url VARCHAR NOT NULL, inputs UBIGINT NOT NULL, indexed BOOLEAN NOT NULL
);
CREATE TABLE IF NOT EXISTS unfinished_indexes (target VARCHAR NOT NULL);
`

/** The files of parsed pages whose links were inverted. An older database gets this table when it is next opened for writing. */
const LINK_TABLE =
  'CREATE TABLE IF NOT EXISTS inverted_parts (segment VARCHAR NOT NULL, part VARCHAR NOT NULL);'

/** Drops of all fetches, by reason. An older database gets this table when it is next opened for writing. */
const DROP_TABLE = 'CREATE TABLE IF NOT EXISTS drops (reason VARCHAR NOT NULL, drops UBIGINT NOT NULL)'

/**
 * The state of the novelty budget, which novelty/README.md describes, and the near-duplicates of `dedup --near`. An older database gets
 * these tables when it is next opened for writing.
 */
const NOVELTY_TABLES = `
CREATE TABLE IF NOT EXISTS novelty_slots (slot VARCHAR NOT NULL, value VARCHAR);
CREATE TABLE IF NOT EXISTS novelty_patterns (
  pattern VARCHAR NOT NULL, fetched UINTEGER NOT NULL, novelty DOUBLE NOT NULL, value DOUBLE NOT NULL, recent_fetched DOUBLE NOT NULL,
  recent_value DOUBLE NOT NULL, released BOOLEAN NOT NULL, held UINTEGER NOT NULL, explored_at BIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS novelty_phrases (key UBIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS novelty_variants (slot UBIGINT NOT NULL, remainder UBIGINT NOT NULL, words UINTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS novelty_parameters (
  slot VARCHAR NOT NULL, same UINTEGER NOT NULL, different UINTEGER NOT NULL, refused BOOLEAN NOT NULL, held UINTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS near_pages (
  fp UBIGINT NOT NULL, sim_hash UBIGINT NOT NULL, segment VARCHAR NOT NULL, cluster UBIGINT, kept BOOLEAN NOT NULL
);
`

/** The tables that an older program of this version has not created. */
const LATER_TABLES = [
  ...`${SPIDER_TABLES}${INDEX_TABLES}${NOVELTY_TABLES}${LINK_TABLE}${DROP_TABLE};${GRAPH_TABLES}${HOST_TABLES}`.matchAll(
    /TABLE IF NOT EXISTS (\w+)/g,
  ),
].map(([, name = '']) => name)

/** Possible values of `urls.status`. */
const DB_STATUSES = CRAWL_STATUSES.filter(({ kind }) => kind === 'db')

/** The name of a status code. */
export const STATUS_NAME_SQL = `CASE status ${DB_STATUSES.map(({ code, name }) => `WHEN ${code} THEN '${name}'`).join(' ')} END`

/** The name of a protocol status code. */
export const PROTOCOL_STATUS_NAME_SQL = `CASE protocol_status ${Object.entries(PROTOCOL_STATUSES)
  .map(([name, { code }]) => `WHEN ${code} THEN '${name}'`)
  .join(' ')} END`

/** The columns of a record without its URL, from `urls AS u`. Times are doubles, which hold them exactly and avoid bigint. */
export const RECORD_COLUMNS = `
  u.status, u.fetch_time::DOUBLE AS fetch_time, u.fetch_interval, u.modified_time::DOUBLE AS modified_time,
  u.last_fetch_time::DOUBLE AS last_fetch_time, u.content_time::DOUBLE AS content_time, u.retries, u.score,
  lower(hex(u.signature)) AS signature, u.etag, u.last_modified, u.metadata, u.generated_in::VARCHAR AS generated_in,
  u.http_status, u.protocol_status`

/** The columns of the view `crawldb`, a public interface that is described in docs. */
export const PUBLIC_COLUMNS = `
  u.url, h.host, h.domain, ${STATUS_NAME_SQL} AS status, u.score,
  epoch_ms(u.fetch_time) AS fetch_time,
  u.fetch_interval,
  epoch_ms(nullif(u.modified_time, 0)) AS modified_time,
  epoch_ms(nullif(u.last_fetch_time, 0)) AS last_fetch_time,
  epoch_ms(nullif(u.content_time, 0)) AS content_time,
  u.retries, lower(hex(u.signature)) AS signature, u.etag, u.last_modified, u.metadata,
  u.generated_in::VARCHAR AS generated_in,
  u.http_status, ${PROTOCOL_STATUS_NAME_SQL} AS protocol_status,
  epoch_ms(h.not_before) AS host_not_before`
export const PUBLIC_SOURCE = 'FROM urls u JOIN hosts h ON h.id = u.host_id'

/**
 * Creates the tables of a new database and migrates those of an older version.
 * @throws DatabaseUnreadable when a newer program wrote it
 */
export async function prepareSchema(session: Session, file: string): Promise<void> {
  const tables = await tableNames(session)
  const version = await schemaVersion(session, tables)
  if (version !== undefined) checkVersion(version, file)
  // The usual case: there is nothing to create.
  if (version === String(SCHEMA_VERSION) && LATER_TABLES.every((name) => tables.has(name))) return
  await session.begin()
  if (version === undefined) {
    await session.run(TABLES)
    await session.run(`INSERT INTO meta VALUES ('schema_version', '${SCHEMA_VERSION}')`)
  }
  for (let next = Number(version ?? SCHEMA_VERSION) + 1; next <= SCHEMA_VERSION; next++) {
    await session.run(MIGRATIONS[next] ?? '')
    await session.run(`UPDATE meta SET value = '${next}' WHERE key = 'schema_version'`)
  }
  if (version !== String(SCHEMA_VERSION))
    await session.run(`CREATE OR REPLACE VIEW crawldb AS SELECT ${PUBLIC_COLUMNS} ${PUBLIC_SOURCE}`)
  await session.run(SPIDER_TABLES)
  await session.run(INDEX_TABLES)
  await session.run(NOVELTY_TABLES)
  await session.run(LINK_TABLE)
  await session.run(DROP_TABLE)
  await session.run(GRAPH_TABLES)
  await session.run(HOST_TABLES)
  await session.run(HOST_VIEW)
}

/**
 * Whether an older version wrote the database, so that `prepareSchema` must be called first.
 * @throws DatabaseUnreadable when it holds no crawl, or one that a newer program wrote
 */
export async function isOutdated(session: Session, file: string): Promise<boolean> {
  const version = await schemaVersion(session, await tableNames(session))
  if (version === undefined) throw new DatabaseUnreadable(`${file} is a DuckDB database, but holds no crawl`)
  checkVersion(version, file)
  return version !== String(SCHEMA_VERSION)
}

/** False in a database of a version before spiders that was never opened for writing since. */
export function hasSpiderTables(session: Session): Promise<boolean> {
  return hasTable(session, 'spider_state')
}

async function schemaVersion(session: Session, tables: ReadonlySet<string>): Promise<string | undefined> {
  if (!tables.has('meta')) return undefined
  const [row] = await session.all<{ value: string }>(`SELECT value FROM meta WHERE key = 'schema_version'`)
  return row?.value ?? 'unknown'
}

export async function hasTable(session: Session, name: string): Promise<boolean> {
  return (await tableNames(session)).has(name)
}

async function tableNames(session: Session): Promise<ReadonlySet<string>> {
  const rows = await session.all<{ name: string }>(
    'SELECT table_name AS name FROM duckdb_tables() WHERE database_name = current_database()',
  )
  return new Set(rows.map(({ name }) => name))
}

function checkVersion(version: string, file: string): void {
  if (Number(version) >= 1 && Number(version) <= SCHEMA_VERSION) return
  throw new DatabaseUnreadable(
    `${file} has schema version ${version}, this program knows up to ${SCHEMA_VERSION}: use a newer orbweaver; nothing was changed`,
  )
}
