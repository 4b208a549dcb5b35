import type { Clock } from '../../base/clock.ts'
import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'

/**
 * Queries the CrawlDb whether redirect targets may be fetched now. The queries are batched: each reads the fingerprints of all URLs,
 * which takes hardly longer for hundreds of targets than for ten.
 */
export class RedirectTargets {
  readonly #clock: Clock
  readonly #db: Pick<CrawlDb, 'findAll'>
  readonly #waiting: TargetQuery[] = []
  /** During a query, and during the pause after it. */
  #isBusy = false

  /** @param clock the clock of the times in the CrawlDb */
  constructor(clock: Clock, db: Pick<CrawlDb, 'findAll'>) {
    this.#clock = clock
    this.#db = db
  }

  /** `false` if the URL was fetched and is not due, or is on a fetch list, where a killed run may have fetched it. */
  mayFollow(url: string): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ url, resolve, reject })
      if (!this.#isBusy) void this.#query()
    })
  }

  async #query(): Promise<void> {
    this.#isBusy = true
    const queries = this.#waiting.splice(0, MAX_AT_ONCE)
    const startedAt = this.#clock.now()
    await this.#resolveAll(queries)
    const pauseMs = PAUSE_FACTOR * (this.#clock.now() - startedAt)
    this.#clock.after(Math.min(Math.max(pauseMs, MIN_PAUSE_MS), MAX_PAUSE_MS), () => {
      this.#isBusy = false
      if (this.#waiting.length > 0) void this.#query()
    })
  }

  async #resolveAll(queries: readonly TargetQuery[]): Promise<void> {
    try {
      const records = await this.#db.findAll(queries.map(({ url }) => url))
      const now = this.#clock.now()
      for (const { url, resolve } of queries) {
        const record = records.get(url)
        resolve(record === undefined || (record.generatedIn === undefined && record.fetchTime <= now))
      }
    } catch (error) {
      for (const { reject } of queries) reject(error)
    }
  }
}

interface TargetQuery {
  readonly url: string
  readonly resolve: (mayFollow: boolean) => void
  readonly reject: (error: unknown) => void
}

const MAX_AT_ONCE = 10_000

/** The pause after a query, in durations of the query: however large the CrawlDb is, queries use at most a third of one core. */
const PAUSE_FACTOR = 2
const MIN_PAUSE_MS = 5
/** Also if the clock was set during the query. */
const MAX_PAUSE_MS = 2_000
