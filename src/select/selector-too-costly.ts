import { CrawlError } from '../base/crawl-error.ts'

/** A selector that needs more steps on this page than any real page does. The page has failed; other pages are not affected. */
export class SelectorTooCostly extends CrawlError {
  readonly code = 'SELECTOR_TOO_COSTLY'
  readonly retryable = false
  readonly selector: string

  constructor(language: 'CSS selector' | 'XPath expression', selector: string, maxSteps: number) {
    super(
      `${language} '${selector}' takes more than ${maxSteps} steps on this page: select from fewer elements first, or use a simpler selector`,
    )
    this.selector = selector
  }
}
