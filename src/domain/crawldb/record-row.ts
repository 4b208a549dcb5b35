import { PROTOCOL_STATUSES, protocolStatusName } from '../fetch/fetch-status.ts'
import type { Validators } from '../fetch/fetcher.ts'
import type { CrawlRecord, LastOutcome } from './crawl-record.ts'
import { isDbStatus, statusCode, statusName } from './crawl-status.ts'

/** A record as databases store it: codes for statuses, JSON for metadata, null for absent values. */
export interface RecordRow {
  readonly url: string
  readonly status: number
  readonly fetch_time: number
  readonly fetch_interval: number
  readonly modified_time: number
  readonly last_fetch_time: number
  readonly content_time: number
  readonly retries: number
  readonly score: number
  readonly signature: string | null
  readonly etag: string | null
  readonly last_modified: string | null
  readonly metadata: string | null
  readonly generated_in: string | null
  readonly http_status: number | null
  readonly protocol_status: number | null
}

export function recordOf(row: RecordRow): CrawlRecord {
  const status = statusName(row.status) ?? ''
  if (!isDbStatus(status)) throw new Error(`${row.url} has the unknown status ${row.status}`)
  return {
    url: row.url,
    status,
    fetchTime: row.fetch_time,
    fetchInterval: row.fetch_interval,
    modifiedTime: row.modified_time,
    lastFetchTime: row.last_fetch_time,
    contentTime: row.content_time,
    retries: row.retries,
    score: shortest(row.score),
    signature: row.signature ?? undefined,
    validators: storedValidators(row.etag, row.last_modified),
    metadata: metadataOf(row.metadata),
    generatedIn: row.generated_in ?? undefined,
    lastOutcome: outcomeOf(row),
  }
}

/** The reverse of `recordOf`. */
export function rowOf(record: CrawlRecord): RecordRow {
  const { lastOutcome } = record
  return {
    url: record.url,
    status: statusCode(record.status),
    fetch_time: record.fetchTime,
    fetch_interval: record.fetchInterval,
    modified_time: record.modifiedTime,
    last_fetch_time: record.lastFetchTime,
    content_time: record.contentTime,
    retries: record.retries,
    score: record.score,
    signature: record.signature ?? null,
    etag: record.validators?.etag ?? null,
    last_modified: record.validators?.lastModified ?? null,
    metadata: metadataJson(record.metadata),
    generated_in: record.generatedIn ?? null,
    http_status: lastOutcome?.httpStatus ?? null,
    protocol_status: lastOutcome === undefined ? null : PROTOCOL_STATUSES[lastOutcome.protocolStatus].code,
  }
}

function outcomeOf({ http_status, protocol_status }: RecordRow): LastOutcome | undefined {
  const protocolStatus = protocol_status === null ? undefined : protocolStatusName(protocol_status)
  if (protocolStatus === undefined) return undefined
  return { protocolStatus, ...(http_status !== null && { httpStatus: http_status }) }
}

/** `undefined` when there is neither. */
export function storedValidators(etag: string | null, lastModified: string | null): Validators | undefined {
  if (etag === null && lastModified === null) return undefined
  return { ...(etag !== null && { etag }), ...(lastModified !== null && { lastModified }) }
}

export function metadataOf(json: string | null): Readonly<Record<string, string>> {
  return json === null ? NOTHING : (JSON.parse(json) as Record<string, string>)
}

/** `null` when there is none, as most pages have none. */
export function metadataJson(metadata: Readonly<Record<string, string>>): string | null {
  for (const _ in metadata) return JSON.stringify(metadata)
  return null
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze({})

/** Scores are stored as 32-bit floats. Returns 0.1 for a stored 0.1, not 0.10000000149, its value as a double. */
export function shortest(score: number): number {
  for (const digits of [6, 7, 8]) {
    const rounded = Number(score.toPrecision(digits))
    if (Math.fround(rounded) === score) return rounded
  }
  return score
}
