import { SEGMENT_COLUMNS, type SegmentDirectory } from '../../domain/segment/segment-columns.ts'
import type {
  ContentRow,
  FetchRow,
  LinkRow,
  PageRecord,
  ParseDataRow,
  ParsedRows,
} from '../../domain/segment/segment-rows.ts'
import { ByteBuffer, ByteReader } from './parquet/byte-buffer.ts'
import { ParquetTable, type Row, type RowColumns } from './parquet/parquet-table.ts'

/** The directories that fetching and parsing add to. */
export type PartDirectory = Exclude<SegmentDirectory, 'crawl_generate'>

/** The tables that parsing adds rows to. A parse thread packs its rows; the segment writer appends them without decoding them. */
export class ParsedTables {
  readonly parse_text = new ParquetTable(SEGMENT_COLUMNS.parse_text)
  readonly parse_data = new ParquetTable(SEGMENT_COLUMNS.parse_data)
  readonly crawl_parse = new ParquetTable(SEGMENT_COLUMNS.crawl_parse)
  readonly #buffer = new ByteBuffer()

  add({ parseText, parseData, links = [] }: Partial<ParsedRows>): void {
    if (parseText !== undefined) this.parse_text.add(parseText)
    if (parseData !== undefined) this.parse_data.add(parseDataColumns(parseData))
    this.crawl_parse.addColumns(links.length, linkColumns(links))
  }

  /** The rows of one page as bytes for `addPacked`, in memory of their own. The tables must be empty before and are empty after. */
  pack(rows: ParsedRows): Uint8Array {
    this.add(rows)
    this.#buffer.clear()
    this.parse_text.pack(this.#buffer)
    this.parse_data.pack(this.#buffer)
    this.crawl_parse.pack(this.#buffer)
    // A copy: posting a view to another thread would send the whole buffer.
    return new Uint8Array(this.#buffer.view())
  }

  addPacked(packed: Uint8Array): void {
    const reader = new ByteReader(packed)
    this.parse_text.addPacked(reader)
    this.parse_data.addPacked(reader)
    this.crawl_parse.addPacked(reader)
  }
}

/** The pages of one part that is not written yet: one table per directory. */
export class PartTables {
  readonly #parsed = new ParsedTables()
  readonly tables = {
    content: new ParquetTable(SEGMENT_COLUMNS.content),
    parse_text: this.#parsed.parse_text,
    parse_data: this.#parsed.parse_data,
    crawl_parse: this.#parsed.crawl_parse,
    crawl_fetch: new ParquetTable(SEGMENT_COLUMNS.crawl_fetch),
  } satisfies Record<PartDirectory, unknown>

  /** Size before it is compressed. */
  get bytes(): number {
    let sum = 0
    for (const table of Object.values(this.tables)) sum += table.bytes
    return sum
  }

  get memoryBytes(): number {
    let sum = 0
    for (const table of Object.values(this.tables)) sum += table.memoryBytes
    return sum
  }

  get isEmpty(): boolean {
    return this.tables.crawl_fetch.rows === 0
  }

  add(page: PageRecord): void {
    const { fetch, content, packed } = page
    this.tables.crawl_fetch.add(fetchColumns(fetch))
    if (content !== undefined) this.tables.content.add(contentColumns(content))
    if (packed === undefined) this.#parsed.add(page)
    else this.#parsed.addPacked(packed)
    for (const table of Object.values(this.tables)) table.compressPages()
  }

  /** Removes all pages and keeps the memory for the next ones. */
  clear(): void {
    for (const table of Object.values(this.tables)) table.clear()
  }
}

type Columns = typeof SEGMENT_COLUMNS

function fetchColumns(row: FetchRow): Row<Columns['crawl_fetch']> {
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
    ai_use: row.aiUse && json(row.aiUse),
  }
}

function contentColumns(row: ContentRow): Row<Columns['content']> {
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

function parseDataColumns(row: ParseDataRow): Row<Columns['parse_data']> {
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
    sketch: row.sketch,
  }
}

function linkColumns(links: readonly LinkRow[]): RowColumns<Columns['crawl_parse']> {
  return {
    from_url: links.map(({ fromUrl }) => fromUrl),
    url: links.map(({ url }) => url),
    kind: links.map(({ kind }) => kind),
    score: links.map(({ score }) => score),
    depth: links.map(({ depth }) => depth),
    max_depth: links.map(({ maxDepth }) => maxDepth),
    metadata: links.map(({ metadata }) => metadataColumn(metadata)),
  }
}

/** Metadata or counts as JSON; `undefined` when there are none. */
function metadataColumn(metadata: Readonly<Record<string, string | number>> | undefined): string | undefined {
  for (const _ in metadata) return json(metadata)
  return undefined
}

/** Replaces lone surrogates, which UTF-8 cannot encode, by U+FFFD. JSON.stringify writes only those as \ud…. */
function json(row: object): string {
  const text = JSON.stringify(row)
  return text.includes('\\ud') ? text.replace(ESCAPE, (match, half) => (half ? '\ufffd' : match)) : text
}

// Matches every escape, so that an escaped backslash is not taken for the start of one.
const ESCAPE = /\\(?:u(d[89a-f])[0-9a-f]{2}|.)/g
