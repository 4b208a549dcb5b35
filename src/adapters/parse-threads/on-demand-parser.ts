import type { Clock } from '../../base/clock.ts'
import type { PageParser, PageToParse, ParsedPage } from '../../domain/parse/parsed-page.ts'

/** A parser that has to start before it is quick. */
export interface StartingParser extends PageParser {
  /** Resolves when it is ready for pages. */
  start(): Promise<void>
}

export interface OnDemandParserOptions {
  readonly clock: Clock
  /** Parses in the calling thread. Loaded with the first page. */
  readonly inline: () => Promise<PageParser>
  /** Parses in threads. Called once, when they are needed. */
  readonly threads: () => Promise<StartingParser>
  /** Whether the calling thread may parse the page. */
  readonly isSmall: (page: PageToParse) => boolean
}

/**
 * Parses small pages in the calling thread until they take more than a tenth of its time, and from then on in threads. Starting a thread
 * takes 0.3 CPU-seconds: a crawl of a few pages, or of one page per second, is better off without.
 *
 * Threads exist so that no page can stop a crawl. A page that the calling thread parses cannot either: see `isSmallPage`. The time of
 * such pages is limited, too: when the allowance is used up, threads start, and the calling thread parses small pages only until they
 * are ready.
 */
export class OnDemandParser implements PageParser {
  readonly #options: OnDemandParserOptions
  #inline: Promise<PageParser> | undefined
  #threads: Promise<StartingParser> | undefined
  #isReady = false
  #allowanceMs = MAX_ALLOWANCE_MS
  #countedAt: number

  constructor(options: OnDemandParserOptions) {
    this.#options = options
    this.#countedAt = options.clock.now()
  }

  async parse(page: PageToParse): Promise<ParsedPage> {
    if (this.#isReady || !this.#options.isSmall(page)) return (await this.#startedThreads()).parse(page)
    this.#inline ??= this.#options.inline()
    const parser = await this.#inline
    const startedAt = this.#options.clock.now()
    const parsed = await parser.parse(page)
    this.#count(startedAt)
    return parsed
  }

  async close(): Promise<void> {
    await (await this.#threads)?.close()
  }

  #count(startedAt: number): void {
    const now = this.#options.clock.now()
    const earned = (startedAt - this.#countedAt) * SHARE
    this.#allowanceMs = Math.min(MAX_ALLOWANCE_MS, this.#allowanceMs + earned) - (now - startedAt)
    this.#countedAt = now
    if (this.#allowanceMs < 0) void this.#startedThreads()
  }

  #startedThreads(): Promise<StartingParser> {
    this.#threads ??= this.#options.threads().then((parser) => {
      void parser.start().then(() => {
        this.#isReady = true
      })
      return parser
    })
    return this.#threads
  }
}

/** The share of its time that the calling thread may parse. */
const SHARE = 0.1
/** About 50 pages, when the code is not compiled yet. */
const MAX_ALLOWANCE_MS = 150
