import type { CrawlRequest } from '../../../domain/frontier/crawl-request.ts'
import type { Settlement } from '../../../domain/frontier/settlement.ts'

/** A leased request. Leases are kept only in memory: after a crash the request is waiting again. */
export interface Lease {
  /** Its row in `requests`; -1 before it is stored. */
  seq: number
  readonly host: string
  readonly request: CrawlRequest
  readonly attempt: number
  readonly due: number
}

/** A lease and its settlement. */
export interface EndedRequest {
  readonly lease: Lease
  readonly settlement: Settlement
}

/** A request without its URL, which has its own column. */
export function requestJson(request: CrawlRequest): string {
  return JSON.stringify({ ...request, url: undefined })
}

export function requestOf(url: string, json: string): CrawlRequest {
  return { url, ...(JSON.parse(json) as Omit<CrawlRequest, 'url'>) }
}
