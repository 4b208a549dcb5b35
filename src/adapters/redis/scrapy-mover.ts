import type { Clock } from '../../base/clock.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { SCRAPY_BATCH, type ScrapyEntry, type ScrapyQueue } from './scrapy-queue.ts'
import { requestArguments } from './stored-request.ts'
import { LOST, type WorkerSession } from './worker-session.ts'

/** What became of some entries. One that is in none of these was taken by somebody else. */
export interface Moved {
  readonly imported: number
  /** Imported before, when they were to stay. */
  readonly known: number
  readonly unreadable: number
}

export interface ScrapyMoverOptions {
  /** They stay in the queue, too. */
  readonly keep: boolean
  /** The queue of a URL, as the spider has it. */
  readonly keyOf: (url: string) => string
}

/** Moves requests from the queue of scrapy-redis to the frontier of a crawl. */
export class ScrapyMover {
  readonly #session: WorkerSession
  readonly #clock: Clock
  readonly #queue: ScrapyQueue
  readonly #options: ScrapyMoverOptions

  /** @param session at work on the crawl, whose keys are where the queue is */
  constructor(session: WorkerSession, clock: Clock, queue: ScrapyQueue, options: ScrapyMoverOptions) {
    this.#session = session
    this.#clock = clock
    this.#queue = queue
    this.#options = options
  }

  /** Moves all that waits, a batch at a time, and hands out what it did after each. */
  async *moveAll(): AsyncGenerator<{ readonly entries: readonly ScrapyEntry[]; readonly moved: Moved }> {
    await this.#session.join()
    for (let first = 0, failures = 0; failures < MAX_FAILURES; ) {
      const entries = await this.#queue.peek(first)
      if (entries.length === 0) return
      const moved = await this.#move(entries, first)
      yield { entries, moved }
      if (this.#options.keep) first += entries.length
      else failures = moved.imported + moved.known + moved.unreadable === 0 ? failures + 1 : 0
    }
  }

  async #move(entries: readonly ScrapyEntry[], first: number): Promise<Moved> {
    const { key } = this.#queue
    const range = [String(first), String(first + SCRAPY_BATCH - 1)] as const
    const places = [key, unreadableKey(key), this.#options.keep ? 'keep' : '', ...range] as const
    for (;;) {
      const args = entries.flatMap((entry) => this.#argumentsOf(entry))
      const reply = await this.#session.call(SCRIPTS.importScrapy, [...places, ...args])
      if (reply === LOST) continue
      const [imported = 0, known = 0, unreadable = 0] = String(reply).split(' ').map(Number)
      return { imported, known, unreadable }
    }
  }

  #argumentsOf({ digest, reading }: ScrapyEntry): string[] {
    if (reading.ok) {
      const { request } = reading
      const host = this.#options.keyOf(request.url)
      return [digest, '', ...requestArguments(request, host, this.#session.fingerprint)]
    }
    const problem = JSON.stringify({ reason: reading.reason, at: Math.floor(this.#clock.now()) })
    // The script adds the score.
    return [digest, problem.slice(0, -1), '', '', '', '', '']
  }
}

/** Batches in a row that others took first: then the queue is theirs. */
const MAX_FAILURES = 10

/** Where that goes which cannot be read. */
export function unreadableKey(queueKey: string): string {
  return `${queueKey}:unreadable`
}
