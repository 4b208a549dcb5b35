import { Piscina } from 'piscina'
import type { Clock } from '../base/clock.ts'
import type { PagePreview, SearchAnswer } from './answers.ts'
import {
  type DocumentRequest,
  SearchBusy,
  type SearchRequest,
  SearchTooSlow,
  type SearchView,
} from './search-view.ts'

export interface SearchThreadsOptions {
  /** The module that searches: it exports `search` and `document`, and finds `directory` in its `workerData`. */
  readonly filename: string
  readonly directory: string
  /** What a question may take; then its thread is ended. @default 10000 */
  readonly timeoutMs?: number
  /** Questions at once. @default 2 */
  readonly threads?: number
}

/** Asks the index in worker threads: a slow query keeps nobody else waiting, and can be ended. */
export class SearchThreads implements SearchView {
  readonly #clock: Clock
  readonly #pool: Piscina
  readonly #timeoutMs: number

  constructor(clock: Clock, { filename, directory, timeoutMs = 10_000, threads = 2 }: SearchThreadsOptions) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#pool = new Piscina({
      filename,
      workerData: { directory },
      minThreads: 0,
      maxThreads: threads,
      maxQueue: MAX_WAITING,
      idleTimeout: 60_000,
      recordTiming: false,
    })
  }

  search(request: SearchRequest): Promise<SearchAnswer> {
    return this.#run('search', request)
  }

  document(request: DocumentRequest): Promise<PagePreview | undefined> {
    return this.#run('document', request)
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }

  async #run<T>(name: string, question: unknown): Promise<T> {
    if (this.#pool.queueSize >= MAX_WAITING)
      throw new SearchBusy('Too many searches are under way. Try again in a moment.')
    const tooLong = new AbortController()
    const cancel = this.#clock.after(this.#timeoutMs, () => tooLong.abort())
    try {
      return (await this.#pool.run(question, { name, signal: tooLong.signal })) as T
    } catch (error) {
      if (!tooLong.signal.aborted) throw error
      throw new SearchTooSlow(
        `The index did not answer within ${this.#timeoutMs / 1000} seconds. Search for something more particular.`,
      )
    } finally {
      cancel()
    }
  }
}

const MAX_WAITING = 32
