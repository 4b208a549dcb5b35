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

/** The progress of a segment. */
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
  /** Whether responses are read at all, headers and bodies: otherwise pages have no `content`. @default true */
  readonly content?: boolean
  /** Whether bodies are read, which are the largest part of a segment; otherwise they are empty. @default true */
  readonly body?: boolean
  /** Whether the rows of `crawl_parse` are read, which are most of the rows. @default true */
  readonly links?: boolean
  /** Whether parse data has outlinks and anchors, which are most of it; otherwise they are empty. @default true */
  readonly outlinks?: boolean
  /** Interrupts reading, which fails then. */
  readonly signal?: AbortSignal
}

/** The rows of one URL in one segment. `fetch` is absent until it is fetched. */
export interface SegmentPage extends Partial<PageRecord> {
  readonly url: string
  readonly segment: string
  /** Its fetch list entry; absent for redirect targets. */
  readonly entry?: FetchListEntry
}

/** A fetched page, as returned by `pages`. */
export interface RecordedPage extends PageRecord {
  readonly segment: string
}

/** How a URL was found. */
export interface LinkOrigin {
  readonly fromUrl: string
  readonly kind: LinkRow['kind']
  readonly segment: string
}

/** The segments of one crawl directory. Unknown names are rejected with `SegmentMissing`. */
export interface SegmentStore {
  /** Names, oldest first. */
  list(): Promise<string[]>
  info(name: string): Promise<SegmentInfo>
  /**
   * The part of the fetch list that has no row yet, best first; all of it in a new segment. What gets a row while this is read
   * is left out from there on.
   */
  remaining(name: string): AsyncIterable<readonly FetchListEntry[]>
  /** Redirect targets with a row. They are on no fetch list, so only the segment contains them until it is merged. */
  followed(name: string): Promise<readonly string[]>
  /** Counts of the outcomes of URLs fetched at `since` (ms since the epoch) or later. */
  fetchCounts(name: string, since: number): Promise<readonly FetchCount[]>
  /** Targets of redirects and refreshes of the segment that have no row in it, each once. */
  openRedirects(name: string): Promise<readonly OpenRedirect[]>
  /** Opens a segment for writing. Unfinished files of a killed process with the same name are removed first. */
  append(name: string): Promise<SegmentAppender>
  /** The responses that are not parsed yet, with the score and metadata of their fetch list entry. */
  unparsed(name: string): AsyncIterable<readonly UnparsedPage[]>
  /** The fetched pages; for a URL in several segments, only the newest fetch that passes the filter. */
  pages(names: readonly string[], filter?: PageFilter): AsyncIterable<readonly RecordedPage[]>
  /** The rows of one URL in all segments, newest segment first. */
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

/** A page with dropped links. */
export interface DroppingPage extends Pick<FetchRow, 'url' | 'truncated' | 'reason'> {
  readonly segment: string
  readonly dropped: DropCounts
}

/** Number of fetches with the same outcome. */
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
  /** The fetch list entry of the first URL. */
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
 * Adds pages to a segment. The promise of `add` resolves when the page is completely on disk, after some seconds or a call of `flush`;
 * after a crash before that, nothing of the page is stored. Back-pressure: await `room` before adding more.
 * After a failed write every method rejects with the same error; earlier pages stay.
 */
export interface SegmentAppender {
  /** The page's `body` and `packed` are only used during the call, not until the promise resolves. */
  add(page: PageRecord): Promise<void>
  /** Adds parse results of pages that have fetch rows already; the rows given here replace them. */
  addParsed(pages: readonly Omit<PageRecord, 'content'>[]): Promise<void>
  /** Resolves when less than the buffer limit is waiting to be written. */
  room(): Promise<void>
  flush(): Promise<void>
  close(): Promise<void>
}

/**
 * There is no segment with this name, or it was deleted while it was read.
 * Remedy: Use a name that `orbweaver readseg <dir>` lists, or run the command again. `orbweaver updatedb <dir>` releases the URLs
 * of a deleted segment.
 */
export class SegmentMissing extends CrawlError {
  readonly code = 'SEGMENT_MISSING'
  readonly retryable = false
}

/** Where a URL that passes the filters may have been dropped before it reached the CrawlDb. */
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
