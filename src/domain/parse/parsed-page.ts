import type { HeaderList } from '../fetch/headers.ts'
import type { Standing } from '../scoring/scoring.ts'
import type { ParseFindings } from '../segment/fetch-row.ts'
import type { PackedRows, ParsedRows } from '../segment/segment-rows.ts'

/** A fetched page with the score and metadata of its fetch list entry. */
export interface PageToParse extends Standing {
  readonly url: string
  readonly headers: HeaderList
  /** The body, decoded. */
  readonly bytes: Uint8Array
  /** The body was truncated. */
  readonly truncated: boolean
  /** URLs of sitemaps of its site, as robots.txt has them, to be followed like links. @default none */
  readonly sitemaps?: readonly string[]
}

/** A page that was parsed, or could not be: what the crawl needs at once, and its rows for the segment. */
export interface ParsedPage<Rows = ParsedRows | PackedRows> extends ParseFindings {
  /** Target of a meta refresh or Refresh header, if it was kept. It is among the links too. */
  readonly refreshTo?: string
  readonly rows: Rows
}

/** Parses pages, in this thread or in others. It never rejects because of the content of a page. */
export interface PageParser {
  /** Does not change or keep `page.bytes`. */
  parse(page: PageToParse): Promise<ParsedPage>
  /** Ends the threads, if there are any. Pages that are still being parsed get a failed result. */
  close(): Promise<void>
}

/** The reason in `dropped` for a page that could not be parsed: its links are not known. */
export const PARSE_FAILED = 'parse failed'

/** The result for a page whose parser failed. */
export function failedParse(url: string, contentType: string, reason: string): ParsedPage<ParsedRows> {
  const empty = { title: '', noindex: false, nofollow: false, directives: '{}', outlinks: [], anchors: [] }
  const findings = { status: 'failed', reason, contentType } as const
  return {
    ...findings,
    scoreGiven: 0,
    dropped: { [PARSE_FAILED]: 1 },
    rows: { parseData: { url, ...findings, ...empty, metadata: {} }, links: [] },
  }
}
