import { CRAWL_STATUSES } from '../../domain/crawldb/crawl-status.ts'
import type { Session } from './session.ts'

/** Makes URLs due that failed and wait for a retry; see `CrawlDb.retryFailed`. */
export async function retryFailedUrls(session: Session, now: number, url?: string): Promise<number> {
  const time = Math.floor(now)
  // A single URL may be gone, too.
  const condition =
    url === undefined
      ? `status = ${code('db_unfetched')} AND retries > 0`
      : `url = $1 AND status IN (${NAMED})`
  await session.begin()
  return session.run(
    `UPDATE urls SET fetch_time = ${time} WHERE ${condition} AND generated_in IS NULL AND fetch_time > ${time}`,
    url === undefined ? [] : [url],
  )
}

function code(status: string): number {
  return CRAWL_STATUSES.find(({ name }) => name === status)?.code ?? -1
}

const NAMED = ['db_unfetched', 'db_gone', 'db_parse_failed'].map(code).join(', ')
