import type { PageToIndex } from './make-document.ts'

/**
 * Records which pages were written to each index, with a fingerprint of their data, so that only changed pages are written again.
 * Pages that were not settled when the process ended are returned again.
 */
export interface IndexLedger {
  /**
   * The pages that changed since they were last settled: a new fetch, a changed status (gone, duplicate), changed anchor texts, or a score
   * that changed by about half. In batches of some thousands, in no particular order.
   */
  changes(target: string, request: ChangesRequest): AsyncIterable<readonly ChangedPage[]>

  /** Records pages as written, durably. Call it after the index has committed them. */
  settle(target: string, pages: readonly SettledPage[]): Promise<void>

  /**
   * Records that all pages written since `changes` are settled. Without it the index may hold pages that are not recorded, and the next
   * `changes` returns every page that must not be in the index.
   * @param complete whether all changes of all segments were written: only then earlier unfinished runs count as finished, too
   */
  finish(target: string, complete: boolean): Promise<void>

  /** Records that the index is empty. */
  forget(target: string): Promise<void>
}

export interface ChangesRequest {
  /** Only pages whose newest fetch is in one of these. @default all, and pages that are no longer in a segment */
  readonly segments?: readonly string[]
  /** Every page, changed or not. */
  readonly all: boolean
  /** Maximum number of anchor texts per page; the most frequent are used. */
  readonly maxAnchors: number
  /** Maximum number of inlinks per page, with their anchor texts. @default 0: pages have no `inlinks` */
  readonly maxInlinks?: number
  /** Whether pages have their `content`, without bodies: only documents with response headers need it. */
  readonly content: boolean
  /** Whether `content` has bodies, which the main content is read from. @default false */
  readonly body?: boolean
  /** Whether parse data has outlinks and anchors. @default false */
  readonly outlinks?: boolean
  /** Identifies the rules for documents: if it changes, every page counts as changed. */
  readonly rules: string
}

export interface ChangedPage extends PageToIndex {
  /** Fingerprint of the data of its document. */
  readonly inputs: string
  /** Whether the index has an earlier version of it, as far as is recorded. */
  readonly wasIndexed: boolean
  /** The same, or a run that crashed may have written it. */
  readonly mayBeIndexed: boolean
}

export interface SettledPage {
  readonly url: string
  readonly inputs: string
  /** Whether the page is in the index now. */
  readonly indexed: boolean
}
