import type { CrawlDbReader } from '../../domain/crawldb/crawl-db-reader.ts'
import type { DbStatus } from '../../domain/crawldb/crawl-status.ts'
import { NOT_FOR_AN_INDEX } from '../../domain/indexing/index-document.ts'
import type { IndexLedger } from '../../domain/indexing/index-ledger.ts'
import type { IndexWriter } from '../../domain/indexing/index-writer.ts'

/** Deletes URLs from an index, then from its ledger, so that pages that return are indexed again. */
export async function removeFromIndex(
  ledger: Pick<IndexLedger, 'settle'>,
  target: string,
  writer: IndexWriter,
  urls: readonly string[],
): Promise<void> {
  for (let i = 0; i < urls.length; i += writer.batchSize)
    await writer.write(urls.slice(i, i + writer.batchSize).map((id) => ({ kind: 'delete', id })))
  await writer.commit()
  await ledger.settle(
    target,
    urls.map((url) => ({ url, inputs: '0', indexed: false })),
  )
}

export interface CleanResult {
  readonly urls: number
  /** Only those that occur. */
  readonly statuses: Readonly<Partial<Record<DbStatus, number>>>
}

/**
 * Calls `remove` with batches of the URLs that do not belong in an index, and awaits each call. The CrawlDb is not changed, so that any
 * number of indexes can be cleaned.
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
