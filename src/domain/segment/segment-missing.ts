import { CrawlError } from '../../base/crawl-error.ts'

/** There is no segment of that name. The message names those that are there. */
export class SegmentMissing extends CrawlError {
  readonly code = 'SEGMENT_MISSING'
  readonly retryable = false
}
