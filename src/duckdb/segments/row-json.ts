import type { Validators } from '../../fetch/fetcher.ts'
import type { HeaderList } from '../../fetch/headers.ts'
import type { ContentRow, FetchRow, LinkRow, ParseDataRow, ParseTextRow } from '../../segment/segment-rows.ts'

/*
 * Rows as JSON, keys being the columns. One string a row is the cheapest way to hand nested values to DuckDB, whose threads take it apart:
 * value by value, a page with 60 links cost the main thread four times as much.
 */

export function fetchJson(row: FetchRow): string {
  return json({
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
    ...validatorColumns(row.validators),
    signature: row.signature,
    score_given: row.scoreGiven,
    metadata: metadataColumn(row.metadata),
  })
}

/** All but the body. */
export function contentJson(row: ContentRow): string {
  return json({
    url: row.url,
    fetched_at: row.fetchedAt,
    http_status: row.httpStatus,
    headers: headersColumn(row.headers),
    request_headers: headersColumn(row.requestHeaders),
    address: row.address,
    protocol: row.protocol,
    truncated: row.truncated,
  })
}

export function parseTextJson(row: ParseTextRow): string {
  return json({ url: row.url, text: row.text })
}

export function parseDataJson(row: ParseDataRow): string {
  return json({
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
  })
}

/** The links of one page together; `from_url` only where it is not the page's own, which it nearly always is. */
export function linksJson(url: string, links: readonly LinkRow[]): string {
  return json({
    from_url: url,
    links: links.map((link) => ({
      from_url: link.fromUrl === url ? undefined : link.fromUrl,
      url: link.url,
      kind: link.kind,
      score: link.score,
      depth: link.depth,
      max_depth: link.maxDepth,
      metadata: metadataColumn(link.metadata),
    })),
  })
}

export function validatorColumns(validators: Validators | undefined): {
  etag?: string
  last_modified?: string
} {
  if (validators === undefined) return {}
  const { etag, lastModified } = validators
  return {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { last_modified: lastModified }),
  }
}

export function metadataColumn(metadata: Readonly<Record<string, string>> | undefined): string | undefined {
  for (const _ in metadata) return json(metadata)
  return undefined
}

function headersColumn(headers: HeaderList): Array<{ name: string; value: string }> {
  return headers.map(([name, value]) => ({ name, value }))
}

/** Half a surrogate pair, which pages can contain and UTF-8 cannot, becomes U+FFFD: it is the only thing that is written as \ud…. */
function json(row: object): string {
  const text = JSON.stringify(row)
  return text.includes('\\ud') ? text.replace(ESCAPE, (match, half) => (half ? '\ufffd' : match)) : text
}

// Every escape is matched, so that a backslash of the text, itself escaped, is not taken for the beginning of one.
const ESCAPE = /\\(?:u(d[89a-f])[0-9a-f]{2}|.)/g
