import type { CrawlRecord } from './crawl-record.ts'
import { statusCode } from './crawl-status.ts'

/**
 * The natural order of records, for sorting: higher score first, then smaller status code, later due time, more retries, longer
 * interval, later change, and last the signature: none, then the shorter, then by its bytes.
 */
export function compareRecords(a: CrawlRecord, b: CrawlRecord): number {
  return (
    b.score - a.score ||
    statusCode(a.status) - statusCode(b.status) ||
    b.fetchTime - a.fetchTime ||
    b.retries - a.retries ||
    b.fetchInterval - a.fetchInterval ||
    b.modifiedTime - a.modifiedTime ||
    compareSignatures(a.signature ?? '', b.signature ?? '')
  )
}

// Lower-case hex of equal length sorts as its bytes do.
function compareSignatures(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : Number(a > b)
}
