export interface SegmentMergeOptions {
  /** Time of the merge (ms since the epoch), from which the new segments are named. */
  readonly now: number
  /** URLs in each new segment. @default all in one */
  readonly urlsPerSegment?: number
  /** The new form of a page or link URL; `undefined` drops it. @default unchanged */
  readonly rewrite?: (url: string) => string | undefined
  /** Stored with the new segments; distinguishes merges of the same segments with other options. @default '' */
  readonly how?: string
  /**
   * Told the names of the new segments when all of them are on the disk and before the first gets its name: a crash later on does not
   * undo them.
   */
  readonly onWritten?: (segments: readonly string[]) => Promise<void>
  /** Interrupts it before `onWritten`: then it fails and nothing is changed. */
  readonly signal?: AbortSignal
}

export interface MergeResult {
  /** The new segments, in order; empty if there was nothing to write. */
  readonly segments: readonly string[]
  readonly pages: number
  /** Rows that were replaced by a newer fetch, have no content (retry, not modified, not reached), or were dropped by `rewrite`. */
  readonly dropped: number
}

/** A finished merge whose new segments all exist. The old ones may have been deleted since. */
export interface Merge {
  readonly from: readonly string[]
  readonly into: readonly string[]
  readonly how: string
}

/**
 * Makes one segment of several. Of each URL the fetch in the newest segment counts, with all its rows; rows that say nothing about
 * the page (retry, not modified, not reached) never do. The old segments stay.
 */
export interface SegmentMerger {
  merge(names: readonly string[], options: SegmentMergeOptions): Promise<MergeResult>
  merges(): Promise<readonly Merge[]>
  /** Deletes a segment. */
  remove(name: string): Promise<void>
}
