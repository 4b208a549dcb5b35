export interface SegmentMergeOptions {
  /** When (ms since the epoch): gives the new segments their names. */
  readonly now: number
  /** URLs in each new segment. @default all in one */
  readonly urlsPerSegment?: number
  /** The new form of a URL, of pages and of link targets; `undefined` drops it. @default all stay as they are */
  readonly rewrite?: (url: string) => string | undefined
  /** Kept with the new segments: what tells this merge from others of the same ones. @default '' */
  readonly how?: string
  /**
   * Told the names of the new segments when all of them are on the disk and before the first gets its name: a crash later on does not
   * undo them.
   */
  readonly onWritten?: (segments: readonly string[]) => Promise<void>
}

export interface MergeResult {
  /** The new segments, in order. None when nothing was left to write. */
  readonly segments: readonly string[]
  readonly pages: number
  /** Rows that a newer fetch made needless, that say nothing (retry, not modified, not reached), or that `rewrite` dropped. */
  readonly dropped: number
}

/** A merge that was made, and whose new segments are all there. The old ones may have been deleted since. */
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
