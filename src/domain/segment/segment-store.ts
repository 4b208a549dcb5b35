import { CrawlError } from '../../base/crawl-error.ts'
import type { DropCounts } from '../../base/drop-counts.ts'
import type {
  ContentRow,
  FetchListEntry,
  FetchRow,
  FetchRowStatus,
  LinkRow,
  PageRecord,
} from './segment-rows.ts'

/** Where a segment stands. */
export interface SegmentInfo {
  /** yyyyMMddHHmmss, UTC. */
  readonly name: string
  /** URLs on the fetch list. */
  readonly generated: number
  /** URLs with a row, redirect targets included. */
  readonly fetched: number
  readonly parsed: number
  readonly firstFetchAt?: number
  readonly lastFetchAt?: number
  /** Each URL of the fetch list has a row. */
  readonly complete: boolean
}

/** Which pages to read, and how much of them. */
export interface PageFilter {
  /** @default any */
  readonly url?: string
  /** @default any */
  readonly statuses?: readonly FetchRowStatus[]
  /** Whether bodies are read, which are most of a segment; without, they are empty. @default true */
  readonly body?: boolean
  /** Whether the rows of `crawl_parse` are read, which are most of the rows. @default true */
  readonly links?: boolean
}

/** All that one segment holds about one URL. `fetch` is absent while its turn has not come. */
export interface SegmentPage extends Partial<PageRecord> {
  readonly url: string
  readonly segment: string
  /** Its line of the fetch list; redirect targets have none. */
  readonly entry?: FetchListEntry
}

/** A page that was fetched, as `pages` gives it. */
export interface RecordedPage extends PageRecord {
  readonly segment: string
}

/** How a URL was found. */
export interface LinkOrigin {
  readonly fromUrl: string
  readonly kind: LinkRow['kind']
  readonly segment: string
}

/** The segments of one crawl directory. A name that is not there is refused with `SegmentMissing`. */
export interface SegmentStore {
  /** Names, oldest first. */
  list(): Promise<string[]>
  info(name: string): Promise<SegmentInfo>
  /**
   * The part of the fetch list that has no row yet, best first; all of it in a new segment. What gets a row while this is read
   * is left out from there on.
   */
  remaining(name: string): AsyncIterable<readonly FetchListEntry[]>
  /** The URLs with a row that redirects led to: they are on no fetch list, so that only the segment knows of them until it is merged. */
  followed(name: string): Promise<readonly string[]>
  /** What came of the URLs that were fetched at `since` (ms since the epoch) or later, added up. */
  fetchCounts(name: string, since: number): Promise<readonly FetchCount[]>
  /** Where redirects and refreshes of the segment lead that has no row in it, each target once. */
  openRedirects(name: string): Promise<readonly OpenRedirect[]>
  /** Opens a segment to add to it. What an earlier, killed process of the same name had not finished writing is cleared away first. */
  append(name: string): Promise<SegmentAppender>
  /** The responses that were not parsed yet, with the entry of the fetch list or the redirect they came from. */
  unparsed(name: string): AsyncIterable<readonly UnparsedPage[]>
  /** What was fetched; of a URL that is in several of the segments, only the newest fetch that passes the filter. */
  pages(names: readonly string[], filter?: PageFilter): AsyncIterable<readonly RecordedPage[]>
  /** All that the segments hold about one URL, newest segment first. */
  get(url: string): Promise<readonly SegmentPage[]>
  /** The first pages whose links, redirects or refreshes led to a URL, oldest segment first. */
  linksTo(url: string, limit: number): Promise<readonly LinkOrigin[]>
  /**
   * Pages whose newest fetch dropped links for one of `reasons`, or whose body was truncated; the most links over `links.maxOutlinks` first, then
   * those whose URL is most like `near`.
   */
  dropping(
    reasons: readonly string[],
    near: string,
    limit: number,
  ): Promise<{ readonly total: number; readonly pages: readonly DroppingPage[] }>
}

/** A page that did not hand on all of its links. */
export interface DroppingPage extends Pick<FetchRow, 'url' | 'truncated' | 'reason'> {
  readonly segment: string
  readonly dropped: DropCounts
}

/** Fetches that ended in the same way. */
export interface FetchCount {
  /** One of them; its `bytes` are those of all their bodies, decoded. */
  readonly row: Pick<
    FetchRow,
    'url' | 'status' | 'protocolStatus' | 'fetchedAt' | 'httpStatus' | 'reason' | 'dropped' | 'bytes'
  >
  readonly fetches: number
}

export interface OpenRedirect {
  readonly url: string
  /** Every URL that led there, the one on the fetch list first. */
  readonly chain: readonly [string, ...string[]]
  /** The line of the fetch list where it began. */
  readonly entry: FetchListEntry
}

export interface UnparsedPage {
  readonly content: ContentRow
  /** The row of the fetch: parsing adds to it. */
  readonly fetch: PageRecord['fetch']
  readonly score: number
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * Adds pages to a segment. A page is on disk, whole, when the promise of `add` is fulfilled, at the latest some seconds later or
 * when `flush` is called; a crash before that leaves no trace of it. Back-pressure: await `room` before adding more.
 * After a page could not be written every method is rejected with the same error; what was written before stays.
 */
export interface SegmentAppender {
  /** The page's `body` and `packed` are lent for the time of the call, not until the promise is fulfilled. */
  add(page: PageRecord): Promise<void>
  /** Parse results of pages whose fetch rows are there already: the rows given here replace those. */
  addParsed(pages: readonly Omit<PageRecord, 'content'>[]): Promise<void>
  /** Fulfilled while less than the buffer limit waits to be written. */
  room(): Promise<void>
  flush(): Promise<void>
  close(): Promise<void>
}

/** There is no segment of that name. The message names those that are there. */
export class SegmentMissing extends CrawlError {
  readonly code = 'SEGMENT_MISSING'
  readonly retryable = false
}

/** Where a URL may have been lost that passes the filters and is not in the CrawlDb. */
export interface LostLinks {
  /** Pages that link or redirect to the URL, and the rule that dropped the link. */
  readonly dropped: ReadonlyArray<{
    readonly fromUrl: string
    readonly segment: string
    readonly rule: string
  }>
  /** Pages that may link to it in the part of their body that was not kept. */
  readonly truncated: ReadonlyArray<{ readonly url: string; readonly segment: string; readonly why: string }>
  /** Pages with dropped links that were not searched, as there are too many. */
  readonly notSearched: number
}
