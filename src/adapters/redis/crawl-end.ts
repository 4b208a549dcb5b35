import { inspectCrawl } from './inspect-crawl.ts'
import type { StartKeysOptions } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'

/** Whether a crawl has come to its end, for whoever is no worker of it and looks from time to time. */
export class CrawlEndCheck {
  readonly #connection: RedisConnection
  readonly #crawl: string
  readonly #options: StartKeysOptions
  #wasThere = false

  constructor(connection: RedisConnection, crawl: string, options: StartKeysOptions = {}) {
    this.#connection = connection
    this.#crawl = crawl
    this.#options = options
  }

  /** Nothing is left to do, and nobody waits for more. A crawl that was not there yet has not begun; one that is gone was cleared at its end. */
  async isReached(): Promise<boolean> {
    const view = await inspectCrawl(this.#connection, this.#crawl, this.#options)
    // Items alone are no crawl: they outlive it.
    if (view === undefined || view.counts.added + view.workers.length + view.startMessages === 0)
      return this.#wasThere
    this.#wasThere = true
    const { counts, workers, startMessages, now } = view
    const left = counts.waiting + counts.delayed + counts.leased + startMessages
    return left === 0 && workers.every(({ expiresAt }) => expiresAt <= now)
  }
}
