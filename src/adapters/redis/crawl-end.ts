import { inspectCrawl } from './inspect-crawl.ts'
import type { StartKeysOptions } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'

/** Whether a crawl is finished, for a process that is not a worker of it and checks from time to time. */
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

  /** The queue is empty and no worker waits. A crawl that did not exist yet has not started; one that is gone was cleared when it finished. */
  async isReached(): Promise<boolean> {
    const view = await inspectCrawl(this.#connection, this.#crawl, this.#options)
    // Items alone do not make a crawl: they outlive it.
    if (view === undefined || view.counts.added + view.workers.length + view.startMessages === 0)
      return this.#wasThere
    this.#wasThere = true
    const { counts, workers, startMessages, now } = view
    const left = counts.waiting + counts.delayed + counts.leased + startMessages
    return left === 0 && workers.every(({ expiresAt }) => expiresAt <= now)
  }
}
