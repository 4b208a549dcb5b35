import type { Clock } from '../../base/clock.ts'
import type { EntryToMove, ImportSession, Moved } from './import-target.ts'
import { SCRAPY_BATCH, type ScrapyEntry, type ScrapyQueue } from './scrapy-queue.ts'

export interface ScrapyMoverOptions {
  /** The requests stay in the queue as well. */
  readonly keep: boolean
  /** The host queue of a URL, as the spider has it. */
  readonly keyOf: (url: string) => string
}

/** Moves all requests of a queue of scrapy-redis to a crawl in batches, and yields the result of each batch. */
export async function* moveRequests(
  session: ImportSession,
  clock: Clock,
  queue: ScrapyQueue,
  { keep, keyOf }: ScrapyMoverOptions,
): AsyncGenerator<{ readonly entries: readonly ScrapyEntry[]; readonly moved: Moved }> {
  const toMove = ({ digest, reading }: ScrapyEntry): EntryToMove =>
    reading.ok
      ? { digest, request: reading.request, host: keyOf(reading.request.url) }
      : { digest, problem: { reason: reading.reason, at: Math.floor(clock.now()) } }
  const keys = { queueKey: queue.key, unreadableKey: unreadableKey(queue.key), keep }
  for (let first = 0, failures = 0; failures < MAX_FAILURES; ) {
    const entries = await queue.peek(first)
    if (entries.length === 0) return
    const range = { ...keys, first, last: first + SCRAPY_BATCH - 1 }
    const moved = await session.move(range, entries.map(toMove))
    yield { entries, moved }
    if (keep) first += entries.length
    else failures = moved.imported + moved.known + moved.unreadable === 0 ? failures + 1 : 0
  }
}

/** After so many batches in a row that other processes took first, the queue is left to them. */
const MAX_FAILURES = 10

/** The list that gets unreadable requests. */
export function unreadableKey(queueKey: string): string {
  return `${queueKey}:unreadable`
}
