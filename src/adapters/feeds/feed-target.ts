import { dirname, extname } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { LoggedItem } from '../../domain/frontier/item-log.ts'
import { isObjectStoreUrl, parseObjectStoreUrl } from '../../domain/object-store/object-store-url.ts'

/**
 * A feed export: a file name (`'items.jsonl'`, `'items.txt:csv'`), `'-'` for the standard output, a file with options, or a writer.
 * @example
 * ```ts
 * out: ['items.jsonl', { path: 'items-{batch}.csv', batchSize: 1_000, fields: ['title', 'price'] }],
 * ```
 */
export type FeedTarget = string | FeedFile | ItemWriter

/** A file that items are written to. */
export interface FeedFile {
  /**
   * Path of the file; its directories are created. `-` is the standard output, `s3://bucket/items.jsonl` an object, put when it is complete. With `{batch}` in its name (`items-{batch}.jsonl`), one file is
   * written per `batchSize` items, numbered from 00001. `{time}` is replaced by the start of the run in UTC, so that each run writes its own file
   * with its new items: `items-{time}.jsonl`.
   */
  readonly path: string
  /** @default by the extension of `path`; JSONL for the standard output */
  readonly format?: FeedFormat
  /** Items per file, with `{batch}` in `path`. @default 10000 */
  readonly batchSize?: number
  /** Fields to export, in this order. @default all; for CSV, those of the schema first */
  readonly fields?: readonly string[]
  /** Replace an existing file that this crawl did not write. @default false, or true without a crawl directory */
  readonly overwrite?: boolean
  /** Which items to export: the valid ones, or those that the schema rejected, as `{ reason, url, item }`. @default 'items' */
  readonly from?: 'items' | 'rejected'
}

/** The format of a feed export. */
export type FeedFormat = 'jsonl' | 'json' | 'csv' | 'parquet'

/**
 * Writes items to a database, a queue or another target that is not a file.
 * @example
 * ```ts
 * out: { name: 'db', batchSize: 100, write: async (items) => await table.upsert(items.map(({ position, item }) => ({ id: position, ...item }))) },
 * ```
 */
export interface ItemWriter {
  /** The position of the export is stored under this name. */
  readonly name: string
  /** Maximum number of items per call. @default 1000 */
  readonly batchSize?: number
  /**
   * Writes a batch. If it rejects, or the process is killed before it is fulfilled, it is called again with the same items: use `position`
   * as the primary key to store each item once.
   */
  write(items: readonly LoggedItem[]): Promise<void>
}

/** A validated target with its defaults. */
export type ParsedTarget = { readonly kind: 'writer'; readonly writer: ItemWriter } | OutputPlan | FilePlan

export interface OutputPlan extends Copied {
  readonly kind: 'output'
  readonly format: TextFormatName
}

export interface FilePlan extends Copied {
  readonly kind: 'file'
  readonly format: FeedFormat
  /** Where the file is written. */
  readonly path: string
  /** Where it is put when it is complete: `s3://bucket/items.jsonl`. `undefined`: it stays at `path`. */
  readonly objectUrl: string | undefined
  /** `undefined`: all in one file, also of later runs. `Infinity`: all of a run in one file. */
  readonly batchSize: number | undefined
  /** `undefined`: not said. */
  readonly overwrite: boolean | undefined
}

export type TextFormatName = Exclude<FeedFormat, 'parquet'>

interface Copied {
  /** `undefined`: all. */
  readonly fields: readonly string[] | undefined
  readonly from: 'items' | 'rejected'
}

/** @throws ConfigurationError */
export function parseFeedTarget(target: FeedTarget): ParsedTarget {
  if (typeof target === 'string') return parseFile(splitFormat(target))
  return 'write' in target ? parseWriter(target) : parseFile(target)
}

/** The placeholder for the number of a file in its path. */
export const BATCH = '{batch}'

/** The placeholder for the start of the run in its path. */
export const TIME = '{time}'

const DEFAULT_BATCH_SIZE = 10_000

