import type { LiveCrawl } from '../domain/live/live-crawl.ts'
import type { LiveReport } from '../domain/live/live-report.ts'
import type { RunWatcher } from '../wiring/run-watcher.ts'

/** What a progress line shows of a running crawl in addition to its progress. */
export class LiveStatus implements RunWatcher {
  #live: LiveCrawl | undefined
  #latest: LiveReport | undefined
  #isReading = false

  /** Seconds until the queue is empty or the limit of pages is reached; `undefined`: not known. */
  get etaSeconds(): number | undefined {
    return this.#latest?.state === 'running' ? this.#latest.etaSeconds : undefined
  }

  get isPaused(): boolean {
    return this.#latest?.state === 'paused'
  }

  started(live: LiveCrawl): void {
    this.#live = live
  }

  /** Reads the report for the next lines. Call it once per line. */
  refresh(): void {
    if (this.#live === undefined || this.#isReading) return
    this.#isReading = true
    this.#live
      .report()
      .then((report) => {
        this.#latest = report
      })
      .catch(() => {})
      .finally(() => {
        this.#isReading = false
      })
  }
}
