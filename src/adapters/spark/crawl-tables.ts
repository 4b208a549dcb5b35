import { CRAWL_STATUSES } from '../../domain/crawldb/crawl-status.ts'
import { PROTOCOL_STATUSES } from '../../domain/fetch/fetch-status.ts'

/** The tables of the CrawlDb with their columns, by their types in Spark. README.md describes them. */
export const TABLES = {
  urls: {
    url: 'STRING',
    host: 'STRING',
    status: 'INT',
    fetch_time: 'BIGINT',
    fetch_interval: 'BIGINT',
    modified_time: 'BIGINT',
    last_fetch_time: 'BIGINT',
    content_time: 'BIGINT',
    retries: 'INT',
    score: 'FLOAT',
    signature: 'STRING',
    etag: 'STRING',
    last_modified: 'STRING',
    metadata: 'STRING',
    generated_in: 'BIGINT',
    http_status: 'INT',
    protocol_status: 'INT',
  },
  hosts: { host: 'STRING', domain: 'STRING', not_before: 'BIGINT', wait_reason: 'STRING' },
  seed_hosts: { host: 'STRING', url: 'STRING' },
  folded_parts: { segment: 'STRING', part: 'STRING' },
  links: { from_url: 'STRING', to_url: 'STRING', anchor: 'STRING', segment: 'STRING' },
  indexed_pages: { target: 'STRING', url: 'STRING', inputs: 'STRING', indexed: 'BOOLEAN' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

/** Tables that are a part of `current.json`. */
export const SMALL_TABLES = {
  segments: { name: 'STRING', created_at: 'BIGINT', urls: 'BIGINT', state: 'STRING' },
  drops: { reason: 'STRING', drops: 'BIGINT' },
  unfinished_indexes: { target: 'STRING' },
} as const

export type TableName = keyof typeof TABLES
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[]

/** Column values of a record that was never fetched, unless others are known. */
export const NEW_RECORD: Readonly<Record<string, string>> = {
  status: '1',
  fetch_time: '0',
  fetch_interval: '0',
  modified_time: '0',
  last_fetch_time: '0',
  content_time: '0',
  retries: '0',
  score: '0',
}

/** The columns of a record, without its URL and host. */
export const RECORD_NAMES = Object.keys(TABLES.urls).filter((column) => column !== 'url' && column !== 'host')

/** All columns of a table, cast to its types: a SELECT list over rows that have them. */
export function castColumns(table: TableName, values: Readonly<Record<string, string>> = {}): string {
  const columns = Object.entries(TABLES[table])
  return columns.map(([name, type]) => `CAST(${values[name] ?? name} AS ${type}) AS ${name}`).join(', ')
}

/** The DDL of a schema, such as `url STRING, n BIGINT`. */
export function ddl(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')
}

/** A string literal. */
export function sparkText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** A list of string literals for IN; an empty one matches nothing. */
export function sparkList(texts: readonly string[]): string {
  return texts.length === 0 ? '(NULL)' : `(${texts.map(sparkText).join(', ')})`
}

/** The host of a normalised URL, as `hostOf` has it. */
export function hostInSpark(url: string): string {
  return `regexp_replace(split_part(${url}, '/', 3), ':[0-9]+$', '')`
}

/** Orders URLs as their fingerprint (`fingerprint64`) does: its bytes as hex digits, highest first. */
export function fingerprintSql(url: string): string {
  const pairs = [15, 13, 11, 9, 7, 5, 3, 1].map((at) => `substr(md5(${url}), ${at}, 2)`)
  return `concat(${pairs.join(', ')})`
}

/** The name of a status code. */
const STATUS_NAME = `CASE u.status ${CRAWL_STATUSES.filter(({ kind }) => kind === 'db')
  .map(({ code, name }) => `WHEN ${code} THEN '${name}'`)
  .join(' ')} END`

/** The name of a protocol status code. */
export const PROTOCOL_STATUS_NAME = `CASE u.protocol_status ${Object.entries(PROTOCOL_STATUSES)
  .map(([name, { code }]) => `WHEN ${code} THEN '${name}'`)
  .join(' ')} END`

/** The view `crawldb`: the same columns as with DuckDB. */
export const PUBLIC_VIEW = `
  SELECT u.url, u.host, h.domain, ${STATUS_NAME} AS status, u.score,
    timestamp_millis(u.fetch_time) AS fetch_time, u.fetch_interval,
    timestamp_millis(nullif(u.modified_time, 0)) AS modified_time,
    timestamp_millis(nullif(u.last_fetch_time, 0)) AS last_fetch_time,
    timestamp_millis(nullif(u.content_time, 0)) AS content_time,
    u.retries, u.signature, u.etag, u.last_modified, u.metadata,
    CAST(u.generated_in AS STRING) AS generated_in, u.http_status, ${PROTOCOL_STATUS_NAME} AS protocol_status,
    timestamp_millis(h.not_before) AS host_not_before
  FROM urls u JOIN hosts h ON h.host = u.host`
