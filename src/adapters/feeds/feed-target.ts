import { dirname, extname } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { LoggedItem } from '../../domain/frontier/item-log.ts'

/** Where items go, as a spider's author may write it: `'items.jsonl'`, `'-'`, `'items.txt:csv'`, a file with options, or a writer. */
export type FeedTarget = string | FileTarget | ItemWriter

export interface FileTarget {
  /**
   * A file; its directories are made. `-` is the standard output. With `{batch}` in its name (`items-{batch}.jsonl`) there is a file for every
   * `batchSize` items, numbered from 00001.
   */
  readonly path: string
  /** @default by the extension of `path`; JSONL for the standard output */
  readonly format?: FeedFormat
  /** Items in a file; only where `path` has `{batch}`. @default 10000 */
  readonly batchSize?: number
  /** These and no others, in this order. @default all; for CSV, those of the schema first */
  readonly fields?: readonly string[]
  /** Replace a file that is there and was not written by this crawl. @default false, or true without a crawl directory */
  readonly overwrite?: boolean
  /** What to copy: the items, or those that the schema refused, each as `{ reason, url, item }`. @default 'items' */
  readonly from?: 'items' | 'rejected'
}

export type FeedFormat = 'jsonl' | 'json' | 'csv' | 'parquet'

/** Takes items to where no file is: a database, a queue. */
export interface ItemWriter {
  /** How far it is will be remembered under this name. */
  readonly name: string
  /** Items at a time, at most. @default 1000 */
  readonly batchSize?: number
  /**
   * They count as taken when it is fulfilled. When it fails, or the process dies meanwhile, they come again: a table whose key is `position`
   * then has each once.
   */
  write(items: readonly LoggedItem[]): Promise<void>
}

/** A target with everything decided. */
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

/** What stands for the number of a file in its path. */
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

function parseFile(target: FileTarget): ParsedTarget {
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
function splitFormat(text: string): FileTarget {
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
