import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { Added } from '../../domain/frontier/frontier.ts'
import type { RequestOutput } from './output.ts'

/** Where others leave start requests while the crawl goes on. */
export interface StartSource {
  /** Empty when there are none. What was taken and never added, because the process died, is handed out again. */
  take(): Promise<StartBatch>
  /** What waits, and what was taken and is not added yet; the crawl is not finished before. */
  count(): Promise<number>
}

export interface StartBatch {
  readonly requests: readonly RequestOutput[]
  /**
   * Puts what became of them into the frontier, and takes them out of the source: both or neither, and only once, whoever else was handed
   * them meanwhile. To be called also when nothing became of them.
   */
  add(requests: readonly CrawlRequest[]): Promise<Added>
}
