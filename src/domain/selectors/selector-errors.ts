import { CrawlError } from '../../base/crawl-error.ts'

/**
 * A CSS selector, an XPath expression or a pattern of a spider is invalid.
 * Remedy: Fix it; `orbweaver shell <url>` tries selectors.
 *
 * The message contains it and the problem.
 */
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

/**
 * A selector needs more steps, or more memory, on this page than on any real page.
 * Remedy: Select from fewer elements first, or use a simpler selector.
 *
 * The page has failed; other pages are not affected.
 */
export class SelectorTooCostly extends CrawlError {
  readonly code = 'SELECTOR_TOO_COSTLY'
  readonly retryable = false

  /** @param problem what takes too much; the remedy follows */
  constructor(problem: string) {
    super(`${problem} on this page: select from fewer elements first, or use a simpler selector`)
  }
}
