import type { SEGMENT_COLUMNS } from '../../domain/segment/segment-columns.ts'
import type { ContentRow, FetchRow, LinkRow, ParseDataRow } from '../../domain/segment/segment-rows.ts'
import type { Row } from './parquet/parquet-table.ts'

/* Rows by the names of their columns. */

type Columns = typeof SEGMENT_COLUMNS

export function fetchColumns(row: FetchRow): Row<Columns['crawl_fetch']> {
  return {
    url: row.url,
    status: row.status,
    protocol_status: row.protocolStatus,
    fetched_at: row.fetchedAt,
    http_status: row.httpStatus,
    address: row.address,
    protocol: row.protocol,
    response_ms: row.responseMs,
    wire_bytes: row.wireBytes,
    bytes: row.bytes,
    content_type: row.contentType,
    truncated: row.truncated,
    redirect_to: row.redirectTo,
    redirected_from: row.redirectedFrom,
    retry_at: row.retryAt,
    reason: row.reason,
    etag: row.validators?.etag,
    last_modified: row.validators?.lastModified,
    signature: row.signature,
    score_given: row.scoreGiven,
    metadata: metadataColumn(row.metadata),
    dropped: metadataColumn(row.dropped),
  }
}

export function contentColumns(row: ContentRow): Row<Columns['content']> {
  return {
    url: row.url,
    fetched_at: row.fetchedAt,
    http_status: row.httpStatus,
    headers: row.headers,
    request_headers: row.requestHeaders,
    address: row.address,
    protocol: row.protocol,
    truncated: row.truncated,
    body: row.body,
    reason_phrase: row.reasonPhrase,
  }
}

export function parseDataColumns(row: ParseDataRow): Row<Columns['parse_data']> {
  return {
    url: row.url,
    status: row.status,
    reason: row.reason,
    title: row.title,
    description: row.description,
    language: row.language,
    charset: row.charset,
    content_type: row.contentType,
    canonical: row.canonical,
    noindex: row.noindex,
    nofollow: row.nofollow,
    directives: row.directives,
    signature: row.signature,
    text_profile: row.textProfile,
    sim_hash: row.simHash,
    outlinks: row.outlinks,
    anchors: row.anchors,
    metadata: metadataColumn(row.metadata),
  }
}

export function linkColumns(row: LinkRow): Row<Columns['crawl_parse']> {
  return {
    from_url: row.fromUrl,
    url: row.url,
    kind: row.kind,
    score: row.score,
    depth: row.depth,
    max_depth: row.maxDepth,
    metadata: metadataColumn(row.metadata),
  }
}

/** Metadata, or counts, as JSON; `undefined` without any. */
export function metadataColumn(
  metadata: Readonly<Record<string, string | number>> | undefined,
): string | undefined {
  for (const _ in metadata) return json(metadata)
  return undefined
}

/** Half a surrogate pair, which pages can contain and UTF-8 cannot, becomes U+FFFD: it is the only thing that is written as \ud…. */
function json(row: object): string {
  const text = JSON.stringify(row)
  return text.includes('\\ud') ? text.replace(ESCAPE, (match, half) => (half ? '\ufffd' : match)) : text
}

// Every escape is matched, so that a backslash of the text, itself escaped, is not taken for the beginning of one.
const ESCAPE = /\\(?:u(d[89a-f])[0-9a-f]{2}|.)/g
