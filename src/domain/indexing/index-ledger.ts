import type { PageToIndex } from './make-document.ts'

/**
 * Remembers, for each index, which pages it was told about and from what, so that it need only be told what changed.
 * What is settled is remembered; whatever was not, when the process ended, is found again.
 */
export interface IndexLedger {
  /**
   * The pages that are otherwise than when they were last settled: fetched since, marked or no longer marked as gone or duplicate, linked to
   * with other words, or risen or fallen by so much that it is worth telling. Some thousand at a time, in no order that means anything.
   */
  changes(target: string, request: ChangesRequest): AsyncIterable<readonly ChangedPage[]>

  /** Notes what the index has been told, durably. Not before the index has it for good. */
  settle(target: string, pages: readonly SettledPage[]): Promise<void>

  /**
   * Notes that all that the index was told since `changes` is settled. Without that the index may have pages that nobody remembers, and the next
   * `changes` gives every page that must not be in it.
   * @param complete whether it was told all of the changes, and of all segments: only then what an earlier time left open is over, too
   */
  finish(target: string, complete: boolean): Promise<void>

  /** Notes that the index is empty. */
  forget(target: string): Promise<void>
}

export interface ChangesRequest {
  /** Only pages whose newest fetch is in one of these. @default all, and those that are in no segment any more */
  readonly segments?: readonly string[]
  /** Every page, changed or not. */
  readonly all: boolean
  /** Texts of links to one page, the most frequent first. */
  readonly maxAnchors: number
  /** What documents are made by: when this text is another, every page has changed. */
  readonly rules: string
}

export interface ChangedPage extends PageToIndex {
  /** Stands for all that its document is made from. */
  readonly inputs: string
}

export interface SettledPage {
  readonly url: string
  readonly inputs: string
  /** Whether the index has it now. */
  readonly indexed: boolean
}
