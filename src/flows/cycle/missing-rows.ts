import { appendAll } from '../../base/append-all.ts'
import type { Clock } from '../../base/clock.ts'
import type { DeadLetters } from '../../domain/frontier/dead-letters.ts'
import { notReachedRow } from '../../domain/segment/fetch-row.ts'
import type { FetchListEntry } from '../../domain/segment/segment-rows.ts'
import type { SegmentStore } from '../../domain/segment/segment-store.ts'

export interface MissingRowsParts {
  readonly clock: Clock
  readonly segments: Pick<SegmentStore, 'remaining' | 'append'>
  readonly deadLetters: Pick<DeadLetters, 'failed'>
}

/** The part of a fetch list that has no rows although a fleet has not given up on it. */
export async function missingRows(parts: MissingRowsParts, segment: string): Promise<FetchListEntry[]> {
  const { missing, isGivenUp } = await look(parts, segment)
  return missing.filter((entry) => !isGivenUp(entry))
}

/** What a fleet has given up on, as too many of its workers died of it, gets rows that say so. */
export async function recordGivenUp(parts: MissingRowsParts, segment: string): Promise<void> {
  const { missing, isGivenUp } = await look(parts, segment)
  const givenUp = missing.filter(isGivenUp)
  if (givenUp.length === 0) return
  const appender = await parts.segments.append(segment)
  try {
    for (const { url } of givenUp) {
      // A failure is told by `close`.
      appender.add({ fetch: notReachedRow({ url }, WORKERS_LOST, parts.clock.now()) }).catch(() => {})
      await appender.room()
    }
  } finally {
    await appender.close()
  }
}

const WORKERS_LOST = 'every worker that was to fetch it was lost'

async function look({ segments, deadLetters }: MissingRowsParts, segment: string) {
  const missing: FetchListEntry[] = []
  for await (const entries of segments.remaining(segment)) appendAll(missing, entries)
  const failed = missing.length === 0 ? [] : await deadLetters.failed()
  const urls = new Set(failed.flatMap(({ request: { url, body } }) => (body === segment ? [url] : [])))
  return { missing, isGivenUp: ({ url }: FetchListEntry) => urls.has(url) }
}
