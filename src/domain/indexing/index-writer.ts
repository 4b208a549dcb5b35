import { CrawlError } from '../../base/crawl-error.ts'
import type { IndexDocument } from './index-document.ts'

/** What changes in an index. Of two changes with one id the later counts. */
export type IndexChange =
  | { readonly kind: 'put'; readonly document: IndexDocument }
  | { readonly kind: 'delete'; readonly id: string }

/** A change that the index will never take, however often it is sent. */
export interface RefusedChange {
  readonly id: string
  /** As the index says it, for people. */
  readonly reason: string
}

/**
 * Where documents are indexed. Adding and updating are one: a document replaces what its id had. A change may be sent again after a crash or
 * a response that was lost, and the index is then the same.
 *
 * A writer tries again by itself what may succeed later (busy, away for a moment); when it gives up it rejects with `IndexUnavailable`, and
 * nothing of that batch may be taken for written.
 */
export interface IndexWriter {
  /** For people: which index this is, without passwords. */
  readonly name: string
  /** How many changes it likes at a time. */
  readonly batchSize: number
  /** Applies the changes in their order; those that were refused come back, and do not keep the others from it. */
  write(changes: readonly IndexChange[]): Promise<readonly RefusedChange[]>
  /** All that was written is durable, and found by whoever searches, when this is fulfilled. */
  commit(): Promise<void>
  close(): Promise<void>
}

/** An index that cannot be reached, or does not take anything now. */
export class IndexUnavailable extends CrawlError {
  readonly code = 'INDEX_UNAVAILABLE'
  readonly retryable = true
}
