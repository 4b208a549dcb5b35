import { DAY_SECONDS } from '../schedule/page-timing.ts'
import type { CrawlRecord } from './crawl-record.ts'

/**
 * After a 304: when the body we keep would become older than the longest interval by the next visit, drops the validators, so that
 * this visit brings it anew, and lets it come early if need be, though not within a day. Bodies are so at most `maxIntervalSeconds` and a day
 * old, and a segment can be deleted once it is that old.
 */
export function renewBody(record: CrawlRecord, maxIntervalSeconds: number): CrawlRecord {
  const deadline = record.contentTime + maxIntervalSeconds * 1000
  // A visit on the last day is the last one in time.
  if (record.fetchTime < deadline - DAY_MS) return record
  const fetchTime = Math.min(record.fetchTime, Math.max(deadline, record.lastFetchTime + DAY_MS))
  return { ...record, fetchTime, validators: undefined }
}

const DAY_MS = DAY_SECONDS * 1000
