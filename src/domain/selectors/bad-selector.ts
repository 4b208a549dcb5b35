import { CrawlError } from '../../base/crawl-error.ts'

/** A selector, expression or pattern that cannot be used. The message shows it and says what is wrong with it. */
export class BadSelector extends CrawlError {
  readonly code = 'BAD_SELECTOR'
  readonly retryable = false
  readonly selector: string

  constructor(
    language: 'CSS selector' | 'XPath expression' | 'pattern',
    selector: string,
    problem: string,
    cause?: unknown,
  ) {
    super(`${language} '${selector}': ${problem}`, { cause })
    this.selector = selector
  }
}
