import { CrawlError } from '../../base/crawl-error.ts'

/**
 * The crawl stopped because `limits.maxHandlerErrorsInRow` handlers failed in a row.
 * Remedy: Fix the spider, then queue the failed pages again with `orbweaver failed <dir> --retry`.
 */
export class TooManyHandlerErrors extends CrawlError {
  readonly code = 'HANDLER_ERRORS'
  readonly retryable = false
}

/** Counts handler failures in a row. */
export class HandlerErrors {
  readonly #maxInRow: number
  readonly #onTooMany: (error: TooManyHandlerErrors) => void
  readonly #onError: (where: string, error: unknown) => void
  #inRow = 0

  /** @param maxInRow 0: no limit */
  constructor(
    maxInRow: number,
    onTooMany: (error: TooManyHandlerErrors) => void,
    onError: (where: string, error: unknown) => void,
  ) {
    this.#maxInRow = maxInRow
    this.#onTooMany = onTooMany
    this.#onError = onError
  }

  succeeded(): void {
    this.#inRow = 0
  }

  /** @param where the handler and the page */
  failed(where: string, error: unknown): void {
    this.#onError(where, error)
    if (++this.#inRow !== this.#maxInRow) return
    const last = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    this.#onTooMany(
      new TooManyHandlerErrors(
        `${this.#inRow === 1 ? 'a handler failed' : `${this.#inRow} handlers in a row failed, the last one`} ${where}: ${last}. ` +
          'No request is lost: fix the spider, requeue them with `orbweaver failed <dir> --retry`, and run it again. limits.maxHandlerErrorsInRow sets this limit.',
        { cause: error },
      ),
    )
  }
}

/** The stack of an error, down to the last frame of the user's code; `undefined` without a stack. */
export function userStack(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || thrown.stack === undefined) return undefined
  const lines = thrown.stack.split('\n')
  const ours = lines.findIndex((line) => OURS.test(line))
  return (ours === -1 ? lines : lines.slice(0, ours)).join('\n')
}

/** Our frames below every call of a handler, hook or pipeline. */
const OURS =
  /^\s+at .*(?:[\\/](?:spider|wiring)[\\/](?:local-calls|run-handler|hooks|process-item|time-limit|handler-worker)\.[jt]s:|evalmachine\.<anonymous>)/
