import { CrawlError } from '../../base/crawl-error.ts'
import type { IndexDocument } from './index-document.ts'

/** A change of an index. Of two changes with the same id the later one counts. */
export type IndexChange =
  | { readonly kind: 'put'; readonly document: IndexDocument }
  | { readonly kind: 'delete'; readonly id: string }

/** A change that the index rejects permanently. */
export interface RefusedChange {
  readonly id: string
  /** Message of the index, for display. */
  readonly reason: string
}

/**
 * Writes documents to an index. A document replaces the earlier one with its id. Changes are idempotent: after a crash or a lost response they
 * can be sent again.
 *
 * A writer retries transient failures itself (server busy or restarting); when it gives up it rejects with `IndexUnavailable`, and the whole
 * batch counts as not written. A writer that works behind its caller rejects a later call instead, `commit` at the latest, and then all changes
 * since the last commit count as not written.
 */
export interface IndexWriter {
  /** Name of the index for display, without passwords. */
  readonly name: string
  /** Preferred number of changes per call of `write`. */
  readonly batchSize: number
  /** Applies the changes in order; returns the refused ones. All others are applied. */
  write(changes: readonly IndexChange[]): Promise<readonly RefusedChange[]>
  /** Resolves when all written documents are durable and visible to searches. */
  commit(): Promise<void>
  /** Releases connections and files. Uncommitted changes may be lost. */
  close(): Promise<void>
}

/**
 * The search index cannot be reached, or accepted no changes after nine retries.
 * Remedy: Start the search server; the next `orbweaver index` continues.
 */
export class IndexUnavailable extends CrawlError {
  readonly code = 'INDEX_UNAVAILABLE'
  readonly retryable = true
}
