import { join } from 'node:path'
import type { FeedTarget } from '../src/adapters/feeds/feed-target.ts'
import type { JsonObject } from '../src/base/json.ts'
import type { ItemLog } from '../src/domain/frontier/item-log.ts'

/** Item `n` is the same in every process, so the log needs no store. */
export function itemAt(n: number, textLength = 0): JsonObject {
  return { n, text: `item ${n} é`.padEnd(textLength, '.'), ...(n % 5_000 === 0 && { late: n }) }
}

/** The first items of an endless log. @param last is called each time @param textLength minimum length of an item */
export function endlessItemLog(last: () => number, textLength = 0): ItemLog {
  return {
    items: async (position, limit) =>
      Array.from({ length: Math.max(0, Math.min(limit, last() - position)) }, (_, i) => ({
        position: position + i + 1,
        url: 'http://a.test/',
        item: itemAt(position + i + 1, textLength),
      })),
    rejected: async () => [],
  }
}

/** An export in each text format, and one in batches. */
export function textTargets(directory: string): FeedTarget[] {
  return [
    join(directory, 'items.jsonl'),
    join(directory, 'items.json'),
    join(directory, 'items.csv'),
    { path: join(directory, 'batch-{batch}.json'), batchSize: 1_500 },
  ]
}
