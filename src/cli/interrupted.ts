import { CrawlError } from '../base/crawl-error.ts'

/** The user ended a command before it was done. */
export class Interrupted extends CrawlError {
  readonly code = 'INTERRUPTED'
  readonly retryable = true
}

/** The same signal five seconds later: what is under way when Ctrl-C comes has time to end. */
export function inAWhile(interrupted: AbortSignal): AbortSignal {
  const later = new AbortController()
  interrupted.addEventListener('abort', () => {
    setTimeout(() => later.abort(), GRACE_MS).unref()
  })
  return later.signal
}

const GRACE_MS = 5_000
