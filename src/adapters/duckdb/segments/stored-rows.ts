import { metadataOf, storedValidators } from '../../../domain/crawldb/record-row.ts'
import type { Validators } from '../../../domain/fetch/fetcher.ts'
import type { HeaderList } from '../../../domain/fetch/headers.ts'
import type {
  ContentRow,
  FetchListEntry,
  FetchRow,
  LinkRow,
  ParseDataRow,
} from '../../../domain/segment/segment-rows.ts'

/** A row as DuckDB returns it: keys are column names, absent values are `null`. */
export type StoredRow = Readonly<Record<string, unknown>>

export function listEntryOf(row: StoredRow): FetchListEntry {
  const { fp: _fp, host: _host, etag, lastModified, metadata, ...rest } = named(row)
  return {
    sortValue: 0,
    score: 0,
    ...rest,
    ...validatorsIn(etag, lastModified),
    metadata: metadataOf((metadata ?? null) as string | null),
  } as FetchListEntry
}

export function fetchRowOf(row: StoredRow): FetchRow {
  const { etag, lastModified, metadata, dropped, aiUse, ...rest } = named(row)
  return {
    ...rest,
    ...validatorsIn(etag, lastModified),
    ...metadataIn(metadata),
    ...(typeof dropped === 'string' && { dropped: JSON.parse(dropped) }),
    ...(typeof aiUse === 'string' && { aiUse: JSON.parse(aiUse) }),
  } as FetchRow
}

/** @param body `null` if bodies were not requested; the body of the row is then empty */
export function contentRowOf(row: StoredRow, body: Uint8Array | null): ContentRow {
  const { headers, requestHeaders, ...rest } = named(row)
  return {
    ...rest,
    headers: headerListOf(headers),
    requestHeaders: headerListOf(requestHeaders),
    body: body === null ? NO_BYTES : new Uint8Array(body.buffer, body.byteOffset, body.byteLength),
  } as ContentRow
}

const NO_BYTES = new Uint8Array()

/** Outlinks and anchors that were not requested are empty. */
export function parseDataRowOf(row: StoredRow): ParseDataRow {
  const { metadata, ...rest } = named(row)
  return {
    ...{ outlinks: [], anchors: [] },
    ...rest,
    metadata: metadataOf((metadata ?? null) as string | null),
  } as unknown as ParseDataRow
}

export function linkRowOf(row: StoredRow): LinkRow {
  const { metadata, ...rest } = named(row)
  return { ...rest, ...metadataIn(metadata) } as LinkRow
}

/** Converts column names to keys (`fetched_at` to `fetchedAt`), leaves out NULLs, and converts 64-bit integers to numbers. */
function named(row: StoredRow): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row)) {
    if (value === null || column === 'part' || column === 'part_row') continue
    result[keyOf(column)] = typeof value === 'bigint' ? Number(value) : value
  }
  return result
}

function keyOf(column: string): string {
  let key = KEYS.get(column)
  if (key === undefined) {
    key = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    KEYS.set(column, key)
  }
  return key
}

/** Cache of key names by column; bounded by the number of columns. */
const KEYS = new Map<string, string>()

function validatorsIn(etag: unknown, lastModified: unknown): { validators?: Validators } {
  const validators = storedValidators(
    (etag ?? null) as string | null,
    (lastModified ?? null) as string | null,
  )
  return validators === undefined ? {} : { validators }
}

function metadataIn(json: unknown): { metadata?: Readonly<Record<string, string>> } {
  return typeof json === 'string' ? { metadata: metadataOf(json) } : {}
}

function headerListOf(headers: unknown): HeaderList {
  return ((headers ?? []) as Array<{ name: string; value: string }>).map(({ name, value }) => [name, value])
}
