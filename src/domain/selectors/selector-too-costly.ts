import { CrawlError } from '../../base/crawl-error.ts'

/** Something needs more steps, or more memory, on this page than on any real page. The page has failed; other pages are not affected. */
export class SelectorTooCostly extends CrawlError {
  readonly code = 'SELECTOR_TOO_COSTLY'
  readonly retryable = false

  /** @param problem what takes too much; the remedy follows */
  constructor(problem: string) {
    super(`${problem} on this page: select from fewer elements first, or use a simpler selector`)
  }
}
