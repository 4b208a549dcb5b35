import { dirname, extname } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { LoggedItem } from '../../domain/frontier/item-log.ts'

/**
 * A feed export: a file name (`'items.jsonl'`, `'items.txt:csv'`), `'-'` for the standard output, a file with options, or a writer.
 * @example
 * ```ts
 * out: ['items.jsonl', { path: 'items-{batch}.csv', batchSize: 1_000, fields: ['title', 'price'] }],
 * ```
 */
export type FeedTarget = string | FeedFile | ItemWriter

export interface FeedFile {
  /**
   * Path of the file; its directories are created. `-` is the standard output. With `{batch}` in its name (`items-{batch}.jsonl`), one file is
   * written per `batchSize` items, numbered from 00001.
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
  readonly path: string
  /** `undefined`: all in one file. */
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
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path))
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `items cannot be exported to ${path}: name a file, or hand in a writer from code`,
    )
  if (dirname(path).includes(BATCH))
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `${path}: ${BATCH} belongs in the name of the file, not in that of a directory`,
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
    format: target.format === undefined ? formatByName(path) : formatNamed(target.format, path),
    fields,
    from,
    batchSize: isBatch ? (batchSize ?? DEFAULT_BATCH_SIZE) : undefined,
    overwrite,
  }
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
