import { parsePage } from './parse-page.ts'
import type { ParseRules } from './parse-rules.ts'
import type { PageParser, PageToParse, ParsedPage } from './parsed-page.ts'

/** Parses in the thread it is called in. */
export class InlineParser implements PageParser {
  readonly #rules: ParseRules

  constructor(rules: ParseRules) {
    this.#rules = rules
  }

  parse(page: PageToParse): Promise<ParsedPage> {
    return parsePage(page, this.#rules)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
