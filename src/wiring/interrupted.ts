import { CrawlError } from '../base/crawl-error.ts'

/** The operation was stopped before it was complete. */
export class Interrupted extends CrawlError {
  readonly code = 'INTERRUPTED'
  readonly retryable = true
}

/** Aborts five seconds after `interrupted`, so that running work has time to finish. */
export function withGracePeriod(interrupted: AbortSignal): AbortSignal {
  const later = new AbortController()
  interrupted.addEventListener('abort', () => {
    setTimeout(() => later.abort(), GRACE_MS).unref()
  })
  return later.signal
}

const GRACE_MS = 5_000
