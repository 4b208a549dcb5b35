import type { DropCounts } from '../../base/drop-counts.ts'
import type { Validators } from '../fetch/fetcher.ts'
import type { HeaderList } from '../fetch/headers.ts'
import type { AiUsePreferences } from '../robots/ai-use.ts'

/**
 * The rows of the directories of a segment. Column names in the Parquet files are these in snake_case;
 * docs/file-formats.md describes them: they are a public interface. Times are milliseconds since the epoch.
 */

/** `crawl_generate`: one URL of the fetch list, with the data that the fetcher needs. */
export interface FetchListEntry {
  readonly url: string
  /** Its rank; URLs of a host are fetched in descending order. */
  readonly sortValue: number
  readonly score: number
  /** Validators for a conditional request. */
  readonly validators?: Validators
  /** Signature of the stored content (hex). */
  readonly signature?: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Outcome of a URL of a segment: Nutch's names, and two that Nutch does not record. */
export type FetchRowStatus =
  | 'fetch_success'
  | 'fetch_retry'
  | 'fetch_redir_temp'
  | 'fetch_redir_perm'
  | 'fetch_gone'
  | 'fetch_notmodified'
  /** The content could not be parsed, and such pages get their own status (`parse.markFailed`). */
  | 'parse_failed'
  /** No request was sent: the time limit was reached, the host is paused, or the run was stopped. */
  | 'not_reached'

/** Statuses of fetches with content. */
export const CONTENT_STATUSES: readonly FetchRowStatus[] = ['fetch_success', 'parse_failed']

/** `crawl_fetch`: the outcome of one URL. Each URL of the fetch list and each followed redirect target gets a row; the last one counts. */
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
  /** No request before this time. */
  readonly retryAt?: number
  /** Reason for display: the robots.txt line, the error or the limit. */
  readonly reason?: string
  readonly validators?: Validators
  /** Signature of the parsed content (hex); absent if it was not parsed. */
  readonly signature?: string
  /** The sum of the scores it passed to its links. */
  readonly scoreGiven?: number
  /** Links and redirect targets of it that were not kept, by reason. */
  readonly dropped?: DropCounts
  /** The AI-use preferences of the site and the page; absent if there are none. */
  readonly aiUse?: AiUsePreferences
  /** Merged over the record's metadata by updatedb. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** `content`: a response with its decoded body. */
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

/** `parse_text`: the visible text. */
export interface ParseTextRow {
  readonly url: string
  readonly text: string
}

/** `parse_data`: the other results of parsing. */
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
  readonly sketch?: string
  /** The links that were kept, and their anchors by position. */
  readonly outlinks: readonly string[]
  readonly anchors: readonly string[]
  /** Metadata added by parse filters. */
  readonly metadata: Readonly<Record<string, string>>
}

/** `crawl_parse`: one kept link, with the score that it passes to its target. Input of updatedb. */
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
  /** Absent if the page was not parsed. */
  readonly parseText?: ParseTextRow
  readonly links: readonly LinkRow[]
}

/** `ParsedRows` of a parse thread as bytes. Only the segment writer reads them. */
export interface PackedRows {
  /** Not shared with other pages. */
  readonly packed: Uint8Array
}

/** All rows of one page in its segment, which are written together or not at all. The rows of parsing are either plain or packed. */
export interface PageRecord extends Partial<ParsedRows>, Partial<PackedRows> {
  readonly fetch: FetchRow
  readonly content?: ContentRow
}
