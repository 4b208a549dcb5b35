import type { DropCounts } from '../../base/drop-counts.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { HeaderList } from '../fetch/headers.ts'
import type { Standing } from '../scoring/scoring.ts'
import type { ParseDataRow, ParsedRows } from '../segment/segment-rows.ts'

/** A fetched page, and its standing when it was put on the fetch list. */
export interface PageToParse extends Standing {
  readonly url: string
  readonly headers: HeaderList
  /** The body, decoded. */
  readonly bytes: Uint8Array
  /** The body is shorter than what the server had. */
  readonly truncated: boolean
}

/** What is asked of a page that was parsed, or could not be, as soon as it is. */
export interface ParseFindings {
  readonly parseData: Pick<ParseDataRow, 'status' | 'reason' | 'contentType'>
  /** What two visits are compared by; absent when nothing can be said about the content. */
  readonly signature?: string
  /** The sum of the scores that went to links. */
  readonly scoreGiven: number
  /** Where the page sends its readers on by itself, when that target was kept. It is among its links too. */
  readonly refreshTo?: string
  /** Links that were not kept, by reason, and whether the text was truncated. */
  readonly dropped: DropCounts
}

/** A parsed page with its rows. */
export interface ParsedPage extends ParsedRows, Omit<ParseFindings, 'parseData'> {}

/** The same from another thread, its rows packed. */
export interface PackedPage extends ParseFindings {
  /** Memory of its own. */
  readonly packed: Uint8Array
}

/** What a parsed page adds to its segment. */
export function rowsOf(page: ParsedPage | PackedPage): ParsedRows | { readonly packed: Uint8Array } {
  if ('packed' in page) return { packed: page.packed }
  const { parseData, parseText, links } = page
  return { parseData, links, ...withoutUndefined({ parseText }) }
}

/** Parses pages, here or in other threads. It never rejects for anything a page does. */
export interface PageParser {
  /** `page.bytes` stay the caller's. */
  parse(page: PageToParse): Promise<ParsedPage | PackedPage>
  /** Ends the threads, if there are any. What is still being parsed comes out as failed. */
  close(): Promise<void>
}

/** What is written for a page that broke its parser. */
export function failedParse(url: string, contentType: string, reason: string): ParsedPage {
  const nothing = { title: '', noindex: false, nofollow: false, directives: '{}', outlinks: [], anchors: [] }
  return {
    parseData: { url, status: 'failed', reason, contentType, ...nothing, metadata: {} },
    links: [],
    scoreGiven: 0,
    dropped: {},
  }
}
