import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { logFailure } from './cycle-events.ts'
import type { SpiderResult } from './run-spider-options.ts'

type Result = Omit<SpiderResult, 'items'>

/** Logs the start and the end of a run of a spider, its exports, and the error that ends it. */
export async function withSpiderEvents<R extends Result>(
  { name, resumed }: { readonly name: string; readonly resumed: boolean },
  log: EventLog,
  run: () => Promise<R>,
): Promise<R> {
  const data = { spider: name, pid: process.pid }
  if (resumed) logEvent(log, 'CRAWL_RESUMED', `spider ${name} resumed`, { data })
  else logEvent(log, 'CRAWL_STARTED', `spider ${name} started`, { data })
  try {
    const result = await run()
    logEnd(log, name, result)
    return result
  } catch (error) {
    logFailure(log, error)
    throw error
  }
}

function logEnd(log: EventLog, name: string, { ended, stats, feeds, pending }: Result): void {
  for (const { target, error } of feeds) {
    const details = { data: { target } }
    if (error === undefined) logEvent(log, 'FEED_WRITTEN', `items written to ${target}`, details)
  }
  if (!ENDS.has(ended))
    logEvent(log, 'LIMIT_REACHED', `stopped: ${ended} reached`, { data: { limit: ended } })
  const { pages, items, requests, bytes, durationMs } = stats
  logEvent(log, 'CRAWL_FINISHED', `spider ${name} ended (${ended}): ${pages} pages, ${items} items`, {
    data: { ended, pages, items, requests, bytes, durationMs, pending: { ...pending } },
  })
}

/** Ends that are not a limit. */
const ENDS: ReadonlySet<Result['ended']> = new Set(['finished', 'interrupted', 'drained'])
