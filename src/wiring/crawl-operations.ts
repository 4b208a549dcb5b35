import { CrawlError } from '../base/crawl-error.ts'
import { type CheckedMethod, checkOptions } from './check-options.ts'

/** Why a {@link Crawl} cannot be used. */
export type CrawlUnusableCode =
  /**
   * The crawl object of a program is closed.
   * Remedy: Open the crawl again with `openCrawl`.
   */
  | 'CRAWL_CLOSED'
  /**
   * Another step of the same crawl object is running.
   * Remedy: Await one step before the next.
   */
  | 'CRAWL_BUSY'
  /**
   * A method that writes was called on a crawl that was opened with `readOnly`.
   * Remedy: Open the crawl without `readOnly`.
   */
  | 'CRAWL_READ_ONLY'

/**
 * A {@link Crawl} cannot be used: it is closed, it was opened with `readOnly`, or another of its steps is running.
 * @example
 * try {
 *   await crawl.run()
 * } catch (error) {
 *   if (error instanceof CrawlUnusable && error.code === 'CRAWL_BUSY') console.log('a step is running')
 *   else throw error
 * }
 */
export class CrawlUnusable extends CrawlError {
  readonly code: CrawlUnusableCode
  readonly retryable: boolean

  constructor(code: CrawlUnusableCode, message: string) {
    super(message)
    this.code = code
    this.retryable = code === 'CRAWL_BUSY'
  }
}

/** The running operations of an open crawl. Steps, which change the crawl, run one at a time. */
export class CrawlOperations {
  readonly #path: string
  readonly #readOnly: boolean
  /** The name of the running step. */
  #step: string | undefined
  readonly #running = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(path: string, readOnly: boolean) {
    this.#path = path
    this.#readOnly = readOnly
  }

  /** Runs a step. @throws CrawlUnusable; ConfigurationError for an invalid option */
  async step<T>(step: CheckedMethod, options: object, work: () => Promise<T>): Promise<T> {
    checkOptions(step, options)
    this.#requireOpen()
    if (this.#readOnly)
      throw new CrawlUnusable(
        'CRAWL_READ_ONLY',
        `${this.#path} was opened with readOnly: crawl.${step} would change it`,
      )
    if (this.#step !== undefined)
      throw new CrawlUnusable(
        'CRAWL_BUSY',
        `crawl.${step}: crawl.${this.#step} is running on ${this.#path}; await it first`,
      )
    this.#step = step
    return this.run(work).finally(() => {
      this.#step = undefined
    })
  }

  /** Runs an operation that only reads. @throws CrawlUnusable */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#requireOpen()
    const running = work()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /** The elements of batches. `close` waits for a batch that is being read. */
  async *each<T>(batches: AsyncGenerator<readonly T[]>): AsyncGenerator<T, void, undefined> {
    try {
      for (;;) {
        const { value, done } = await this.run(() => batches.next())
        if (done === true) return
        yield* value
      }
    } finally {
      await batches.return(undefined)
    }
  }

  /** Rejects new operations, and waits for the running ones. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#running)
  }

  #requireOpen(): void {
    if (this.#isClosed)
      throw new CrawlUnusable(
        'CRAWL_CLOSED',
        `the crawl in ${this.#path} is closed; open it again with openCrawl`,
      )
  }
}
