import type { DropCounts } from '../../base/drop-counts.ts'
import type { Validators } from '../fetch/fetcher.ts'
import type { HeaderList } from '../fetch/headers.ts'

/**
 * What the directories of a segment hold, a row for each line. Column names in the Parquet files are these in snake_case;
 * docs/file-formats.md describes them: they are a public interface. Times are milliseconds since the epoch.
 */

/** `crawl_generate`: one URL of the fetch list, and what the fetcher must know about it. */
export interface FetchListEntry {
  readonly url: string
  /** The rank it was chosen by; larger goes first within its host. */
  readonly sortValue: number
  readonly score: number
  /** What to ask "has it changed?" with. */
  readonly validators?: Validators
  /** Of the content we have (hex). */
  readonly signature?: string
  readonly metadata: Readonly<Record<string, string>>
}

/** How a URL of a segment ended; Nutch's names, and ours for what Nutch leaves without a record. */
export type FetchRowStatus =
  | 'fetch_success'
  | 'fetch_retry'
  | 'fetch_redir_temp'
  | 'fetch_redir_perm'
  | 'fetch_gone'
  | 'fetch_notmodified'
  /** There was content, it could not be read, and such pages are to be told from the others (`parse.markFailed`). */
  | 'parse_failed'
  /** Nobody was asked: the time was up, the host was parked, the run was stopped for good. */
  | 'not_reached'

/** The fetches that brought content. */
export const CONTENT_STATUSES: readonly FetchRowStatus[] = ['fetch_success', 'parse_failed']

/** `crawl_fetch`: what came of one URL. Each URL of the fetch list gets one, and each redirect target that was followed; the last one counts. */
export interface FetchRow {
  readonly url: string
  readonly status: FetchRowStatus
  /** Nutch's protocol status name: SUCCESS, MOVED, ROBOTS_DENIED, … */
  readonly protocolStatus: string
  readonly fetchedAt: number
  readonly httpStatus?: number
  readonly address?: string
  readonly protocol?: string
  readonly responseMs?: number
  /** Bytes on the wire and after decoding. */
  readonly wireBytes?: number
  readonly bytes?: number
  /** As sniffed. */
  readonly contentType?: string
  readonly truncated?: string
  /** Where it redirects to, normalised. */
  readonly redirectTo?: string
  /** The URL that redirected here, when it was not on the fetch list itself. */
  readonly redirectedFrom?: string
  /** Not to be asked before. */
  readonly retryAt?: number
  /** For people and `explain`: the robots line, the error, the limit that decided. */
  readonly reason?: string
  readonly validators?: Validators
  /** Of the parsed content (hex); absent when it was not parsed. */
  readonly signature?: string
  /** The sum of the scores it passed to its links. */
  readonly scoreGiven?: number
  /** Links and redirect targets of it that were not kept, by reason. */
  readonly dropped?: DropCounts
  /** Laid over the record's metadata by updatedb. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** `content`: a response as it came, decoded. */
export interface ContentRow {
  readonly url: string
  readonly fetchedAt: number
  readonly httpStatus: number
  readonly headers: HeaderList
  readonly requestHeaders: HeaderList
  readonly address: string
  readonly protocol: string
  /** Absent for HTTP/2, and in segments of version 0.1. */
  readonly reasonPhrase?: string
  readonly truncated?: string
  readonly body: Uint8Array
}

/** `parse_text`: what a reader would read. */
export interface ParseTextRow {
  readonly url: string
  readonly text: string
}

/** `parse_data`: all else that was read from a page. */
export interface ParseDataRow {
  readonly url: string
  readonly status: 'parsed' | 'failed' | 'skipped'
  readonly reason?: string
  readonly title: string
  readonly description?: string
  readonly language?: string
  readonly charset?: string
  readonly contentType: string
  readonly canonical?: string
  readonly noindex: boolean
  readonly nofollow: boolean
  /** Every directive of the page and its header, as JSON. */
  readonly directives: string
  readonly signature?: string
  readonly textProfile?: string
  readonly simHash?: string
  /** The links that were kept, and their anchors by position. */
  readonly outlinks: readonly string[]
  readonly anchors: readonly string[]
  /** What the operator's parse filters added. */
  readonly metadata: Readonly<Record<string, string>>
}

/** `crawl_parse`: one link that was kept, with what it brings its target. Input of updatedb. */
export interface LinkRow {
  readonly fromUrl: string
  readonly url: string
  readonly kind: 'link' | 'redirect' | 'refresh'
  readonly score: number
  readonly depth?: number
  readonly maxDepth?: number
  /** For a redirect target: the metadata it inherits. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** The rows that parsing a page adds to its segment. */
export interface ParsedRows {
  readonly parseData: ParseDataRow
  /** Absent when the page was not read. */
  readonly parseText?: ParseTextRow
  readonly links: readonly LinkRow[]
}

/** `ParsedRows` of a parse thread as bytes. Only the segment writer reads them. */
export interface PackedRows {
  /** Memory of its own. */
  readonly packed: Uint8Array
}

/** All rows of one page in its segment, which are written together or not at all. The rows of parsing are either plain or packed. */
export interface PageRecord extends Partial<ParsedRows>, Partial<PackedRows> {
  readonly fetch: FetchRow
  readonly content?: ContentRow
}
