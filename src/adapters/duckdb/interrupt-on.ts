import { CrawlError } from '../../base/crawl-error.ts'
import { Interrupted } from '../../base/interrupted.ts'
import type { Session } from './session.ts'

/** Interrupts the statement that runs on `session` when `signal` is aborted, and every later one. */
export function interruptOn(signal: AbortSignal | undefined, session: Session): { end(): void } | undefined {
  if (signal === undefined) return undefined
  signal.throwIfAborted()
  let timer: NodeJS.Timeout | undefined
  const interrupt = () => {
    session.interrupt()
    // A statement that has been given to a thread of DuckDB, but has not started there, misses it.
    timer = setInterval(() => session.interrupt(), AGAIN_MS)
    timer.unref()
  }
  signal.addEventListener('abort', interrupt, { once: true })
  return {
    end() {
      signal.removeEventListener('abort', interrupt)
      clearInterval(timer)
    },
  }
}

const AGAIN_MS = 100

/** What a failure after `signal` means; an error with a remedy of its own is returned as it is. */
export function explainInterruption(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted && !(error instanceof CrawlError)
    ? new Interrupted(undefined, { cause: error })
    : error
}
