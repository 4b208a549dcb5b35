import type { Clock } from '../../base/clock.ts'
import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'
import type { LiveActionResult } from '../../domain/live/live-report.ts'

/**
 * Retries failed URLs of a running crawl on request: they are due at once, and the next rounds fetch them when their hosts allow it.
 * Failures on open fetch lists are not in the CrawlDb yet; they are retried after the next update.
 */
export class FailedUrlRetries {
  readonly #db: Pick<CrawlDb, 'retryFailed'>
  readonly #clock: Clock
  /** URLs to retry after the next update; `undefined` in it: all. */
  readonly #later = new Set<string | undefined>()
  #endWait = (): void => {}

  /** @param clock the wall clock */
  constructor(db: Pick<CrawlDb, 'retryFailed'>, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  async retry(url?: string): Promise<LiveActionResult> {
    this.#later.add(url)
    const retried = await this.#db.retryFailed(this.#clock.now(), url)
    if (retried > 0) this.#endWait()
    return { ok: true, message: retryText(retried, url), data: { retried } }
  }

  /** To be called after each update of the CrawlDb, before the next fetch list. */
  async updated(): Promise<void> {
    const urls = [...this.#later]
    this.#later.clear()
    for (const url of urls) await this.#db.retryFailed(this.#clock.now(), url)
  }

  /** The crawl waits. @param resume ends the wait */
  waiting(resume: () => void): void {
    this.#endWait = resume
  }
}

function retryText(retried: number, url: string | undefined): string {
  const later = 'failures on open fetch lists follow after the next update of the CrawlDb'
  if (url !== undefined)
    return retried > 0
      ? `${url} is due now; it is fetched as soon as its host allows it`
      : `${url} is not waiting for a retry; if it fails on an open fetch list, it is due after the next update of the CrawlDb`
  if (retried === 0) return `no URL is waiting for a retry; ${later}`
  return `${retried === 1 ? '1 failed URL is' : `${retried} failed URLs are`} due now and fetched as soon as the hosts allow it; ${later}`
}
