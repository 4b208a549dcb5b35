import type { CrawlRequest } from '../../../domain/frontier/crawl-request.ts'
import type { Settlement } from '../../../domain/frontier/settlement.ts'

/** A request that was handed out. It is kept in memory only: after a crash it waits again. */
export interface Lease {
  /** Its row in `requests`. */
  readonly seq: number
  readonly host: string
  readonly request: CrawlRequest
  readonly attempt: number
  readonly due: number
}

/** A lease, and what came of it. */
export interface EndedRequest {
  readonly lease: Lease
  readonly settlement: Settlement
}

/** All of a request but its URL, which has a column of its own. */
export function requestJson(request: CrawlRequest): string {
  return JSON.stringify({ ...request, url: undefined })
}

export function requestOf(url: string, json: string): CrawlRequest {
  return { url, ...(JSON.parse(json) as Omit<CrawlRequest, 'url'>) }
}
