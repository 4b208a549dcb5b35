/** The directories of a segment, by Nutch's names. */
export const SEGMENT_DIRECTORIES = [
  'crawl_generate',
  'content',
  'parse_text',
  'parse_data',
  'crawl_parse',
  'crawl_fetch',
] as const

export type SegmentDirectory = (typeof SEGMENT_DIRECTORIES)[number]

const HEADERS = 'STRUCT("name" VARCHAR, "value" VARCHAR)[]'

/** Columns that older files do not have: NULL there. */
export const LATER_COLUMNS: { readonly [Directory in SegmentDirectory]?: readonly string[] } = {
  content: ['reason_phrase'],
  parse_data: ['sketch'],
  crawl_fetch: ['dropped', 'ai_use'],
}

/**
 * The columns of the Parquet files in each directory, with their DuckDB types, in order. A public interface: docs/file-formats.md
 * describes each. Metadata is a JSON object of strings, NULL or {} when empty; times are milliseconds since the epoch.
 */
export const SEGMENT_COLUMNS = {
  crawl_generate: {
    url: 'VARCHAR',
    sort_value: 'DOUBLE',
    score: 'DOUBLE',
    etag: 'VARCHAR',
    last_modified: 'VARCHAR',
    signature: 'VARCHAR',
    metadata: 'VARCHAR',
    fp: 'UBIGINT',
    host: 'VARCHAR',
  },
  content: {
    url: 'VARCHAR',
    fetched_at: 'BIGINT',
    http_status: 'INTEGER',
    headers: HEADERS,
    request_headers: HEADERS,
    address: 'VARCHAR',
    protocol: 'VARCHAR',
    truncated: 'VARCHAR',
    body: 'BLOB',
    reason_phrase: 'VARCHAR',
  },
  parse_text: {
    url: 'VARCHAR',
    text: 'VARCHAR',
  },
  parse_data: {
    url: 'VARCHAR',
    status: 'VARCHAR',
    reason: 'VARCHAR',
    title: 'VARCHAR',
    description: 'VARCHAR',
    language: 'VARCHAR',
    charset: 'VARCHAR',
    content_type: 'VARCHAR',
    canonical: 'VARCHAR',
    noindex: 'BOOLEAN',
    nofollow: 'BOOLEAN',
    directives: 'VARCHAR',
    signature: 'VARCHAR',
    text_profile: 'VARCHAR',
    sim_hash: 'VARCHAR',
    outlinks: 'VARCHAR[]',
    anchors: 'VARCHAR[]',
    metadata: 'VARCHAR',
    sketch: 'VARCHAR',
  },
  crawl_parse: {
    from_url: 'VARCHAR',
    url: 'VARCHAR',
    kind: 'VARCHAR',
    score: 'DOUBLE',
    depth: 'INTEGER',
    max_depth: 'INTEGER',
    metadata: 'VARCHAR',
  },
  crawl_fetch: {
    url: 'VARCHAR',
    status: 'VARCHAR',
    protocol_status: 'VARCHAR',
    fetched_at: 'BIGINT',
    http_status: 'INTEGER',
    address: 'VARCHAR',
    protocol: 'VARCHAR',
    response_ms: 'DOUBLE',
    wire_bytes: 'BIGINT',
    bytes: 'BIGINT',
    content_type: 'VARCHAR',
    truncated: 'VARCHAR',
    redirect_to: 'VARCHAR',
    redirected_from: 'VARCHAR',
    retry_at: 'BIGINT',
    reason: 'VARCHAR',
    etag: 'VARCHAR',
    last_modified: 'VARCHAR',
    signature: 'VARCHAR',
    score_given: 'DOUBLE',
    metadata: 'VARCHAR',
    dropped: 'VARCHAR',
    ai_use: 'VARCHAR',
  },
} as const satisfies Record<SegmentDirectory, Readonly<Record<string, string>>>
