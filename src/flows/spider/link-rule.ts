import { LinkExtractor, type LinkExtractorOptions } from '../../domain/selectors/link-extractor.ts'
import type { Page } from './handler-page.ts'
import type { RequestOutput } from './output.ts'
import type { RequestOptions } from './request-options.ts'
import { FOLLOW_KEY, RULES_HANDLER } from './rule-names.ts'

/**
 * Which links of a page to follow, and with which handler: Scrapy's Rule.
 * @example
 * ```ts
 * rules: [{ links: { restrictCss: '.next' } }, { links: { allow: '/book/' }, handler: 'book' }],
 * handlers: { book: (page) => page.item({ title: page.text('h1') }) },
 * ```
 */
export interface LinkRule<Names extends string> {
  /** @default every link */
  readonly links?: LinkExtractorOptions
  /** Handler of their pages. @default none: the rules only extract links from them */
  readonly handler?: Names
  /** Whether the rules also apply to their pages. @default only without a handler */
  readonly follow?: boolean
  /** Options of the requests: priority, meta, headers. */
  readonly options?: Omit<RequestOptions<Names>, 'handler'>
}

/** Follows the links of a page by rules. The first matching rule is used for a link. */
export class LinkRules {
  readonly #rules: ReadonlyArray<{ readonly rule: LinkRule<string>; readonly extractor: LinkExtractor }>

  constructor(rules: readonly LinkRule<string>[]) {
    this.#rules = rules.map((rule) => ({ rule, extractor: new LinkExtractor(rule.links ?? {}) }))
  }

  /** Whether the rules apply to this page: start pages, and pages of a rule with `follow`. */
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