const FORMATS: ReadonlyMap<string, FeedFormat> = new Map([
  ['jsonl', 'jsonl'],
  ['ndjson', 'jsonl'],
  ['jl', 'jsonl'],
  ['json', 'json'],
  ['csv', 'csv'],
  ['parquet', 'parquet'],
])

const KNOWN = 'jsonl, json, csv or parquet'

function parseWriter(writer: ItemWriter): ParsedTarget {
  if (writer.name === '') throw new ConfigurationError('EXPORT_INVALID', 'a writer of items needs a name')
  checkBatchSize(writer.batchSize, `the writer ${writer.name}`)
  return { kind: 'writer', writer }
}

function parseFile(target: FeedFile): ParsedTarget {
  const { path, fields, from = 'items', batchSize, overwrite } = target
  if (path === '')
    throw new ConfigurationError('EXPORT_INVALID', 'an export needs a file name, such as items.jsonl')
  if (fields?.length === 0)
    throw new ConfigurationError('EXPORT_INVALID', `fields of ${path} is empty: name some, or leave it out`)
  checkBatchSize(batchSize, path)
  if (path === '-') return { kind: 'output', format: outputFormat(target.format), fields, from }
  const objectUrl = isObjectStoreUrl(path) ? checkedObjectUrl(path) : undefined
  if (objectUrl === undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(path))
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `items cannot be exported to ${path}: name a file or an object (s3://bucket/items.jsonl), or hand in a writer from code`,
    )
  for (const placeholder of [BATCH, TIME])
    if (dirname(path).includes(placeholder))
      throw new ConfigurationError(
        'EXPORT_INVALID',
        `${path}: ${placeholder} belongs in the name of the file, not in that of a directory`,
      )
  const isBatch = path.includes(BATCH)
  if (batchSize !== undefined && !isBatch)
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `batchSize needs ${BATCH} in the name of the file, such as items-${BATCH}.jsonl, not ${path}`,
    )
  return {
    kind: 'file',
    path,
    objectUrl,
    format: target.format === undefined ? formatByName(path) : formatNamed(target.format, path),
    fields,
    from,
    batchSize: isBatch
      ? (batchSize ?? DEFAULT_BATCH_SIZE)
      : path.includes(TIME)
        ? Number.POSITIVE_INFINITY
        : undefined,
    overwrite,
  }
}

/** The same URL for every way to write it. @throws ConfigurationError */
function checkedObjectUrl(path: string): string {
  const { bucket, prefix } = parseObjectStoreUrl(path)
  if (prefix === '' || prefix.includes('//') || path.endsWith('/'))
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `${path}: name an object, without empty names between slashes, such as s3://${bucket}/items.jsonl`,
    )
  return `s3://${bucket}/${prefix}`
}

/** `items.txt:csv`. A colon that no format can follow belongs to the name. */
function splitFormat(text: string): FeedFile {
  const [, path, format] = /^(.+):([a-z]+)$/s.exec(text) ?? []
  return path === undefined || format === undefined
    ? { path: text }
    : { path, format: formatNamed(format, text) }
}

function formatNamed(name: string, target: string): FeedFormat {
  const format = FORMATS.get(name)
  if (format === undefined)
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `${target}: items cannot be exported as ${name}, only as ${KNOWN}`,
    )
  return format
}

function formatByName(path: string): FeedFormat {
  const format = FORMATS.get(extname(path).slice(1).toLowerCase())
  if (format === undefined)
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `${path}: the format cannot be told from the name; end it in .jsonl, .json, .csv or .parquet, or write ${path}:jsonl`,
    )
  return format
}

function outputFormat(name = 'jsonl'): TextFormatName {
  const format = formatNamed(name, 'the standard output')
  if (format === 'parquet')
    throw new ConfigurationError(
      'EXPORT_INVALID',
      'Parquet cannot go to the standard output: name a file such as items.parquet',
    )
  return format
}

function checkBatchSize(batchSize: number | undefined, whose: string): void {
  if (batchSize !== undefined && !(Number.isSafeInteger(batchSize) && batchSize > 0))
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `batchSize of ${whose} must be a whole number from 1 up, not ${batchSize}`,
    )
}
