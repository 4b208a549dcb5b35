import type { CrawlRecord, LastOutcome } from '../crawldb/crawl-record.ts'
import { metadataOf, type RecordRow, recordOf, storedValidators } from '../crawldb/record-row.ts'
import { type FetchEvent, type PageEvents, type UpdateRules, updateRecord } from '../crawldb/update-record.ts'
import { isProtocolStatus } from '../fetch/fetch-status.ts'
import { PRIORITY_KEY } from '../schedule/listed-page.ts'
import type { FetchRowStatus } from './segment-rows.ts'

/** The events of one URL in an update, with its record, as a database joins them. Absent values are null. */
export interface EventRow extends Nullable<RecordRow>, Nullable<FetchedUrlRow> {
  readonly url: string
  readonly score_sum: number | null
  readonly link_count: number | null
  readonly min_depth: number | null
  readonly max_depth: number | null
  readonly redirect_score: number | null
  readonly redirect_metadata: string | null
  /** Metadata of a sitemap or feed that lists it. Absent on Spark. */
  readonly listed?: string | null
}
type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null }

/** The record of `row` after its events; `undefined` if it does not change, or there is nothing to remember. */
export function updatedRecord(row: EventRow, rules: UpdateRules, now: number): CrawlRecord | undefined {
  const old = isKnown(row) ? recordOf(row) : undefined
  const record = updateRecord(old, eventsOf(row), rules, now)
  return record === old ? undefined : record
}

function isKnown(row: EventRow): row is EventRow & RecordRow {
  return row.status !== null
}

function eventsOf(row: EventRow): PageEvents {
  const { [PRIORITY_KEY]: priority, ...listed } = metadataOf(row.listed ?? null)
  return {
    url: row.url,
    ...(row.listed && { listed }),
    ...(Number(priority) > 0 && { priority: Number(priority) }),
    ...(isFetched(row) && { fetch: fetchEvent(row) }),
    ...(row.link_count !== null && {
      inlinks: {
        scoreSum: row.score_sum ?? 0,
        count: row.link_count,
        ...(row.min_depth !== null && { minDepth: row.min_depth }),
        ...(row.max_depth !== null && { maxDepth: row.max_depth }),
      },
    }),
    ...(row.redirect_score !== null && {
      redirectedFrom: { score: row.redirect_score, metadata: metadataOf(row.redirect_metadata) },
    }),
  }
}

function isFetched(row: EventRow): row is EventRow & FetchedUrlRow {
  return row.fetch_status !== null
}

/** The newest fetch of a URL, by the columns of `crawl_fetch`. */
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
  /** Absent on Spark, where no schedule reads it. */
  readonly fetch_content_type?: string | null
}

/** The event of a fetch for `updateRecord`. */
function fetchEvent(row: FetchedUrlRow): FetchEvent {
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
        ...(row.fetch_content_type && { contentType: row.fetch_content_type }),
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
