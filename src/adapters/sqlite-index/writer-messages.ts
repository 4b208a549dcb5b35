import { CrawlError } from '../../base/crawl-error.ts'
import { type IndexChange, IndexUnavailable } from '../../domain/indexing/index-writer.ts'
import { IndexUnusable } from './index-file.ts'

// The messages between `WriterThread` and its thread: plain data.

/** The data that the thread is started with. */
export interface WriterThreadData {
  readonly crawlDirectory: string
}

/** Each gets one reply, in order, except the last. */
export type WriterRequest =
  | { readonly kind: 'write'; readonly changes: readonly IndexChange[] }
  | { readonly kind: 'commit' }
  | { readonly kind: 'close' }

export interface WriterReply {
  /** Absent: the request was carried out. */
  readonly failure?: SentIndexError
}

/** An error of the index: messages do not keep classes. */
export interface SentIndexError {
  readonly code?: string
  readonly message: string
  readonly cause?: unknown
}

export function sentIndexError(thrown: unknown): SentIndexError {
  if (!(thrown instanceof CrawlError)) return { message: String(thrown), cause: thrown }
  return { code: thrown.code, message: thrown.message, cause: thrown.cause }
}

export function receivedIndexError({ code, message, cause }: SentIndexError): CrawlError {
  return code === 'INDEX_UNUSABLE'
    ? new IndexUnusable(message, { cause })
    : new IndexUnavailable(message, { cause })
}
