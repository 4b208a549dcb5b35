import type { CrawlRequest } from '../../../domain/frontier/crawl-request.ts'

/** All of a request but its URL, which has a column of its own. */
export function requestJson(request: CrawlRequest): string {
  return JSON.stringify({ ...request, url: undefined })
}

export function requestOf(url: string, json: string): CrawlRequest {
  return { url, ...(JSON.parse(json) as Omit<CrawlRequest, 'url'>) }
}
