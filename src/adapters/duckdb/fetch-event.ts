import type { LastOutcome } from '../../domain/crawldb/crawl-record.ts'
import type { FetchEvent } from '../../domain/crawldb/update-record.ts'
import { isProtocolStatus } from '../../domain/fetch/fetch-status.ts'
import type { FetchRowStatus } from '../../domain/segment/segment-rows.ts'
import { metadataOf, storedValidators } from './record-row.ts'

/** A fetch as the table `fetched` has it. */
export interface FetchedUrlRow {
  readonly visit: FetchRowStatus
  readonly fetched_at: number
  readonly retry_at: number | null
  readonly visit_etag: string | null
  readonly visit_last_modified: string | null
  readonly visit_signature: string | null
  readonly score_given: number | null
  readonly visit_metadata: string | null
  readonly visit_protocol_status: string | null
  readonly visit_http_status: number | null
}

/** What the status machine is told about a fetch. */
export function fetchEvent(row: FetchedUrlRow): FetchEvent {
  const facts = {
    fetchedAt: row.fetched_at,
    ...outcomeIn(row),
    ...(row.visit_metadata !== null && { metadata: metadataOf(row.visit_metadata) }),
  }
  const validators = storedValidators(row.visit_etag, row.visit_last_modified)
  const sent = validators === undefined ? {} : { validators }
  switch (row.visit) {
    case 'fetch_success':
      return {
        ...facts,
        ...sent,
        kind: 'success',
        ...(row.visit_signature !== null && { signature: row.visit_signature }),
        scoreGiven: row.score_given ?? 0,
      }
    case 'fetch_notmodified':
      return { ...facts, ...sent, kind: 'not-modified' }
    case 'fetch_redir_perm':
    case 'fetch_redir_temp':
      return { ...facts, kind: 'redirect', permanent: row.visit === 'fetch_redir_perm' }
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

function outcomeIn({ visit_protocol_status: name, visit_http_status: httpStatus }: FetchedUrlRow): {
  readonly outcome?: LastOutcome
} {
  if (name === null || !isProtocolStatus(name)) return {}
  return { outcome: { protocolStatus: name, ...(httpStatus !== null && { httpStatus }) } }
}
