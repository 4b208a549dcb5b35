import { LinkExtractor, type LinkExtractorOptions } from '../../domain/selectors/link-extractor.ts'
import type { Page } from './handler-page.ts'
import type { RequestOutput } from './output.ts'
import type { RequestOptions } from './request-options.ts'

/** Which links of a page to follow, and for whom: Scrapy's Rule. */
export interface LinkRule<Names extends string> {
  /** @default every link */
  readonly links?: LinkExtractorOptions
  /** Who gets their pages. @default nobody: they are only looked through for links */
  readonly handler?: Names
  /** Whether their pages are looked through for links by the rules too. @default only without a handler */
  readonly follow?: boolean
  /** For the requests: priority, meta, headers. */
  readonly options?: Omit<RequestOptions<Names>, 'handler'>
}

/** The handler of pages that are only looked through for links, and the mark of those that are, too. */
export const RULES_HANDLER = '$rules'
export const FOLLOW_KEY = '$follow'

/** Follows the links of a page by rules. A link that several rules want is the first one's. */
export class LinkRules {
  readonly #rules: ReadonlyArray<{ readonly rule: LinkRule<string>; readonly extractor: LinkExtractor }>

  constructor(rules: readonly LinkRule<string>[]) {
    this.#rules = rules.map((rule) => ({ rule, extractor: new LinkExtractor(rule.links ?? {}) }))
  }

  /** Whether the rules look through this page: start pages, and what a rule that follows led to. */
  apply(page: Page): boolean {
    if (this.#rules.length === 0 || !/html/.test(page.contentType)) return false
    return (
      page.request.from === undefined ||
      page.request.handler === RULES_HANDLER ||
      page.request.meta?.[FOLLOW_KEY] === true
    )
  }

  *follow(page: Page): Generator<RequestOutput> {
    const taken = new Set<string>()
    for (const { rule, extractor } of this.#rules) {
      const { handler, follow = handler === undefined, options } = rule
      for (const link of page.links(extractor)) {
        if (taken.has(link.url)) continue
        taken.add(link.url)
        const meta = { ...options?.meta, linkText: link.text, ...(follow && { [FOLLOW_KEY]: true }) }
        yield page.follow(link.url, { ...options, handler: handler ?? RULES_HANDLER, meta })
      }
    }
  }
}
