import { CrawlError } from '../../base/crawl-error.ts'
import type { FetchHistory, HistoryRange } from '../../domain/segment/fetch-figures.ts'
import type { HostReport, Overview, PagePreview, SearchResponse, UrlReport } from './responses.ts'

/** The crawl reports of the API. */
export interface CrawlApi {
  overview(): Promise<Overview>
  history(range: HistoryRange): Promise<FetchHistory>
  /** `undefined` if neither the CrawlDb nor a segment has the host. */
  host(host: string): Promise<HostReport | undefined>
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

/** The search was stopped after a timeout. */
export class SearchTooSlow extends CrawlError {
  readonly code = 'SEARCH_TOO_SLOW'
  readonly retryable = true
}

/** The index cannot be searched; the message gives the reason. */
export class SearchFailed extends CrawlError {
  readonly code = 'SEARCH_FAILED'
  readonly retryable = false
}

/** Too many searches are waiting. */
export class SearchBusy extends CrawlError {
  readonly code = 'SEARCH_BUSY'
  readonly retryable = true
}
