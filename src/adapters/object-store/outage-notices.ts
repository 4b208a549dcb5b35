import { logEvent } from '../../base/event-codes.ts'
import type { EventLog } from '../../base/event-log.ts'
import { formatTime } from '../../base/format-values.ts'

/** Logs the outages of a store: each once when its requests are being retried, and once when it responds again. */
export class OutageNotices {
  readonly #url: string
  readonly #log: EventLog
  #isAway = false

  /** @param url of the store, for people */
  constructor(url: string, log: EventLog) {
    this.#url = url
    this.#log = log
  }

  /** @param lastTryAt about when the request is tried for the last time, in ms since the epoch */
  retrying(reason: string, lastTryAt: number): void {
    if (this.#isAway) return
    this.#isAway = true
    const message = `${this.#url}: ${reason}; retrying until about ${formatTime(lastTryAt)}`
    logEvent(this.#log, 'OBJECT_STORE_LOST', message)
  }

  responded(): void {
    if (this.#isAway) logEvent(this.#log, 'OBJECT_STORE_BACK', `${this.#url} responds again`)
    this.#isAway = false
  }
}
