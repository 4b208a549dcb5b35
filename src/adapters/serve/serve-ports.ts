import { CrawlError } from '../../base/crawl-error.ts'
import type { LiveCrawl } from '../../domain/live/live-crawl.ts'
import type { SearchSort } from '../../domain/search/search-query.ts'
import type { FetchHistory, HistoryRange } from '../../domain/segment/fetch-figures.ts'
import type {
  HostFactsQuery,
  HostReport,
  KnownHosts,
  Overview,
  PagePreview,
  SearchResponse,
  UrlReport,
} from './responses.ts'

/** One of the crawls that the server shows. */
export interface ServedEntry {
  /** Unique among the crawls of the server. */
  readonly id: string
  /** A directory, or the name of a spider or of a crawl in Redis. */
  readonly name: string
  readonly live: LiveLookup
  /** Absent: it has no crawl directory. */
  readonly crawl?: CrawlApi
  readonly search?: SearchApi
  /** Whether there is a search index now. Absent: no. */
  readonly hasIndex?: () => boolean
  /** When its data last changed (ms since the epoch); `undefined`: unknown. */
  readonly changedAt?: () => number | undefined
}

/** Finds a crawl while it runs. */
export interface LiveLookup {
  /** `undefined`: it does not run. Rejects if that cannot be found out. */
  find(): Promise<LiveCrawl | undefined>
  /** Resolves when the crawl has ended and the server is about to: clients get the last report at once. Absent: never. */
  readonly ended?: Promise<void>
}

/** The crawl reports of the API. */
export interface CrawlApi {
  overview(): Promise<Overview>
  history(range: HistoryRange): Promise<FetchHistory>
  /** `undefined` if neither the CrawlDb nor a segment has the host. */
  host(host: string): Promise<HostReport | undefined>
  /** A part of the HostDb. */
  hosts(query: HostFactsQuery): Promise<KnownHosts>
  url(input: string): Promise<UrlReport>
  /** The newest stored text of a page; `undefined` when there is none. */
  preview(url: string): Promise<PagePreview | undefined>
}

export interface SearchRequest {
  /** If empty, only the filters apply; without filters, there are no results. */
  readonly query: string
  readonly offset: number
  readonly limit: number
  readonly site?: string
  readonly type?: string
  readonly lang?: string
  /** @default that of the query, otherwise by relevance */
  readonly sort?: SearchSort
}

export interface DocumentRequest {
  readonly id: string
  /** Matches in the text are marked. */
  readonly query: string
}

/** The search of the API. Rejects with `SearchTooSlow` after a timeout and with `SearchBusy` if too many searches are waiting. */
export interface SearchApi {
  search(request: SearchRequest): Promise<SearchResponse>
  /** The page as stored in the index; `undefined` if it is not there, or there is no usable index. */
  document(request: DocumentRequest): Promise<PagePreview | undefined>
}

/**
 * A search of `orbweaver serve` took too long and was stopped.
 * Remedy: Search for rarer words.
 */
export class SearchTooSlow extends CrawlError {
  readonly code = 'SEARCH_TOO_SLOW'
  readonly retryable = true
}

/**
 * The index cannot be searched, or the process that searches ended.
 * Remedy: The message has the reason. Try again, and look at the log of `orbweaver serve`.
 */
export class SearchFailed extends CrawlError {
  readonly code = 'SEARCH_FAILED'
  readonly retryable = false
}

/**
 * Too many searches are waiting in `orbweaver serve`.
 * Remedy: Try again later.
 */
export class SearchBusy extends CrawlError {
  readonly code = 'SEARCH_BUSY'
  readonly retryable = true
}
