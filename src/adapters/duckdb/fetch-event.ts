import type { LastOutcome } from '../../domain/crawldb/crawl-record.ts'
import type { FetchEvent } from '../../domain/crawldb/update-record.ts'
import { isProtocolStatus } from '../../domain/fetch/fetch-status.ts'
import type { FetchRowStatus } from '../../domain/segment/segment-rows.ts'
import { metadataOf, storedValidators } from './record-row.ts'

/** A row of the table `fetched`. */
export interface FetchedUrlRow {
  readonly fetch_status: FetchRowStatus
  readonly fetched_at: number
  readonly retry_at: number | null
  readonly fetch_etag: string | null
  readonly fetch_last_modified: string | null
  readonly fetch_signature: string | null
  readonly score_given: number | null
  readonly fetch_metadata: string | null
  readonly fetch_protocol_status: string | null
  readonly fetch_http_status: number | null
}

/** The event of a fetch for `updateRecord`. */
export function fetchEvent(row: FetchedUrlRow): FetchEvent {
  const facts = {
    fetchedAt: row.fetched_at,
    ...outcomeIn(row),
    ...(row.fetch_metadata !== null && { metadata: metadataOf(row.fetch_metadata) }),
  }
  const validators = storedValidators(row.fetch_etag, row.fetch_last_modified)
  const sent = validators === undefined ? {} : { validators }
  switch (row.fetch_status) {
    case 'fetch_success':
      return {
        ...facts,
        ...sent,
        kind: 'success',
        ...(row.fetch_signature !== null && { signature: row.fetch_signature }),
        scoreGiven: row.score_given ?? 0,
      }
    case 'fetch_notmodified':
      return { ...facts, ...sent, kind: 'not-modified' }
    case 'fetch_redir_perm':
    case 'fetch_redir_temp':
      return { ...facts, kind: 'redirect', permanent: row.fetch_status === 'fetch_redir_perm' }
    case 'fetch_gone':
      return { ...facts, kind: 'gone' }
    case 'parse_failed':
      return { ...facts, kind: 'parse-failed' }
    case 'fetch_retry':
      return { ...facts, kind: 'retry', ...(row.retry_at !== null && { retryAt: row.retry_at }) }
    case 'not_reached':
      return { ...facts, kind: 'not-reached', ...(row.retry_at !== null && { retryAt: row.retry_at }) }
  }
}

function outcomeIn({ fetch_protocol_status: name, fetch_http_status: httpStatus }: FetchedUrlRow): {
  readonly outcome?: LastOutcome
} {
  if (name === null || !isProtocolStatus(name)) return {}
  return { outcome: { protocolStatus: name, ...(httpStatus !== null && { httpStatus }) } }
}
