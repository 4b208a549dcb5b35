import type { Clock } from '../../base/clock.ts'
import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'

/**
 * Queries the CrawlDb in batches whether redirect targets may be fetched now: a query reads the fingerprints of
 * all URLs there are, which takes hardly longer for hundreds than for ten.
 */
export class RedirectTargets {
  readonly #clock: Clock
  readonly #db: Pick<CrawlDb, 'findAll'>
  readonly #waiting: Question[] = []
  /** During a query, and during the pause after it. */
  #isBusy = false

  /** @param clock that of the CrawlDb's times */
  constructor(clock: Clock, db: Pick<CrawlDb, 'findAll'>) {
    this.#clock = clock
    this.#db = db
  }

  /** Not when it was fetched and is not due, nor when it is on a fetch list, where a run that was killed may have fetched it. */
  mayFollow(url: string): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ url, resolve, reject })
      if (!this.#isBusy) void this.#query()
    })
  }

  async #query(): Promise<void> {
    this.#isBusy = true
    const questions = this.#waiting.splice(0, MAX_AT_ONCE)
    const startedAt = this.#clock.now()
    await this.#response(questions)
    const restMs = REST_FACTOR * (this.#clock.now() - startedAt)
    this.#clock.after(Math.min(Math.max(restMs, MIN_REST_MS), MAX_REST_MS), () => {
      this.#isBusy = false
      if (this.#waiting.length > 0) void this.#query()
    })
  }

  async #response(questions: readonly Question[]): Promise<void> {
    try {
      const records = await this.#db.findAll(questions.map(({ url }) => url))
      const now = this.#clock.now()
      for (const { url, resolve } of questions) {
        const record = records.get(url)
        resolve(record === undefined || (record.generatedIn === undefined && record.fetchTime <= now))
      }
    } catch (error) {
      for (const { reject } of questions) reject(error)
    }
  }
}

interface Question {
  readonly url: string
  readonly resolve: (mayFollow: boolean) => void
  readonly reject: (error: unknown) => void
}

const MAX_AT_ONCE = 10_000

/** Rests so many times as long as a question took: however large the CrawlDb is, a third of one core goes into this at most. */
const REST_FACTOR = 2
const MIN_REST_MS = 5
/** Also after a clock that was set. */
const MAX_REST_MS = 2_000
