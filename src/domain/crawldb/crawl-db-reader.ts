import type { DbStatus } from './crawl-status.ts'

/** Reads a CrawlDb in bulk, for people and other programs. */
export interface CrawlDbReader {
  /** Writes records to a file, best score first with `topN`; returns how many. */
  dump(file: string, options: DumpOptions): Promise<number>

  /** The URLs with one of these statuses, in batches of some thousands and in no particular order. */
  withStatus(statuses: readonly DbStatus[]): AsyncIterable<readonly UrlStatus[]>

  /** Reads every row of every table. @throws when one cannot be read */
  check(): Promise<void>

  /** The rows of one SELECT over the tables of the db; `crawldb` is the one to start with. */
  sql(query: string): Promise<SqlResult>
}

export interface UrlStatus {
  readonly url: string
  readonly status: DbStatus
}

export interface DumpOptions {
  readonly format: 'csv' | 'jsonl' | 'parquet'
  readonly status?: readonly DbStatus[]
  readonly host?: string
  /** Must match the whole URL (RE2 syntax). */
  readonly regex?: string
  /** Minimum number of consecutive failures. */
  readonly minRetries?: number
  /** A condition over the columns of `crawldb`. */
  readonly expr?: string
  readonly minScore?: number
  readonly topN?: number
}

export interface SqlResult {
  readonly columns: readonly string[]
  /** Values for JSON: times, blobs and numbers that are too large are text. */
  readonly rows: ReadonlyArray<readonly unknown[]>
}
