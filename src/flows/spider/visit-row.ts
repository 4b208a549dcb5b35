import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { FetchRow } from '../../domain/segment/segment-rows.ts'

/**
 * The row of a visit, with where the request came from, whom it was for, and how it went: a spider need not keep segments, so that the record
 * in the CrawlDb must tell the story itself. `explain` shows it.
 */
export function visitRow(row: FetchRow, { from, handler }: CrawlRequest): FetchRow {
  const { reason, httpStatus, protocolStatus } = row
  const outcome = reason ?? (httpStatus === undefined ? protocolStatus : `HTTP ${httpStatus}`)
  return {
    ...row,
    metadata: { ...row.metadata, handler, outcome, ...withoutUndefined({ foundOn: from }) },
  }
}
