import { CrawlError } from './crawl-error.ts'

/**
 * A signal stopped the command before its work was complete.
 * Remedy: Run the command again.
 */
export class Interrupted extends CrawlError {
  readonly code = 'INTERRUPTED'
  readonly retryable = true

  constructor(message = 'interrupted; nothing was changed: run the command again', options?: ErrorOptions) {
    super(message, options)
  }
}

/** Runs `work`; if it is interrupted, the message says `kept`, which is what was changed before. */
export async function keeping<T>(kept: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    throw new Interrupted(`interrupted; ${kept}: run the command again`, { cause: error })
  }
}
