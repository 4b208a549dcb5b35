import type { HeaderList } from '../fetch/headers.ts'
import type { Standing } from '../score/scoring.ts'
import type { LinkRow, ParseDataRow, ParseTextRow } from '../segment/segment-rows.ts'

/** A fetched page, and its standing when it was put on the fetch list. */
export interface PageToParse extends Standing {
  readonly url: string
  readonly headers: HeaderList
  /** The body, decoded. */
  readonly bytes: Uint8Array
  /** The body is shorter than what the server had. */
  readonly truncated: boolean
}

/** The rows of a page that was parsed, or could not be. */
export interface ParsedPage {
  readonly parseData: ParseDataRow
  /** Absent when the page was not read. */
  readonly parseText?: ParseTextRow
  readonly links: readonly LinkRow[]
  /** What two visits are compared by; absent when nothing can be said about the content. */
  readonly signature?: string
  /** The sum of the scores that went to links. */
  readonly scoreGiven: number
  /** Where the page sends its readers on by itself, when that target was kept. It is among `links` too. */
  readonly refreshTo?: string
}

/** Parses pages, here or in other threads. It never rejects for anything a page does. */
export interface PageParser {
  /** `page.bytes` stay the caller's. */
  parse(page: PageToParse): Promise<ParsedPage>
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
  }
}
