import type { CrawlDbReader } from '../crawldb/crawl-db-reader.ts'
import type { DbStatus } from '../crawldb/crawl-status.ts'

/**
 * What a search index must not hold: under these URLs a reader finds nothing, something else, or what another page has too. Nutch's clean
 * takes the first two; the others go when its indexer meets them (`-deleteGone`), or have been gone before.
 */
export const NOT_FOR_AN_INDEX: readonly DbStatus[] = [
  'db_gone',
  'db_duplicate',
  'db_redir_temp',
  'db_redir_perm',
  'db_orphan',
  'db_parse_failed',
]

export interface CleanResult {
  readonly urls: number
  /** Only those that occur. */
  readonly statuses: Readonly<Partial<Record<DbStatus, number>>>
}

/**
 * Hands the URLs that an index must not hold to whoever keeps one, some thousand at a time and no faster than `remove` takes them. The
 * CrawlDb stays as it is, so that any number of indexes can be cleaned, each as often as one likes.
 */
export async function cleanIndex(
  reader: Pick<CrawlDbReader, 'withStatus'>,
  remove: (urls: readonly string[]) => Promise<void>,
  statuses: readonly DbStatus[] = NOT_FOR_AN_INDEX,
): Promise<CleanResult> {
  const counts: Partial<Record<DbStatus, number>> = {}
  let urls = 0
  for await (const batch of reader.withStatus(statuses)) {
    await remove(batch.map(({ url }) => url))
    for (const { status } of batch) counts[status] = (counts[status] ?? 0) + 1
    urls += batch.length
  }
  return { urls, statuses: counts }
}
