import { CrawlError } from '../../base/crawl-error.ts'
import type { PagePreview, SearchAnswer } from './answers.ts'

export interface SearchRequest {
  /** Empty: pages are found by the filters alone, and without any, none. */
  readonly query: string
  readonly offset: number
  readonly limit: number
  readonly site?: string
  readonly type?: string
  readonly lang?: string
}

export interface DocumentRequest {
  readonly id: string
  /** What is found in the text is marked. */
  readonly query: string
}

/** The search index as the page asks it. A refusal in time is rejected with `SearchTooSlow`, one for want of room with `SearchBusy`. */
export interface SearchView {
  search(request: SearchRequest): Promise<SearchAnswer>
  /** What the index has of a page; `undefined` when it has none, or when there is no index that could be used. */
  document(request: DocumentRequest): Promise<PagePreview | undefined>
}

/** The index took too long, and was stopped. */
export class SearchTooSlow extends CrawlError {
  readonly code = 'SEARCH_TOO_SLOW'
  readonly retryable = true
}

/** The index cannot be searched; the message says why. */
export class SearchFailed extends CrawlError {
  readonly code = 'SEARCH_FAILED'
  readonly retryable = false
}

/** Too many searches wait already. */
export class SearchBusy extends CrawlError {
  readonly code = 'SEARCH_BUSY'
  readonly retryable = true
}
