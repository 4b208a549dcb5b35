import type { SpiderEnd } from './spider-end.ts'

/** Whether a run has come to its end, and why. The first reason counts. */
export class RunEnd {
  readonly #onEnd: () => void
  #reason: SpiderEnd | undefined
  #failure: { readonly error: unknown } | undefined

  /** @param onEnd called with every reason */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  /** `undefined`: the run goes on. */
  get reason(): SpiderEnd | undefined {
    return this.#reason
  }

  because(reason: SpiderEnd): void {
    this.#reason ??= reason
    this.#onEnd()
  }

  /** What went wrong is such that the crawl cannot go on. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.because('interrupted')
  }

  /** When all is over. @throws what went wrong first */
  result(): SpiderEnd {
    if (this.#failure !== undefined) throw this.#failure.error
    return this.#reason ?? 'finished'
  }
}
